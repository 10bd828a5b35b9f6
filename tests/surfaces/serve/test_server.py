"""Where a server may listen, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import pty
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, SetupError, StorageError
from hardwon.core.settings import load
from hardwon.storage.service import FileDatabase, KeyRing
from hardwon.surfaces.serve.server import Address, Service
from tests.programs import needs


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_an_address_that_others_reach_needs_encryption_and_a_key(host: str, tmp_path: Path) -> None:
    keys = KeyRing(FileDatabase(str(tmp_path)))

    with pytest.raises(SetupError, match="--tls-cert"):
        Address(host).check(keys)
    with pytest.raises(SetupError, match="hardwon key create"):
        Address(host, is_behind_proxy=True).check(keys)
    key, _ = keys.create()
    Address(host, is_behind_proxy=True).check(keys)
    keys.revoke(key.id)
    with pytest.raises(SetupError, match="hardwon key create"):
        Address(host, is_behind_proxy=True).check(keys)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.1.2.3"])
def test_this_machine_needs_neither(host: str, tmp_path: Path) -> None:
    Address(host).check(KeyRing(FileDatabase(str(tmp_path))))


def test_a_certificate_needs_its_key(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="belong together"):
        Address(cert="c.pem").check(KeyRing(FileDatabase(str(tmp_path))))


def test_a_certificate_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pem").write_text("nothing")
    address = Address(cert=str(tmp_path / "pem"), key=str(tmp_path / "pem"))

    with hardwon.open(tmp_path / "home") as hw, pytest.raises(SetupError, match="certificate"):
        Service(hw, address)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        first = Service(hw, Address())
        with pytest.raises(StorageError, match=f"127.0.0.1:{first.port}.*another port"):
            Service(hw, Address(port=first.port))
        first.close()


@contextmanager
def started(home: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """A command that serves: its process, its port, and what follows that in its first line."""
    command = [sys.executable, "-m", "hardwon", *words]
    environ = {**os.environ, "HARDWON_HOME": str(home), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            told = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)(\S*)", told)
            assert found, told
            yield process, int(found[1]), found[2]
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "status"), [(("serve", "--port", "0"), 401), (("open", "--no-browser"), 303)]
)
def test_a_command_serves_until_it_is_told_to_end(
    tmp_path: Path, words: tuple[str, ...], status: int
) -> None:
    with started(tmp_path, *words) as (process, port, link):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", link or "/v1/me")
        assert connection.getresponse().status == status
        process.send_signal(signal.SIGTERM)

        assert process.wait(30) == 0
    connection.close()


def test_the_link_is_shown_in_a_terminal_and_not_in_a_log(tmp_path: Path) -> None:
    with started(tmp_path, "serve", "--port", "0") as (process, _, _):
        process.send_signal(signal.SIGTERM)
        assert process.stdout
        logged = process.stdout.read()
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "hardwon", "serve", "--port", "0", "--home", str(tmp_path)]
    with subprocess.Popen(command, stdout=theirs, stdin=subprocess.DEVNULL) as terminal:
        shown = b""
        while b"code=" not in shown:
            shown += os.read(ours, 1000)
        terminal.kill()
    os.close(ours)
    os.close(theirs)

    assert "code=" not in logged


def test_a_server_that_is_told_to_end_answers_what_it_has_begun(tmp_path: Path) -> None:
    with started(tmp_path, "serve", "--port", "0") as (process, port, _):
        token = (tmp_path / "token").read_text().strip()
        body = b'{"text": "drain before a restart"}'
        head = (
            f"POST /v1/learn HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", port), timeout=30) as late:
            late.sendall(head.encode() + body[:-1])
            with http_get(port, "/healthz"):  # so the first bytes of the other have been read
                process.send_signal(signal.SIGTERM)
            while not is_refused(port):
                pass
            late.sendall(body[-1:])
            answer = late.recv(1000)

        assert answer.startswith(b"HTTP/1.1 201")
        assert process.wait(30) == 0
    with hardwon.open(tmp_path) as hw:
        assert [one.correction for one in hw.agent("default").lessons.list()] == [
            "drain before a restart"
        ]


def test_a_server_that_is_killed_loses_nothing_it_has_acknowledged(tmp_path: Path) -> None:
    with started(tmp_path, "serve", "--port", "0") as (process, port, _):
        token = (tmp_path / "token").read_text().strip()
        acknowledged: queue.Queue[str] = queue.Queue()
        threads = [
            threading.Thread(target=end_runs, args=(port, token, name, acknowledged))
            for name in range(4)
        ]
        for thread in threads:
            thread.start()
        safe = [acknowledged.get(timeout=30) for _ in range(40)]
        process.kill()  # while others are on their way
        for thread in threads:
            thread.join()
    while not acknowledged.empty():
        safe.append(acknowledged.get())

    with hardwon.open(tmp_path) as hw:
        assert set(safe) <= {job.id for job in hw.queue.waiting()}
        assert hw.check() == []


def end_runs(port: int, token: str, name: int, acknowledged: queue.Queue[str]) -> None:
    """End runs until the server is gone."""
    headers = {"Authorization": f"Bearer {token}"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with suppress(OSError, http.client.HTTPException):
        for number in range(1000):
            body = json.dumps({"task": f"{name}-{number}", "error": "boom"})
            connection.request("POST", "/v1/after_run?agent=coder", body, headers)
            answer = json.loads(connection.getresponse().read())
            acknowledged.put(answer["job"]["id"])
    connection.close()


@contextmanager
def http_get(port: int, path: str) -> Iterator[None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    assert connection.getresponse().read()
    yield
    connection.close()


def is_refused(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_server_with_a_certificate_speaks_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, secret = certificate(tmp_path)
    address = Address(cert=str(cert), key=str(secret))
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    with hardwon.open(tmp_path / "home") as hw:
        service = Service(hw, address)
        key = service.access.keys.create(role="admin")[1]
        assert service.url.startswith("https://")
        thread = threading.Thread(target=service.run)
        thread.start()
        try:
            with hardwon.open(service.url, key=key, settings=load(str(tmp_path))) as remote:
                assert remote.agent("coder").learn("encrypt what leaves the machine").id == 1
            browser = http.client.HTTPSConnection("127.0.0.1", service.port, timeout=30)
            browser.request("GET", service.link().removeprefix(service.url))
            cookie = browser.getresponse().headers["Set-Cookie"]
            browser.close()
        finally:
            service.stop()
            thread.join()

    assert "Secure" in cookie


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine that nobody else vouches for."""
    openssl = needs("openssl", package="openssl")
    cert, secret = folder / "cert.pem", folder / "key.pem"
    asked = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    asked += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(cert), "-keyout", str(secret)]
    subprocess.run([openssl, *asked], check=True, capture_output=True)
    return cert, secret
