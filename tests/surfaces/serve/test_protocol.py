"""Clients that never finish asking."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.serve.protocol import PatientProtocol
from tests.surfaces.serve.served import Served, served

HEADS = [b"", b"GET", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(PatientProtocol, "patience", 0.1)
    with served(tmp_path) as running:
        yield running


def connected(server: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.service.port), timeout=30)


def is_closed(client: socket.socket) -> bool:
    try:
        return client.recv(100) == b""
    except ConnectionResetError:
        return True


def answered(client: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"ok\n"):
        answer += client.recv(10_000)
    return answer


@pytest.mark.parametrize("head", HEADS, ids=["silent", "begun", "trickling"])
def test_a_request_that_is_not_ended_is_given_up(server: Served, head: bytes) -> None:
    with connected(server) as client:
        client.sendall(head)

        assert is_closed(client)


def test_the_second_request_of_a_connection_has_to_end_as_well(server: Served) -> None:
    with connected(server) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert answered(client).endswith(b"ok\n")
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost:")

        assert is_closed(client)


def test_a_head_without_end_is_given_up(tmp_path: Path) -> None:
    with served(tmp_path) as server, connected(server) as client:
        with suppress(OSError):  # what is sent to a closed connection is refused
            client.sendall(b"GET /healthz HTTP/1.1\r\n" + b"X: y\r\n" * 2_000_000)

        assert is_closed(client)


def test_slow_clients_hold_up_nobody(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        slow = [connected(server) for _ in range(200)]
        for client in slow:
            client.sendall(HEADS[2])

        answers = [server.ask("GET", "/v1/me", key=server.token).status for _ in range(20)]

        for client in slow:
            client.close()
    assert answers == [200] * 20


def test_the_end_of_an_answer_does_not_wait_for_its_beginning_to_be_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer is sent in two parts; with Nagle's algorithm the second came 40 ms later."""
    found: list[int] = []
    usual = PatientProtocol.connection_made

    def connection_made(self: PatientProtocol, transport: Any) -> None:
        own = transport.get_extra_info("socket")
        found.append(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        usual(self, transport)

    monkeypatch.setattr(PatientProtocol, "connection_made", connection_made)
    with served(tmp_path) as server:
        assert server.ask("GET", "/healthz").status == 200

    assert all(found)
