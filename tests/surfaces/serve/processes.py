"""`hardwon serve` and `hardwon key` in processes of their own."""

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

    def log_in(self, key: str) -> tuple[str, str, str]:
        """The name, the value and the path of the cookie for a key."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", "/login", f"key={key}", headers)
            told = connection.getresponse().headers["Set-Cookie"]
        finally:
            connection.close()
        found = re.fullmatch(r"([\w-]+)=([\w-]+);.* Path=([^;]+);.*", told)
        assert found, told
        return found[1], found[2], found[3]

    def page(self, path: str, cookie: str) -> int:
        """The status of a page for a browser with this cookie."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path, headers={"Cookie": cookie})
            return connection.getresponse().status
        finally:
            connection.close()

    @contextmanager
    def stream(self, key: str) -> Iterator[http.client.HTTPResponse]:
        """The stream that keeps pages up to date, read up to its first words."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", "/events", headers={"Authorization": f"Bearer {key}"})
            with connection.getresponse() as answer:
                assert answer.readline() == b"retry: 2000\n"
                yield answer
        finally:
            connection.close()

    def most_memory(self) -> int:
        """The most bytes that it has had so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) << 10

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


_OLDER = """
import runpy, sys
from hardwon.storage.sql.journal import Journal
on, unknown = Journal.on, sys.argv.pop().split(",")
Journal.on = lambda self, kind, fold: None if kind in unknown else on(self, kind, fold)
runpy.run_module("hardwon", run_name="__main__")
"""


@contextmanager
def serving(home: Path, port: int = 0, *, unknown: str = "") -> Iterator[Server]:
    """A server; with `unknown` one of the time before records had these kinds."""
    words = ["serve", "--port", str(port)]
    command = [sys.executable, "-m", "hardwon", *words]
    if unknown:
        command = [sys.executable, "-c", _OLDER, *words, unknown]
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
