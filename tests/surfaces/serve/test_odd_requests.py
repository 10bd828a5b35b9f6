"""Whatever a client sends, the server does not fail, and others are answered as before."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from hardwon import Scope
from hardwon.core.values.job import new_job
from hardwon.core.values.run import Episode, Trigger
from hardwon.storage.queues.records import encode
from hardwon.surfaces.serve import pages
from tests.postgres_server import PostgresServer
from tests.samples import NOW
from tests.surfaces.serve.description import OPERATIONS, WAKE, Operation
from tests.surfaces.serve.seeded import Seeds, seed
from tests.surfaces.serve.served import Served, served


class World(NamedTuple):
    server: Served
    seeds: Seeds
    browser: dict[str, str]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    home = tmp_path_factory.mktemp("odd")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARDWON_HOME", str(home))
        patch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a slow machine decides no test
        place: Path | str = home
        if request.param == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres")
            database = server.database()
            place = database.url
        seeds = seed(place)
        with served(place) as running:
            yield World(running, seeds, running.log_in())
        if request.param == "postgres":
            server.give_back(database)


def cursor(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


CURSORS = [
    *("!", "é", "A" * 30_000, cursor("[" * 30_000), cursor(f"[1,{'[' * 20_000}")),
    *(cursor(f'[{number},"x"]') for number in ("1e999", "NaN", "-Infinity", "1e308", "9" * 400)),
    *(cursor(f"[1,{name}]") for name in (r'"\u0000"', r'"\ud800"', "null", '"%s"' % ("9" * 400))),
    *(cursor(text) for text in ("{}", '"ab"', '[1,"x",2]', '["nan","x"]', "[true,[]]")),
]
ODD: list[str | bytes] = [
    *("\0", "9" * 400, "-1", "1e999", "nan", "٣", "x" * 20_000, "%", "\n", "[[" * 1000, "\u202e"),
    *("'; DROP TABLE lessons; --", "1" * 30 + "d", "99999999999d", "1e400d", "-5d"),
    *("nan~1", "1e999~1", "1~\0", "1~x", f"1~{'9' * 400}"),
    *(b"\xff\xfe", b"\xed\xa0\x80"),
]


@pytest.mark.parametrize("one", [one for one in OPERATIONS if one.path != WAKE], ids=str)
def test_no_operation_fails_on_an_odd_parameter(one: Operation, world: World) -> None:
    headers = {"Content-Type": one.media} if one.media else {}
    for name in one.parameters:
        values: list[str | bytes] = [*CURSORS] if name == "cursor" else ODD
        for value in values:
            for more in ({}, {"view": "all"}) if "view" in one.parameters else ({},):
                url = one.url(world.seeds, **{**more, name: "@@@"})
                asked = url.replace(quote("@@@"), quote(value, safe=""))
                answer = world.server.ask(
                    one.method, asked, one.body(), key=world.server.token, headers=headers
                )
                assert answer.status < 500, (name, value, answer)


VALUES: list[Any] = [
    None,
    True,
    10**29,
    1e308,
    -1,
    "",
    "\0x",
    "\ud800",
    [],
    {},
    [[]],
    ["\0"],
    "9" * 40 + "d",
]


@pytest.mark.parametrize("one", [one for one in OPERATIONS if one.media.endswith("json")], ids=str)
def test_no_operation_fails_on_an_odd_field(one: Operation, world: World) -> None:
    example = json.loads(one.body() or b"{}")
    for name in example:
        for value in VALUES:
            body = json.dumps({**example, name: value}).encode()
            answer = world.server.ask(
                one.method, one.url(world.seeds), body, key=world.server.token
            )
            assert answer.status < 500, (name, value, answer)


@pytest.mark.parametrize("path", [one.path for one in pages.routes() if one.path != "/events"])
def test_no_page_fails_on_an_odd_address(path: str, world: World) -> None:
    for value in ODD:
        odd = quote(value, safe="")
        for name in ("after", "agent", "text", "status", "at", "call"):
            url = f"{re.sub(r'{.*?}', '1', path)}?{name}={odd}"
            assert world.server.ask("GET", url, headers=world.browser).status < 500, url
        url = re.sub(r"{.*?}", odd, path)
        assert world.server.ask("GET", url, headers=world.browser).status < 500, url


HEADERS = [
    *({"Origin": text} for text in ("http://[", "http://[::1", "", "null")),
    *({"Host": text} for text in ("[", "[:", ":", "")),
    *({"Authorization": text} for text in ("", "Bearer", "Bearer \xe9", "\xe9")),
    *({"Idempotency-Key": text} for text in ("\xe9" * 150, "x" * 300)),
    {"Content-Length": "9" * 30},
    {"Content-Type": "\xff"},
    {"Cookie": "\xff=\xff; hardwon=\xe9"},
]


@pytest.mark.parametrize("headers", HEADERS, ids=str)
def test_no_request_fails_on_an_odd_header(headers: dict[str, str], world: World) -> None:
    for method, path in (("GET", "/"), ("POST", "/v1/learn"), ("POST", "/login")):
        token = {"Authorization": f"Bearer {world.server.token}"} if "v1" in path else {}
        sent = {name: value.encode("latin-1") for name, value in {**token, **headers}.items()}
        body = b"" if method == "POST" else None
        answer = world.server.ask(method, path, body, headers=sent)  # type: ignore[arg-type]
        assert answer.status < 500, (method, path, answer)


def test_one_odd_report_does_not_stop_all_others(world: World) -> None:
    """On PostgreSQL such a record could never be stored, and every later one waited for it."""
    agent = world.server.key("agent")
    body = {"outcome": "help\0ed"}

    answer = world.server.ask("POST", "/v1/deliveries/a%00b/outcome", body, key=agent)

    assert answer.status == 204
    for path in ("/v1/report", "/v1/deliveries", "/v1/lessons"):
        assert world.server.ask("GET", path, key=world.server.token).status == 200


def test_the_name_of_a_repeated_request_is_not_stored(world: World) -> None:
    name = {"Idempotency-Key": "order-4711-of-jane"}

    answers = [
        world.server.ask(
            "POST", "/v1/learn", {"text": "order twice"}, key=world.server.token, headers=name
        )
        for _ in range(2)
    ]

    assert answers[0].body == answers[1].body
    rows = world.server.service.access.database("SELECT * FROM service.replies")
    assert rows
    assert not any("4711" in str(row) for row in rows)


STEP = ["bash", "mkdir out", "no such folder", True, ["a" * 16, "b" * 16, "no folder", "no folder"]]
JOB = base64.b64encode(
    encode(new_job(Episode(Scope("default", "coder"), "t", error="e"), Trigger.ERROR, NOW))
).decode()
RECORDS: dict[str, list[Any]] = {  # of each kind, what another machine sends
    "delivery": ["d1", "default", "coder", None, "turn", "q", "[1]", "[0.5]", 3, 9, 1.7e9, ""],
    "outcome": ["default", "coder", None, "d1", "worked"],
    "settled": ["default", "coder", None, "d1", "worked"],
    "failure": [["default", "coder", None], "sig", "text", 1.7e9],
    "unit": [
        *(["default", "coder", None], "r", "f", "turn", False, 0.1, 1.7e9),
        *(1, "w", 0, 0.0),
    ],
    "unit excluded": [["default", "coder", None], ["f"], 1.7e9],
    "unit settled": [["default", "coder", None], "r", "f", "repeated"],
    "ended run": [
        *(["default", "coder", None], "id", "name", "task", 1.7e9, 1.7e9, "worked", 1, 0, 0),
        *('["k"]', '[["bash","ls","",false,null]]', '[["d","turn",["k"],1,[1],"t"]]', "", "", ""),
    ],
    "step": [["default", "coder", None], STEP, ["t", [STEP], [1], ["c"], "", 0, []], [1]],
    "run": [["default", "coder", None], f"{'a' * 32}-1", ['[1]', '{"ended": 1.7e9, "of": [1]}']],
    "job": [["default", "coder", None], JOB],
    "session": [
        ["default", "coder", None],
        ["codex", "s1", 1.7e9, "a" * 32, 0.0, True],
        [["2026-01-01T00:00:00+00:00", "d1", "bash", "ls", "a.txt", False]],
    ],
}  # fmt: skip
NOTED: list[Any] = [*VALUES, 1e999, 2**63, -(2**63) - 1, "x", [1], {"a": 1}, "[[", '[["x"]]', "{}"]


def odd_records(kind: str) -> Iterator[list[Any]]:
    """Records of a kind with one value, or one inside of it, replaced or left out."""
    values = RECORDS[kind]
    for at, value in enumerate(values, 1):
        yield [kind, *values[: at - 1]]
        for place in (None, *range(len(value) if isinstance(value, list) else 0)):
            for odd in NOTED:
                record = json.loads(json.dumps([kind, *values]))
                inside, number = (record, at) if place is None else (record[at], place)
                inside[number] = odd
                yield record


@pytest.mark.parametrize("kind", RECORDS)
def test_no_odd_note_of_another_machine_fails(kind: str, world: World) -> None:
    for number, record in enumerate(odd_records(kind)):
        body = {"batch": f"{kind} {number}", "records": [record]}
        answer = world.server.ask("POST", "/v1/sync", body, key=world.server.token)
        assert answer.status < 500, (record, answer)

    world.server.hw.drain()
    for path in ("report", "deliveries", "lessons", "runs", "failures"):
        assert world.server.ask("GET", f"/v1/{path}", key=world.server.token).status == 200, path
    for path in ("/", "/runs", "/runs?list=shown", "/failures", "/lessons", "/review", "/queue"):
        assert world.server.ask("GET", path, headers=world.browser).status == 200, path


@pytest.mark.parametrize("kind", RECORDS)
def test_a_sound_note_of_another_machine_is_taken(kind: str, world: World) -> None:
    body = {"batch": f"sound {kind}", "records": [[kind, *RECORDS[kind]]]}

    answer = world.server.ask("POST", "/v1/sync", body, key=world.server.token)

    assert answer.json == {"taken": 1, "refused": 0}
