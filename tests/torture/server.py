"""S11, S15, S16, S22: hostile bodies, foreign hosts and origins, no rights, lines in the log."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import io
import os
import random
import re
import string
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote

from starlette.routing import Route

from hardwon.surfaces.serve import pages
from tests.surfaces.serve.description import OPERATIONS, WAKE
from tests.surfaces.serve.seeded import Seeds, seed
from tests.surfaces.serve.served import Answer, Served, served

# A body of 20 MB is allowed at two operations, and costs four times its size, in two threads.
_MEGABYTES = 200
_OPEN = ("/login", "/static")
_LEFT_OUT = (WAKE, "/healthz", "/readyz")  # starts a process; tell everybody that it lives
_LOGGED = 10  # seconds for the last line
_SERIES = 300  # lines of /metrics, however many names there are
_LINE = r"[0-9T:.+-]+ 127\.0\.0\.1 \S+ [A-Z]+ \S+ \d{3} [0-9.]+"
_ALLOWS = "access-control-allow-origin"
_HOSTS = ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1].evil", "")
_ORIGINS = ("https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:1", "file://")


def s11(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` bodies that are no JSON, too deep, too long or packed too well: none fails the server."""
    takers = [one for one in OPERATIONS if one.media]
    bad, bodies = 0, list(_bodies(chance))
    with _server(folder) as (server, seeds):
        server.ask("POST", "/v1/start", {"agent": "coder"}, key=server.token)
        before = _megabytes()
        for one, body in islice(_pairs(takers, bodies), n):
            packed = {"Content-Encoding": "gzip"} if body[:2] == b"\x1f\x8b" else {}
            headers = {**_bearer(server.token), "Content-Type": one.media, **packed}
            answer = _ask(server, one.method, one.url(seeds), body, headers)
            bad += answer is None or answer.status >= 500
        bad += server.ask("GET", "/healthz").status != 200
        grown = _megabytes() - before
        print(f"{grown} MB more", file=sys.stderr)
        return n, bad + (grown > _MEGABYTES)


def _pairs(takers: list, bodies: list[bytes]) -> Iterator[tuple]:
    return ((taker, body) for body in cycle(bodies) for taker in takers)


def _bodies(chance: random.Random) -> Iterator[bytes]:
    """What few operations take: a pack may be any text."""
    yield from (opening * 400_000 for opening in (b"[", b'{"a":', b'{"agent":['))
    yield from (b'{"agent":' + number + b"}" for number in (b"9" * 10_000, b"1e99999", b"-"))
    yield from (b'{"agent": NaN}', b'{"agent": Infinity}', b"{'agent': 1}", b'{"agent": 1,}')
    yield from (b"\xff\xfe{\0}\0", b"\xef\xbb\xbf[]", b'"\\ud800"', b"", b"null", b"[]", b"1")
    yield gzip.compress(bytes(1 << 28))
    yield gzip.compress(b"[" * 1_000_000)
    yield b"\x1f\x8b broken"
    yield b'{"agent": "' + b"x" * 20_000_000 + b'"}'
    for _ in range(40):
        yield bytes(
            chance.choices(b'{}[]":,0123456789.eE+-tfn\\u \n\0\xff', k=chance.randrange(99))
        )


def s15(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` requests with a foreign host or origin, and a good key: each is refused."""
    bad = 0
    with _server(folder) as (server, seeds):
        browser = server.log_in()
        foreign = [{"Host": one} for one in _HOSTS] + [{"Origin": one} for one in _ORIGINS]
        for (method, path), headers in islice(_crossed(_addresses(seeds), foreign), n):
            is_api = path.startswith("/v1/")
            own = _bearer(server.token) if is_api else browser
            answer = _ask(server, method, path, b"", {**own, **headers})
            is_refused = answer is not None and answer.status in (400, 403, 421)
            bad += not is_refused or _ALLOWS in (answer.headers if answer else ())
    return n, bad


def s16(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` requests with no key, a wrong, a revoked, an expired or a weak one: each is refused."""
    bad = 0
    with _server(folder) as (server, seeds):
        revoked = server.key("admin")
        for key in server.keys.list():
            if revoked.startswith(f"hw_{key.id}"):
                server.keys.revoke(key.id)
        wrong = [None, "", "hw", "hw_x_y", revoked, server.token[:-1], server.token + "0", "é"]
        for (method, path), key in islice(_crossed(_addresses(seeds), wrong), n):
            headers = {} if key is None else _bearer(key)
            answer = _ask(server, method, path, b"", headers)
            is_sent_away = answer is not None and (
                answer.status in (400, 401, 403, 405)
                or (answer.status == 303 and "/login" in answer.headers["location"])
            )
            bad += not is_sent_away
    return n, bad


def _addresses(seeds: Seeds) -> list[tuple[str, str]]:
    """Method and path of every operation and every page."""
    found = [(one.method, one.url(seeds)) for one in OPERATIONS if one.path not in _LEFT_OUT]
    for route in pages.routes():
        assert isinstance(route, Route)
        for method in route.methods or ():
            path = re.sub(r"\{[^}]*\}", str(seeds.lesson), route.path)
            if not path.startswith(_OPEN) and method != "HEAD":
                found.append((method, path))
    return found


def _crossed(addresses: list, ways: list) -> Iterator[tuple]:
    return cycle((address, way) for address in addresses for way in ways)


def s22(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` requests with odd methods, paths and names: a line each in the log, few series."""
    log, answers = io.StringIO(), 0
    with _server(folder, access_log="text") as (server, _):
        with contextlib.redirect_stderr(log):
            for _ in range(n):
                method = chance.choice(("GET", "POST", "PUT", _word(chance), _word(chance)))
                headers = {**_bearer(server.token), "X-Agent": _word(chance)}
                path = chance.choice(("/v1/lessons/", "/lessons/", "/runs/", "/v1/", "/"))
                path += quote(f"{_word(chance)}\n\r\x1b[2J\u2028{_word(chance)}", safe="")
                answer = _ask(server, method, path, b"", headers)
                answers += answer is not None and answer.body != b"this is not HTTP"
            until = time.monotonic() + _LOGGED  # a line follows its answer
            while log.getvalue().count("\n") < answers and time.monotonic() < until:
                time.sleep(0.01)
        page = server.ask("GET", "/metrics", key=server.token).body.decode()
    lines = log.getvalue().split("\n")[:-1]
    forged = [one for one in lines if not re.fullmatch(_LINE, one)]
    return n, abs(len(lines) - answers) + len(forged) + max(0, len(page.splitlines()) - _SERIES)


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(string.ascii_uppercase, k=8))


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _ask(server: Served, method: str, path: str, body: bytes, headers: dict) -> Answer | None:
    """The answer; None if the server breaks off."""
    try:
        return server.ask(method, path, body or None, headers=headers)
    except (http.client.HTTPException, OSError, UnicodeError, ValueError):
        return None


@contextlib.contextmanager
def _server(folder: Path, *, access_log: str = "") -> Iterator[tuple[Served, Seeds]]:
    home = folder / "home"
    os.environ["HARDWON_HOME"] = str(home)
    seeds = seed(home)
    with served(home, access_log=access_log) as server:
        yield server, seeds


def _megabytes() -> int:
    pages_used = int(Path("/proc/self/statm").read_text().split()[1])
    return pages_used * os.sysconf("SC_PAGE_SIZE") >> 20
