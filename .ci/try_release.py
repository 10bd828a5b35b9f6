"""Try an installed hardwon with real servers: `try_release.py serve|postgres PROGRAM HOME`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

from tests.postgres_server import running


def serve(program: str, home: str) -> None:
    """The health and a page of its server."""
    command = [program, "serve", "--port", "0", "--home", home]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            address = process.stdout.readline().split()[-1]
            token = Path(home, "token").read_text().strip()
            assert urlopen(f"{address}/healthz").status == 200
            page = Request(f"{address}/", headers={"Authorization": f"Bearer {token}"})
            assert b"hardwon" in urlopen(page).read()
        finally:
            process.terminate()


def postgres(program: str, home: str) -> None:
    """A lesson that is kept in a database."""
    with running() as server:
        url = server.empty().owner
        subprocess.run([program, "migrate", "--home", url], check=True, capture_output=True)
        note = "when the cache is cold run make warm first"
        subprocess.run([program, "reflect", note, "--home", url], check=True, capture_output=True)
        listed = subprocess.run(
            [program, "lesson", "list", "--home", url], check=True, capture_output=True, text=True
        )
        assert "make warm" in listed.stdout, listed.stdout


if __name__ == "__main__":
    {"serve": serve, "postgres": postgres}[sys.argv[1]](*sys.argv[2:])
