"""Keys that one process changes while another serves: `hardwon key` beside `hardwon serve`."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

REVOKED, MADE = 401, 200


class Server:
    """`hardwon serve` in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def ask(self, key: str, method: str = "GET", path: str = "/v1/me") -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, headers={"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "hardwon", "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment(home), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            told = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
            assert told
            yield Server(process, int(told[1]))
        finally:
            process.kill()


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "HARDWON_HOME": str(home)}


def key(home: Path, *words: str) -> str:
    """What `hardwon key …` prints."""
    command = [sys.executable, "-m", "hardwon", "key", *words]
    done = subprocess.run(
        command, env=environment(home), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def identity(text: str) -> str:
    return text.split("_")[1]


def test_a_key_revoked_on_the_command_line_is_refused_at_once(tmp_path: Path) -> None:
    text = key(tmp_path, "create", "--role", "admin")
    with serving(tmp_path) as server:
        key(tmp_path, "list")
        assert server.ask(text)[0] == MADE
        key(tmp_path, "revoke", identity(text))

        assert server.ask(text)[0] == REVOKED
    with serving(tmp_path) as server:
        assert server.ask(text)[0] == REVOKED


def test_a_key_made_on_the_command_line_is_accepted_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for _ in range(3):
            assert server.ask(key(tmp_path, "create"))[0] == MADE


@pytest.mark.parametrize("beside", ["list", "create"])
def test_a_key_revoked_over_http_stays_revoked_when_the_server_is_killed(
    tmp_path: Path, beside: str
) -> None:
    admin, text = key(tmp_path, "create", "--role", "admin"), key(tmp_path, "create")
    with serving(tmp_path) as server:
        key(tmp_path, beside)
        assert server.ask(admin, "DELETE", f"/v1/keys/{identity(text)}")[0] == 200
        server.kill()

    with serving(tmp_path) as server:
        assert server.ask(text)[0] == REVOKED
        assert server.ask(admin)[0] == MADE
