"""Our own client against real servers: passwords, databases, sockets, TLS, cut connections."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hardwon.core.errors import Unavailable
from hardwon.storage.stores.redis.server import (
    Connection,
    RedisAddress,
    RedisClient,
    Refused,
    address_of,
)
from tests.programs import needs
from tests.proxy import Fault, Proxy
from tests.redis_server import RedisServer, free_port

Started = Callable[..., RedisServer]
VALUES = ["text", "üñí", "", "line\r\nline", "x" * 100_000]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Started]:
    running = []

    def begin(*settings: str) -> RedisServer:
        (tmp_path / "redis").mkdir(exist_ok=True)
        running.append(RedisServer(tmp_path / "redis", *settings))
        return running[-1]

    yield begin
    for server in running:
        server.stop()


def speaks(url: str) -> bool:
    """Whether values come back from there as they went."""
    with closing(RedisClient(url, timeout=60)) as server:
        for place, value in enumerate(VALUES):
            server.run("return redis.call('SET', KEYS[1], ARGV[1])", [f"k{place}"], value)
        found = server.gets(f"k{place}" for place in range(len(VALUES) + 1))
    return found == [*(value.encode() for value in VALUES), None]


def test_any_value_comes_back(start: Started) -> None:
    assert speaks(start().url)


def test_replies_of_every_kind_are_read(start: Started) -> None:
    with closing(RedisClient(start().url, timeout=60)) as server:
        found = server.run("return {1, 'a', {2, {}}, false, redis.status_reply('OK')}", [])

    assert found == [1, b"a", [2, []], None, b"OK"]


def clients(server: RedisServer) -> int:
    """The connections to a server, without that of the question."""
    return len(server.client.client_list()) - 1


def test_a_closed_connection_is_gone_from_the_server(start: Started) -> None:
    server = start()
    connection = Connection(address_of(server.url), timeout=60)
    assert clients(server) == 1

    connection.close()

    assert clients(server) == 0


def test_a_connection_that_is_refused_is_closed(start: Started) -> None:
    server = start()
    wrong = server.url.replace("redis://", "redis://:wrong@")

    with pytest.raises(Refused) as told:
        Connection(address_of(wrong), timeout=60)

    assert told.traceback, "which holds the connection"
    assert clients(server) == 0


def test_no_question_waits_for_the_one_before_on_the_wire(start: Started) -> None:
    with closing(Connection(address_of(start().url), timeout=60)) as connection:
        assert connection._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_late_answer_is_not_taken_for_that_of_the_next_question(start: Started) -> None:
    server = start()
    server.client.mset({"a": "1", "b": "2"})
    faults = [Fault("blackhole", is_answer=True), Fault()]
    proxy = Proxy(server.port, lambda: faults.pop(0))
    with closing(RedisClient(proxy.url, timeout=0.5)) as client:
        with pytest.raises(Unavailable, match="timed out"):
            client.gets(["a"])
        client._timeout = 60

        assert client.gets(["b"]) == [b"2"]
    proxy.close()


def test_a_silent_unix_socket_is_not_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "redis.sock")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(path)
        silent.listen()
        given_up = threading.Timer(20, silent.close)
        given_up.start()

        with pytest.raises(Unavailable, match="timed out"):
            RedisClient(f"unix://{path}", timeout=0.05).gets(["k"])
        given_up.cancel()


def test_another_database_is_another_place(start: Started) -> None:
    server = start()
    other = server.url.removesuffix("/0") + "/3"

    assert speaks(other)
    assert server.client.dbsize() == 0


def test_a_password_is_given(start: Started) -> None:
    server = start()
    server.client.execute_command("ACL", "SETUSER", "ada", "on", ">p%2Fw", "~*", "&*", "+@all")
    host = server.url.removeprefix("redis://")

    assert speaks(f"redis://ada:p%252Fw@{host}")
    with pytest.raises(Unavailable, match="WRONGPASS"):
        RedisClient(f"redis://ada:other@{host}", timeout=60).gets(["k"])


def test_a_unix_socket_will_do(start: Started, tmp_path: Path) -> None:
    path = tmp_path / "redis.sock"
    start("--unixsocket", str(path))

    assert speaks(f"unix://{path}?db=2")


def certified(path: Path, names: str) -> tuple[str, str]:
    """The files of a certificate for these names, and of its key."""
    command = [
        *(needs("openssl", package="openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
        *("-keyout", str(path), "-out", f"{path}.crt", "-subj", "/CN=localhost"),
        *("-addext", f"subjectAltName={names}", "-days", "2"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return f"{path}.crt", str(path)


def encrypted(start: Started, certificate: tuple[str, str], *, asks: str = "no") -> str:
    """The URL of a server with this certificate; whether it asks clients for theirs."""
    port = free_port()
    own, key = certificate
    tls = ("--tls-port", str(port), "--tls-cert-file", own, "--tls-key-file", key)
    start(*tls, "--tls-ca-cert-file", own, "--tls-auth-clients", asks)
    return f"rediss://127.0.0.1:{port}/0"


def test_a_connection_may_be_encrypted(start: Started, tmp_path: Path) -> None:
    own, key = certified(tmp_path / "tls.pem", "DNS:localhost,IP:127.0.0.1")
    url = encrypted(start, (own, key))

    assert speaks(f"{url}?ssl_ca_certs={own}")
    assert speaks(f"{url}?ssl_cert_reqs=none")
    with pytest.raises(Unavailable, match=r"(?i)certificate"):
        RedisClient(url, timeout=60).gets(["k"])


def test_a_certificate_for_another_name_is_refused_unless_that_is_allowed(
    start: Started, tmp_path: Path
) -> None:
    own, key = certified(tmp_path / "tls.pem", "DNS:elsewhere")
    url = f"{encrypted(start, (own, key))}?ssl_ca_certs={own}"

    assert speaks(f"{url}&ssl_check_hostname=false")
    with pytest.raises(Unavailable, match="not valid for"):
        RedisClient(url, timeout=60).gets(["k"])


def test_a_server_that_asks_for_a_certificate_gets_it(start: Started, tmp_path: Path) -> None:
    own, key = certified(tmp_path / "tls.pem", "DNS:localhost,IP:127.0.0.1")
    url = f"{encrypted(start, (own, key), asks='yes')}?ssl_ca_certs={own}"

    assert speaks(f"{url}&ssl_certfile={own}&ssl_keyfile={key}")
    with pytest.raises(Unavailable):
        RedisClient(url, timeout=60).gets(["k"])


def test_a_cut_connection_is_made_again(start: Started) -> None:
    running = start()
    with closing(RedisClient(running.url, timeout=60)) as server:
        server.gets(["k"])
        running.client.client_kill_filter(_type="normal", skipme=True)

        assert server.gets(["k"]) == [None]


def test_a_forked_child_has_a_connection_of_its_own(start: Started) -> None:
    running = start()
    (asked, answer), (held, release) = os.pipe(), os.pipe()
    with closing(RedisClient(running.url, timeout=60)) as server:
        server.gets(["k"])
        if (child := os.fork()) == 0:
            os.write(answer, b"1" if server.gets(["k"]) == [None] else b"0")
            os.read(held, 1)
            os._exit(0)
        is_answered = os.read(asked, 1) == b"1"
        others = len(running.client.client_list()) - 1
        os.write(release, b".")
        os.waitpid(child, 0)

        assert is_answered
        assert others == 2
        assert server.gets(["k"]) == [None]


def test_an_error_of_the_server_is_told_and_the_next_question_answered(start: Started) -> None:
    running = start()
    running.client.lpush("list", "x")
    with closing(RedisClient(running.url, timeout=60)) as server:
        with pytest.raises(Unavailable, match="WRONGTYPE"):
            server.gets(["k", "list", "k"])

        assert server.gets(["k"]) == [None]


def test_every_key_that_matches_is_removed_and_no_other(start: Started) -> None:
    client = start().client
    client.mset({f"a:{number}": "x" for number in range(3000)} | {"b:1": "y"})
    with closing(
        RedisClient(f"redis://127.0.0.1:{client.get_connection_kwargs()['port']}", timeout=60)
    ) as s:
        s.remove(["a:*"])

    assert client.keys() == ["b:1"]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://", RedisAddress("localhost")),
        ("redis://:p@h:1/2", RedisAddress("h", 1, password="p", db=2)),
        ("redis://u:p%40@h", RedisAddress("h", user="u", password="p@")),
        ("unix:///a/b.sock?db=4", RedisAddress("localhost", path="/a/b.sock", db=4)),
        ("rediss://h", RedisAddress("h", tls=())),
    ],
)
def test_addresses_are_read(url: str, address: RedisAddress) -> None:
    assert address_of(url) == address


@pytest.mark.parametrize(
    "url", ["localhost:6379", "http://h", "redis://h:x/0", "redis://h/x", "redis://h?colour=red"]
)
def test_a_senseless_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError):
        address_of(url)


def test_the_texts_under_a_pattern_are_read_and_nothing_else(start: Started) -> None:
    server = start()
    set_, push = (
        "return redis.call('SET', KEYS[1], ARGV[1])",
        "return redis.call('LPUSH', KEYS[1], 1)",
    )
    with closing(RedisClient(server.url, timeout=60)) as client:
        assert client.texts("note:*") == {}

        for key, value in (("note:1", "ü"), ("note:2", "b"), ("other", "c")):
            client.run(set_, [key], value)
        client.run(push, ["note:list"])

        assert client.texts("note:*") == {"note:1": "ü", "note:2": "b"}
