"""OTLP over HTTP: what an exporter sends is durable when the server answers."""

from __future__ import annotations

import gzip
import json
import time
from typing import Any

import pytest

from hardwon.learn.traces import runs
from tests.learn.traces.sent import RECORDED, recorded, request, root_span, tool_span
from tests.surfaces.serve.served import Served

LOGGED = RECORDED.parent / "logs"
PROTOBUF, JSON = "application/x-protobuf", "application/json"
SPANS = [tool_span(7, 2, "make all", "make: *** No rule to make target 'all'", failed=True)]
BODY = request([*SPANS, root_span(7, "Build it")])


@pytest.mark.parametrize(
    ("kind", "body", "answer"),
    [(PROTOBUF, recorded("genai")[0], b""), (JSON, BODY, b"{}")],
    ids=["protobuf", "json"],
)
@pytest.mark.parametrize("packing", ["", "gzip"])
def test_spans_are_kept_and_recorded(
    server: Served, kind: str, body: bytes, answer: bytes, packing: str
) -> None:
    headers = {"Content-Type": kind} | ({"Content-Encoding": packing} if packing else {})
    sent = gzip.compress(body) if packing else body

    reply = server.ask(
        "POST", "/v1/traces?agent=clerk", sent, key=server.key("agent"), headers=headers
    )

    learnt = server.hw.agent("clerk").traces.collect(lambda: time.time() + runs.GRACE + 1)
    assert (reply.status, reply.body, reply.headers["content-type"]) == (200, answer, kind)
    assert [run.failed for run in learnt] == [1]


@pytest.mark.parametrize("packing", ["", "gzip"])
def test_logs_are_kept_and_recorded(server: Served, packing: str) -> None:
    (body,) = recorded("codex", LOGGED)
    headers = {"Content-Type": PROTOBUF} | ({"Content-Encoding": packing} if packing else {})
    sent = gzip.compress(body) if packing else body

    place, limited = "/v1/logs?agent=clerk", server.key("agent", agent="coder")
    refused = server.ask("POST", place, sent, key=limited, headers=headers)
    reply = server.ask("POST", place, sent, key=server.key("agent"), headers=headers)

    learnt = server.hw.agent("clerk").traces.collect(lambda: time.time() + runs.PAUSE + 1)
    assert (refused.status, reply.status, reply.body) == (403, 200, b"")
    assert [(run.steps, run.failed) for run in learnt] == [(3, 1)]


NO_MESSAGE = {"kvlistValue": {"values": [{"key": "message", "value": {"intValue": 1}}]}}


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"body": {"stringValue": "hello"}},
        {"eventName": "gen_ai.choice", "traceId": "ab", "body": NO_MESSAGE},
        {"traceId": "ab", "attributes": [{"key": "event.name", "value": {"intValue": 1}}]},
    ],
)
def test_logs_that_tell_no_call_are_taken_and_dropped(
    server: Served, record: dict[str, Any]
) -> None:
    headers = {"Content-Type": JSON}
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    reply = server.ask("POST", "/v1/logs", body, key=server.key("agent"), headers=headers)

    assert reply.status == 200
    assert not server.hw.agent("default").traces.collect(lambda: time.time() + runs.PAUSE + 1)


def logged(at: Any, body: Any, **attributes: Any) -> dict[str, Any]:
    """A record of a call in the logs of a program that makes no traces."""
    told = {"gen_ai.operation.name": {"stringValue": "execute_tool"}} | attributes
    pairs = [{"key": name.replace("__", "."), "value": value} for name, value in told.items()]
    return {"timeUnixNano": at, "attributes": pairs, "body": body}


def args(text: str) -> dict[str, Any]:
    return {
        "session__id": {"stringValue": "s" * 999},
        "gen_ai__tool__call__arguments": {"stringValue": text},
    }


def test_calls_that_are_logged_with_the_same_text_stay_apart(server: Served) -> None:
    finished = {"stringValue": "tool finished"}
    records = [logged(10**18 + at, finished, **args(f"make {at}")) for at in range(3)]
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [*records, records[0]]}]}]}

    headers = {"Content-Type": JSON}
    reply = server.ask("POST", "/v1/logs", body, key=server.key("agent"), headers=headers)

    (learnt,) = server.hw.agent("default").traces.collect(lambda: time.time() + runs.PAUSE + 1)
    assert (reply.status, learnt.steps) == (200, 3)
    assert len(learnt.place.id) < 40  # a digest: what a client names may be long, or a secret


ARRAY = {"arrayValue": {"values": [{"boolValue": False}]}}
OF_CODEX = {"event.name": {"stringValue": "codex.tool_result"}, "arguments": {"stringValue": "ls"}}
QUOTED = {"stringValue": json.dumps({"args": [1], "kwargs": 5})}


@pytest.mark.parametrize(
    ("odd", "status", "steps"),
    [
        (logged(1, None, **args("a"), **OF_CODEX, success=ARRAY), 200, 2),
        (logged(1, None, **args("a") | {"gen_ai__tool__call__arguments": QUOTED}), 200, 1),
        (logged(1, None, **args("a")) | {"traceId": "\ud800"}, 200, 1),
        (logged(1, None, **args("a\ud800"), gen_ai__tool__name={"stringValue": "\ud800"}), 200, 2),
        (logged(float("inf"), None, **args("a")), 400, 0),
        (logged(1, None, **args("a"), x={"intValue": float("inf")}), 400, 0),
    ],
)
def test_an_odd_record_is_skipped_or_a_mistake_of_the_caller(
    server: Served, odd: dict[str, Any], status: int, steps: int
) -> None:
    records = [logged(10**18, None, **args("make")), odd]
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    sent = json.dumps(body).replace("Infinity", "1e999").encode()

    headers = {"Content-Type": JSON}
    reply = server.ask("POST", "/v1/logs", sent, key=server.key("agent"), headers=headers)

    learnt = server.hw.agent("default").traces.collect(lambda: time.time() + runs.PAUSE + 1)
    assert (reply.status, sum(run.steps for run in learnt)) == (status, steps)


def test_a_key_sees_to_it_that_traces_stay_in_their_place(server: Served) -> None:
    limited = server.key("agent", agent="clerk", project="shop")
    headers = {"Content-Type": JSON}

    refused = server.ask("POST", "/v1/traces?agent=coder", BODY, key=limited, headers=headers)
    viewer = server.ask("POST", "/v1/traces", BODY, key=server.key("viewer"), headers=headers)
    taken = server.ask("POST", "/v1/traces", BODY, key=limited, headers=headers)

    server.hw.agent("clerk").traces.collect(lambda: time.time() + runs.GRACE + 1)
    assert (refused.status, viewer.status, taken.status) == (403, 403, 200)
    assert len(server.hw.agent("clerk", project="shop").runs.list()) == 1
    assert not server.hw.agent("coder", project="shop").runs.list()


@pytest.mark.parametrize("body", [b"\xff\xff\xff", b"\x0a\x7f"], ids=["noise", "cut"])
def test_a_body_that_is_no_request_is_a_mistake_of_the_caller(server: Served, body: bytes) -> None:
    reply = server.ask(
        "POST", "/v1/traces", body, key=server.key("agent"), headers={"Content-Type": PROTOBUF}
    )

    assert reply.status == 400
