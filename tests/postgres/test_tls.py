"""TLS: libpq's options in the URL are obeyed, and a server that is not the right one is refused.

The server that tests get by pip is built without TLS, so a front of the test's own ends it, as a
pooler or a cloud's gateway does.
"""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import Unavailable
from hardwon.storage.postgres.database import Database
from hardwon.surfaces.cli import run
from tests.postgres_server import SERVICE, Place, PostgresServer
from tests.programs import needs

_REQUEST = 8  # bytes by which a client asks for TLS


class Front:
    """Says yes to those who ask for TLS, and passes on what they say to a server without."""

    def __init__(self, target: int, certificate: Path) -> None:
        self._target = target
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            client.recv(_REQUEST, socket.MSG_WAITALL)
            client.sendall(b"S")
            with (
                self._context.wrap_socket(client, server_side=True) as inner,
                socket.create_connection(("127.0.0.1", self._target)) as server,
            ):
                answers = threading.Thread(target=_pump, args=(server, inner), daemon=True)
                answers.start()
                _pump(inner, server)


def _pump(source: socket.socket, goal: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            goal.sendall(piece)
        goal.shutdown(socket.SHUT_RDWR)


def certificate(folder: Path, name: str) -> Path:
    """A certificate that speaks for itself, with its key in the same file."""
    place = folder / f"{name}.pem"
    command = [needs("openssl", package="openssl"), "req", "-x509", "-nodes", "-days", "2"]
    command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-batch"]
    command += ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run([*command, "-keyout", place, "-out", f"{place}.crt"], check=True, stderr=-3)
    place.write_text(place.read_text() + Path(f"{place}.crt").read_text())
    return place


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a busy machine decides no test


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return certificate(tmp_path, "localhost")


@pytest.fixture
def front(postgres: PostgresServer, own: Path) -> Iterator[Front]:
    opened = Front(postgres.port, own)
    yield opened
    opened.close()


def url(front: Front, database: Place, authority: Path, host: str = "localhost") -> str:
    verified = f"sslmode=verify-full&sslrootcert={authority}"
    address = f"hostaddr=127.0.0.1&{verified}"
    return f"postgresql://{SERVICE}@{host}:{front.port}/{database.name}?{address}"


def test_a_verified_server_is_used(front: Front, database: Place, own: Path) -> None:
    lesson = "use Edit for large Go files, not a full rewrite"

    with hardwon.open(url(front, database, own)) as hw:
        hw.agent("coder").learn(lesson)
        told = hw.agent("coder").before_turn("edit a large Go file")

    assert lesson in told.text
    assert run(["doctor", "--home", url(front, database, own)]) == 0


def test_a_server_of_another_authority_is_refused(
    front: Front, database: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = url(front, database, certificate(tmp_path, "stranger"))

    with closing(Database(stranger)) as opened, pytest.raises(Unavailable, match="certificate"):
        opened.rows("SELECT 1")
    assert run(["doctor", "--home", stranger]) == 1
    assert "certificate verify failed" in capsys.readouterr().out


def test_a_server_of_another_name_is_refused(front: Front, database: Place, own: Path) -> None:
    elsewhere = url(front, database, own, host="db.example")

    with closing(Database(elsewhere)) as opened, pytest.raises(Unavailable, match=r"db\.example"):
        opened.rows("SELECT 1")
