"""Clients that never finish asking."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.serve.server import PatientProtocol
from tests.surfaces.serve.processes import serving
from tests.surfaces.serve.served import PATIENT, Served, served

PING = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HEADS = [b"", b"GET", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, limits=PATIENT._replace(arrival=0.1)) as running:
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


def received(client: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    answer = b""
    with suppress(ConnectionResetError):
        while piece := client.recv(10_000):
            answer += piece
    return answer


def fields(count: int) -> bytes:
    return b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * (count - 1) + b"\r\n"


def test_a_head_may_have_a_hundred_fields(tmp_path: Path) -> None:
    with served(tmp_path) as server, connected(server) as client:
        client.sendall(fields(100))

        assert answered(client).startswith(b"HTTP/1.1 200")


LARGE = b"x" * (65 << 10)
TOO_LARGE = {
    "fields": fields(101),
    "a field": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + LARGE + b"\r\n\r\n",
    "a field without end": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + LARGE,
    "a name without end": b"GET / HTTP/1.1\r\n" + LARGE,
    "an address": b"GET /" + LARGE + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a head that goes on": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200_000,
}


@pytest.mark.parametrize("head", TOO_LARGE.values(), ids=list(TOO_LARGE))
def test_a_head_that_is_too_large_is_refused(tmp_path: Path, head: bytes) -> None:
    with served(tmp_path) as server, connected(server) as client:
        with suppress(OSError):  # what is sent to a closed connection is refused
            client.sendall(head)

        assert received(client).startswith(b"HTTP/1.1 431")


def test_the_second_head_of_a_connection_has_the_same_limits(tmp_path: Path) -> None:
    with served(tmp_path) as server, connected(server) as client:
        client.sendall(fields(90))
        assert answered(client).startswith(b"HTTP/1.1 200")
        client.sendall(fields(90))
        assert answered(client).startswith(b"HTTP/1.1 200")
        client.sendall(fields(101))

        assert received(client).startswith(b"HTTP/1.1 431")


def test_the_fields_behind_a_body_count_as_well(tmp_path: Path) -> None:
    with served(tmp_path) as server, connected(server) as client:
        head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n"
        begin = (
            f"POST /v1/learn HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n"
        )
        with suppress(OSError):
            client.sendall(begin.encode() + b"X: y\r\n" * 500)

        assert received(client).startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))


def test_a_head_with_a_large_body_behind_it_is_no_large_head(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        body = {"text": "call `make clean` before a release", "situation": "x" * 700_000}

        answer = server.ask("POST", "/v1/learn", body, key=server.token)

        assert answer.status in {201, 400}


def test_more_clients_than_allowed_are_told_so(tmp_path: Path) -> None:
    with served(tmp_path, limits=PATIENT._replace(connections=3)) as server:
        held = [connected(server) for _ in range(3)]
        for client in held:
            client.sendall(fields(3))
            assert answered(client)
        with connected(server) as fourth:
            assert received(fourth).startswith(b"HTTP/1.1 503")
        held.pop().close()
        while server_is_full(server):
            pass
        for client in held:
            client.close()


def server_is_full(server: Served) -> bool:
    with connected(server) as client:
        client.sendall(fields(3))
        return client.recv(100).startswith(b"HTTP/1.1 503")


def test_a_body_that_drips_ends_with_408_and_the_connection(server: Served) -> None:
    head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 1000"
    with connected(server) as client:
        client.sendall(f"POST /v1/learn HTTP/1.1\r\n{head}\r\n\r\nhalf".encode())

        answer = received(client)

    assert answer.startswith(b"HTTP/1.1 408")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    ("method", "status"), [("POST", b"401"), ("GET", b"401"), ("DELETE", b"401")]
)
def test_a_connection_ends_with_an_answer_that_did_not_wait_for_the_body(
    tmp_path: Path, method: str, status: bytes
) -> None:
    head = "Host: 127.0.0.1\r\nContent-Length: 1000"
    with served(tmp_path) as server:
        clients = [connected(server) for _ in range(20)]
        for client in clients:
            client.sendall(f"{method} /v1/lessons HTTP/1.1\r\n{head}\r\n\r\nhalf".encode())

        answers = [received(client) for client in clients]

        for client in clients:
            client.close()
    assert all(answer.startswith(b"HTTP/1.1 " + status) for answer in answers)


def test_a_refused_request_whose_body_follows_leaves_the_connection_usable(
    tmp_path: Path,
) -> None:
    with served(tmp_path) as server:
        client = connected(server)
        for _ in range(5):
            head = "POST /v1/lessons HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4"
            client.sendall(f"{head}\r\n\r\n".encode())
            answer = b""
            while b"\r\n\r\n{" not in answer:
                more = client.recv(1 << 16)
                assert more, "closed without an answer"
                answer += more
            client.sendall(b"half")
            assert answer.startswith(b"HTTP/1.1 401"), answer
        client.close()


def test_a_few_requests_may_be_sent_at_once(tmp_path: Path) -> None:
    with served(tmp_path) as server, connected(server) as client:
        client.sendall(PING * 8)

        answers = b""
        while answers.count(b"ok\n") < 8:
            answers += client.recv(10_000)


def test_a_client_that_sends_very_many_requests_at_once_is_left(tmp_path: Path) -> None:
    """They were all taken in: eighty clients with 20,000 each took 600 MB."""
    with served(tmp_path) as server, connected(server) as client:
        answers = b""
        with suppress(ConnectionError):
            client.sendall(PING * 2_000)
            while part := client.recv(100_000):
                answers += part

        assert server.ask("GET", "/healthz").status == 200
    assert answers.count(b"ok\n") < 100


def test_sixty_clients_with_a_megabyte_of_fields_cost_little(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.ask("nothing")
        before = server.most_memory()

        clients = [
            socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(60)
        ]
        for client in clients:
            with suppress(OSError):
                client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"a:\r\n" * (1 << 18))
        answers = [received(client) for client in clients]
        for client in clients:
            client.close()

        assert server.ask("nothing")[0] == 401
        assert server.most_memory() - before < 50 << 20
    assert all(answer == b"" or answer.startswith(b"HTTP/1.1 431") for answer in answers)
