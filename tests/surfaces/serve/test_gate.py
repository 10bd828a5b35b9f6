"""Who comes in, from where, and how much one may ask."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from hardwon.storage.service import MOST
from hardwon.surfaces.serve.access import cookie_name, path_of
from hardwon.surfaces.serve.limits import Limits
from tests.surfaces.serve.served import FORM, Served, served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


def csrf_of(server: Served, browser: dict[str, str]) -> str:
    page = server.ask("GET", "/", headers=browser)
    found = re.search(r'name="csrf" value="([^"]+)"', page.body.decode())
    assert found, page
    return found[1]


def test_whoever_asks_hears_that_it_lives(server: Served) -> None:
    assert server.ask("GET", "/healthz").status == 200


def test_nobody_reads_without_a_key(server: Served) -> None:
    for path in ("/v1/lessons", "/v1/nothing", "/metrics"):
        answer = server.ask("GET", path)
        assert (answer.status, answer.headers["content-type"]) == (401, "application/problem+json")
        assert "hardwon key create" in answer.json["detail"]


def test_the_token_of_the_home_opens_everything(server: Served) -> None:
    assert server.ask("GET", "/", key=server.token).status == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bearer  "])
def test_the_scheme_of_a_token_is_known_in_any_case(server: Served, scheme: str) -> None:
    for shown in (server.token, server.key()):
        headers = {"Authorization": f"{scheme} {shown}"}
        assert server.ask("GET", "/v1/me", headers=headers).status == 200


@pytest.mark.parametrize("shown", ["", "hw", "hw_x_y", "hw__", "Bearer", "é", "hw_" + "0" * 12])
def test_another_text_is_no_key(server: Served, shown: str) -> None:
    answer = server.ask(
        "GET", "/", headers={"Authorization": f"Bearer {shown}".encode().decode("latin-1")}
    )

    assert answer.status == 401


def test_a_key_opens_until_it_is_revoked(server: Served) -> None:
    key, text = server.keys.create(role="viewer")
    assert server.ask("GET", "/", key=text).status == 200

    server.keys.revoke(key.id)

    assert server.ask("GET", "/", key=text).status == 401


def test_a_key_with_another_secret_opens_nothing(server: Served) -> None:
    text = server.key()

    assert server.ask("GET", "/", key=text[:-1] + ("a" if text[-1] != "a" else "b")).status == 401


def test_a_key_that_expired_opens_nothing(server: Served) -> None:
    assert server.ask("GET", "/", key=server.key(lasts=timedelta(0))).status == 401


def test_an_agents_key_does_not_open_the_pages(server: Served) -> None:
    answer = server.ask("GET", "/", key=server.key("agent"))

    assert answer.status == 403
    assert b"may not read everything" in answer.body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_a_name_that_was_bound_to_our_address_is_refused(server: Served, host: str) -> None:
    answer = server.ask("GET", "/healthz", key=server.token, headers={"Host": host})

    assert answer.status == 421


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_origin_is_refused(server: Served, origin: str) -> None:
    answer = server.ask("GET", "/", headers={"Origin": origin, **server.log_in()})

    assert answer.status == 403


def test_every_answer_has_the_strict_headers(server: Served) -> None:
    for path in ("/healthz", "/", "/login", "/v1/nothing"):
        headers = server.ask("GET", path).headers
        assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers


def test_a_browser_without_login_is_sent_to_it_and_back(server: Served) -> None:
    answer = server.ask("GET", "/lessons?q=go")
    assert (answer.status, answer.headers["location"]) == (303, "/login?next=/lessons%3Fq%3Dgo")

    form = {"Origin": server.service.url, "Content-Type": FORM}
    body = f"key={server.token}".encode()
    answer = server.ask("POST", answer.headers["location"], body, headers=form)

    assert answer.status == 303
    assert re.fullmatch(r"/~[0-9a-f]{32}/lessons\?q=go", answer.headers["location"])


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_a_login_leads_to_no_other_server(server: Served, target: str) -> None:
    body, headers = f"key={server.token}".encode(), {"Content-Type": FORM}

    answer = server.ask("POST", f"/login?next={target}", body, headers=headers)

    assert answer.status == 303
    assert re.fullmatch(r"/~[0-9a-f]{32}/", answer.headers["location"])


def test_a_link_logs_in_once(server: Served) -> None:
    link = server.service.link().removeprefix(server.service.url)

    first, second = server.ask("GET", link), server.ask("GET", link)

    assert first.status == 303
    assert (
        f"HttpOnly; Path={first.headers['location']}; SameSite=strict"
        in (first.headers["set-cookie"])
    )
    assert (second.status, "set-cookie" in second.headers) == (200, False)


@pytest.mark.parametrize(
    ("host", "name"),
    [("localhost:8000", "hardwon-8000"), ("localhost", "hardwon"), ("[::1]:81", "hardwon-81")],
)
def test_servers_on_two_ports_of_a_host_have_two_cookies(host: str, name: str) -> None:
    assert cookie_name(Headers({"host": host})) == name


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "localhost", "notes.localhost", "a.b.localhost"]
)
def test_a_cookie_of_a_name_of_this_machine_is_for_a_secret_path(host: str) -> None:
    assert path_of("cookie", Headers({"host": f"{host}:4180"})).startswith("/~")
    assert path_of("cookie", Headers({"host": "team.example.com:4180"})) == ""


def test_a_form_must_show_the_token_of_its_session(server: Served) -> None:
    browser = server.log_in()
    token = csrf_of(server, browser)
    form = {**browser, "Content-Type": FORM, "Origin": server.service.url}

    assert server.ask("POST", "/logout", b"", headers=form).status == 403
    assert server.ask("POST", "/logout", b"csrf=wrong", headers=form).status == 403
    assert server.ask("GET", "/", headers=browser).status == 200
    assert server.ask("POST", "/logout", f"csrf={token}".encode(), headers=form).status == 303
    assert server.ask("GET", "/", headers=browser).status == 303


def test_a_script_may_show_the_token_in_a_header(server: Served) -> None:
    browser = server.log_in()
    shown = {**browser, "X-CSRF-Token": csrf_of(server, browser)}

    assert server.ask("POST", "/logout", b"", headers=shown).status == 303


def test_a_session_ends_with_its_key(server: Served) -> None:
    key, text = server.keys.create(role="viewer")
    browser = server.log_in(text)
    assert server.ask("GET", "/", headers=browser).status == 200

    server.keys.revoke(key.id)

    assert server.ask("GET", "/", headers=browser).status == 303


def test_a_large_body_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(body=1000)) as server:
        told = server.ask("POST", "/v1/learn", b"x" * 1001, key=server.token)
        chunks = {"Transfer-Encoding": "chunked", "Authorization": f"Bearer {server.token}"}
        untold = server.ask("POST", "/v1/learn", b"7d0\r\n" + b"x" * 2000, headers=chunks)

        ended = server.ask(
            "POST", "/v1/learn", b"7d0\r\n" + b"x" * 2000 + b"\r\n0\r\n\r\n", headers=chunks
        )
        with socket.create_connection(("127.0.0.1", server.service.port)) as unsent:
            unsent.sendall(_head(server, 1001))
            assert unsent.recv(100).startswith(b"HTTP/1.1 413")

    assert (told.status, untold.status, ended.status) == (413, 413, 413)
    assert "1,000 bytes" in told.json["detail"]


def _head(server: Served, length: int) -> bytes:
    lines = [
        "POST /v1/learn?agent=coder HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {server.token}",
        "Content-Type: application/json",
        f"Content-Length: {length}",
    ]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def test_a_body_that_breaks_off_is_not_taken_for_a_whole_one(server: Served) -> None:
    texts = "mend the red cluster first", "never touch the blue one"
    half, whole = (json.dumps({"text": text}).encode() for text in texts)
    with socket.create_connection(("127.0.0.1", server.service.port)) as broken:
        broken.sendall(_head(server, len(half) + 1) + half)

    with socket.create_connection(("127.0.0.1", server.service.port)) as other:
        other.sendall(_head(server, len(whole)) + whole)
        assert other.recv(100).startswith(b"HTTP/1.1 20")

    assert [one.correction for one in server.hw.agent("coder").lessons.list()] == [texts[1]]


def test_somebody_unknown_may_send_a_key_and_no_more(server: Served) -> None:
    form = {"Content-Type": FORM, "Origin": server.service.url}

    assert server.ask("POST", "/login", b"key=" + b"x" * 4096, headers=form).status == 413
    assert server.ask("POST", "/login", b"key=x", headers=form).status == 403


def test_a_body_that_does_not_arrive_is_not_waited_for(tmp_path: Path) -> None:
    with (
        served(tmp_path, limits=Limits(arrival=0.05)) as server,
        socket.create_connection(("127.0.0.1", server.service.port)) as slow,
    ):
        head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 9"
        slow.sendall(f"POST /v1/learn HTTP/1.1\r\n{head}\r\n\r\nhalf".encode())
        assert slow.recv(100).startswith(b"HTTP/1.1 408")


def test_a_key_that_asks_too_much_has_to_wait(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(rate=0.001)) as server:  # a bucket too small for one token
        answer = server.ask("GET", "/", key=server.key())
        owner = server.ask("GET", "/healthz")

    assert (answer.status, answer.headers["retry-after"]) == (429, "999")
    assert owner.status == 200


def test_whoever_tries_to_log_in_too_often_has_to_wait(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(logins=0.001)) as server:
        form = {"Origin": server.service.url, "Content-Type": FORM}
        link = server.service.link().removeprefix(server.service.url)

        by_key = server.ask("POST", "/login", f"key={server.token}".encode(), headers=form)
        by_link = server.ask("GET", link)

        assert (by_key.status, by_key.headers["retry-after"]) == (429, "999")
        assert by_link.status == 429
        assert server.ask("GET", "/login").status == 200
        assert server.ask("GET", "/v1/me", key=server.token).status == 200


def test_logins_with_the_key_of_one_tenant_log_nobody_else_out(server: Served) -> None:
    owner, other = server.log_in(), server.log_in(server.key("viewer"))
    text = server.key("viewer", tenant="other")

    many = [server.log_in(text) for _ in range(MOST + 5)]

    assert server.ask("GET", "/", headers=owner).status == 200
    assert server.ask("GET", "/", headers=other).status == 200
    statuses = [server.ask("GET", "/", headers=one).status for one in many]
    assert statuses.count(200) == MOST


def test_a_login_outlives_the_server_and_ends_with_its_time(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        port, link = server.service.port, server.service.link().removeprefix(server.service.url)
        told = server.ask("GET", link).headers
        browser, path = {"Cookie": told["set-cookie"].split(";")[0]}, told["location"]
    with served(tmp_path, port=port) as again:
        assert again.ask("GET", path, headers=browser).status == 200
        again.service.access.database("UPDATE service.logins SET begun_at = 0, until = 1")
        assert again.ask("GET", path, headers=browser).status == 303


def test_a_form_with_too_many_fields_is_refused(server: Served) -> None:
    browser = server.log_in()
    shown = {**browser, "Content-Type": FORM, "X-CSRF-Token": csrf_of(server, browser)}

    body = b"&".join(b"lesson=1" for _ in range(1001))

    assert server.ask("POST", "/failures/merge/chosen", body, headers=shown).status == 413


def test_the_body_of_a_request_without_rights_is_not_read(server: Served) -> None:
    for path, key in (("/v1/lessons/import", "agent"), ("/keys", "curator"), ("/nowhere", "admin")):
        head = [
            f"POST {path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {server.key(key)}",
            "Content-Length: 1000000",
        ]
        with socket.create_connection(("127.0.0.1", server.service.port), timeout=60) as client:
            client.sendall("".join(f"{line}\r\n" for line in [*head, ""]).encode())
            assert client.recv(100).startswith((b"HTTP/1.1 403", b"HTTP/1.1 404"))


def test_the_last_use_of_a_key_is_recorded(server: Served) -> None:
    text = server.key("viewer")

    assert server.ask("GET", "/v1/me", key=text).status == 200

    while server.keys.list()[0].used_at is None:  # it is recorded beside the answer
        pass
