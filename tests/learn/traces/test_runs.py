"""Spans that come late, in any order, twice or without parents; bad bodies; a crash."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.engine.runtime import MEMORY
from hardwon.learn.traces import runs
from hardwon.learn.transcripts.past import EMPTY, LEARNT, Learnt
from tests.learn.past_runs import evidence, runs_of
from tests.learn.traces.sent import request, root_span, span, spans_of, tool_span
from tests.stored import StoredHardwon, opened

TASK = "Report the stock"
ERROR = "kiosk: error: not logged in, run `kiosk login` first"
CALLS = [
    tool_span(7, 2, {"command": "kiosk stock"}, ERROR, failed=True, at=1001),
    tool_span(7, 3, {"command": "kiosk login"}, "logged in", at=1003),
    tool_span(7, 4, {"command": "kiosk stock"}, "pears 12", at=1005),
]
ROOT = root_span(7, TASK)


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[StoredHardwon]:
    with opened(tmp_path / "hw") as hw:
        yield hw


def take(hw: StoredHardwon, *spans: dict[str, Any]) -> None:
    hw.agent("coder").traces.take(request(spans), is_json=True)


def collect(hw: StoredHardwon, later: float = runs.GRACE + 1) -> list[Learnt]:
    return hw.agent("coder").traces.collect(lambda: time.time() + later)


def calls(hw: StoredHardwon) -> list[list[str]]:
    """The calls of each recorded run."""
    return [[step.args for step in run[-1]] for run in evidence(hw, "shop")["runs"]]


@pytest.mark.parametrize("seed", range(5))
def test_spans_may_come_in_any_order_in_many_requests_and_twice(
    hw: StoredHardwon, seed: int
) -> None:
    sent = [*CALLS, ROOT] * 2
    random.Random(seed).shuffle(sent)
    for one in sent:
        take(hw, one)

    learnt = collect(hw)

    assert [(run.status, run.steps, run.failed) for run in learnt] == [(LEARNT, 3, 1)]
    assert calls(hw) == [["kiosk stock", "kiosk login", "kiosk stock"]]
    assert [*Path(hw.settings.home, "traces").glob("*.jsonl")] == []
    take(hw, *CALLS, ROOT)  # and once more after it was recorded
    assert collect(hw) == []
    assert calls(hw) == [["kiosk stock", "kiosk login", "kiosk stock"]]


def test_a_run_is_not_recorded_before_its_root_has_ended(hw: StoredHardwon) -> None:
    take(hw, *CALLS)
    assert collect(hw) == []

    take(hw, ROOT)

    assert collect(hw, later=0) == []  # its last spans may still be on their way
    assert [run.status for run in collect(hw)] == [LEARNT]


def test_a_run_without_a_root_ends_after_a_pause(hw: StoredHardwon) -> None:
    take(hw, *CALLS)

    assert [run.status for run in collect(hw, later=runs.PAUSE + 1)] == [LEARNT]


def test_a_span_that_comes_after_its_run_was_recorded_is_not_lost(hw: StoredHardwon) -> None:
    take(hw, *CALLS[1:], ROOT)
    collect(hw)

    take(hw, CALLS[0], ROOT)
    late = collect(hw)

    assert [(run.status, run.steps) for run in late] == [(LEARNT, 1)]
    assert sorted(calls(hw)) == [["kiosk login", "kiosk stock"], ["kiosk stock"]]


def test_calls_without_parents_belong_to_their_conversation(hw: StoredHardwon) -> None:
    for number, call in enumerate(CALLS):
        alone = call | {"traceId": f"{number + 50:032x}", "parentSpanId": ""}
        talk = {"key": "gen_ai.conversation.id", "value": {"stringValue": "talk-1"}}
        take(hw, alone | {"attributes": [*alone["attributes"], talk]})

    learnt = collect(hw, later=runs.PAUSE + 1)

    assert [run.steps for run in learnt] == [3]


def test_only_spans_of_runs_that_go_on_wait_and_in_few_files(hw: StoredHardwon) -> None:
    for number in range(200):
        ended = [{**one, "traceId": f"{number + 2:032x}"} for one in (*CALLS, ROOT)]
        take(hw, tool_span(1, number + 9, f"make {number}", "ok"), *(ended if number < 3 else ()))

    assert len(collect(hw)) == 3

    (waiting,) = Path(hw.settings.home, "traces").glob("*.jsonl")
    assert len(waiting.read_text().splitlines()) == 1 + 200
    assert [run.steps for run in collect(hw, later=runs.PAUSE + 1)] == [200]


def test_a_trace_without_a_call_is_left_out(hw: StoredHardwon) -> None:
    take(hw, root_span(9, "Say hello"))

    assert [run.status for run in collect(hw)] == [EMPTY]


def test_tenants_and_agents_stay_apart(hw: StoredHardwon) -> None:
    for tenant, agent in (("acme", "coder"), ("acme", "clerk"), ("other", "coder")):
        body = request([*CALLS, ROOT])
        hw.agent(agent, tenant=tenant).traces.take(body, is_json=True)

    learnt = collect(hw)

    assert len(learnt) == 3
    assert hw.agent("coder", project="shop").lessons.list() == []
    assert len(hw.agent("clerk", tenant="acme", project="shop").lessons.list()) == 1


def test_no_secret_of_a_span_reaches_the_disk(hw: StoredHardwon, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    failing = tool_span(7, 2, f"kiosk login --token {secret}", f"error: {secret} expired")
    take(hw, failing, root_span(7, f"Log in with {secret}"))

    def leaks() -> list[Path]:
        files = [path for path in (tmp_path / "hw").rglob("*") if path.is_file()]
        return [path for path in files if secret.encode() in path.read_bytes()]

    assert leaks() == []
    collect(hw)
    assert leaks() == []


@pytest.mark.parametrize(
    ("body", "how"),
    [
        (b"\xff" * 40, {}),
        (b"\x0a\x7f\x00", {}),
        (b"{", {"is_json": True}),
        (b'{"resourceSpans": 3}', {"is_json": True}),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]}', {"is_json": True}),
        (b"[" * 100_000, {"is_json": True}),
        (b"no gzip", {"is_packed": True}),
        (gzip.compress(b"x" * 100)[:-9], {"is_packed": True}),
        (gzip.compress(bytes(33 << 20)), {"is_packed": True}),
    ],
    ids=["noise", "cut", "torn", "number", "no ids", "deep", "not packed", "half", "bomb"],
)
def test_a_bad_body_is_refused_and_nothing_is_kept(
    hw: StoredHardwon, body: bytes, how: dict[str, bool]
) -> None:
    with pytest.raises(InvalidInput):
        hw.agent("coder").traces.take(body, **how)

    assert not os.path.exists(hw.settings.home + "/traces")


def test_a_file_of_the_collector_is_imported_once(hw: StoredHardwon, tmp_path: Path) -> None:
    file = tmp_path / "traces.jsonl"
    many = [span for run in runs_of("example.jsonl") for span in spans_of(run)]
    random.Random(3).shuffle(many)
    lines = [request(many[at : at + 7]) for at in range(0, len(many), 7)]
    file.write_bytes(b"\n".join([*lines, b"{}", b"broken", b'{"resourceSpans": 1}']) + b"\n")
    skipped: Counter[str] = Counter()

    first = list(hw.agent("coder").traces.import_file(str(file), skipped))
    before = evidence(hw, "shop")
    again = list(hw.agent("coder").traces.import_file(str(file), Counter()))

    assert len(first) == len(runs_of("example.jsonl"))
    assert skipped == {"broken": 1, "odd": 1}
    assert again == []
    assert evidence(hw, "shop") == before


_KILLED = """
import os, sys, time
import hardwon
from hardwon.core import _files
from hardwon.learn.traces import runs
from hardwon.storage.sql.logs import SqlEndedRuns

left = int(sys.argv[2])

def dying(method):
    def call(*values, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return method(*values, **named)
    return call

SqlEndedRuns.note_past = dying(SqlEndedRuns.note_past)
SqlEndedRuns.keep = dying(SqlEndedRuns.keep)
_files.replace = dying(_files.replace)
_files.unlink = dying(_files.unlink)
with hardwon.open(sys.argv[1]) as hw:
    for path in sorted(os.listdir(sys.argv[3])):
        file = os.path.join(sys.argv[3], path)
        with open(file, "rb") as request:
            hw.agent("coder").traces.take(request.read(), is_json=True)
        os.remove(file)  # acknowledged
        hw.agent("coder").traces.collect(lambda: time.time() + 4)
"""


def test_whatever_moment_it_dies_nothing_is_lost_and_nothing_twice(tmp_path: Path) -> None:
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    made = [spans_of(run) for run in runs_of("example.jsonl")]
    for number, spans in enumerate(made):
        (outbox / f"{number}-a").write_bytes(request(spans[:2]))
        (outbox / f"{number}-b").write_bytes(request(spans[2:]))

    for moment in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17, 19, 21, 2, 3, 4, 5, 0):
        command = [sys.executable, "-c", _KILLED, str(tmp_path / "hw"), str(moment), str(outbox)]
        subprocess.run(command, check=False, capture_output=True, timeout=60)

    assert not list(outbox.iterdir())
    with opened(tmp_path / "hw") as hw, opened(tmp_path / "once") as once:
        collect(hw)
        for spans in made:
            take(once, *spans)
        collect(once)
        found, expected = evidence(hw, "shop"), evidence(once, "shop")
    assert found["failures"] == expected["failures"]
    assert found["runs"] == expected["runs"]
    assert found["lessons"] == expected["lessons"]


def test_a_worker_records_what_has_ended(hw: StoredHardwon, monkeypatch: Any) -> None:
    monkeypatch.setattr(runs, "GRACE", -1.0)
    now = int((time.time() - 60) * 1e9)  # older runs are forgotten
    take(hw, *(one | {"endTimeUnixNano": str(now)} for one in (*CALLS, ROOT)))

    hw.drain()

    assert calls(hw) == [["kiosk stock", "kiosk login", "kiosk stock"]]


@pytest.mark.parametrize("at", [2 * 10**18, 10**19, 10**30, 10**400, -(10**30), 0])
def test_no_time_is_later_than_now(hw: StoredHardwon, at: int) -> None:
    odd = {"startTimeUnixNano": str(at), "endTimeUnixNano": str(at + 1)}
    take(hw, *(one | odd for one in (*CALLS, ROOT)))

    assert [run.status for run in collect(hw)] == [LEARNT]
    (run,) = hw.tenant().ended_runs().rows
    assert run.begun <= run.ended <= datetime.now(UTC)


def test_an_odd_time_or_value_is_no_error(hw: StoredHardwon) -> None:
    call = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": "done"}
    odd = span(8, 3, call, at=1) | {
        "startTimeUnixNano": str(10**19),
        "endTimeUnixNano": str(10**20),
    }
    odd["attributes"].append({"key": "gen_ai.tool.call.arguments", "value": {}})
    odd["attributes"].append({"key": "gen_ai.input.messages", "value": {"stringValue": "[1]"}})
    take(hw, odd, root_span(8, json.dumps({"a": 1})))

    assert [run.status for run in collect(hw)] == [LEARNT]


def test_a_call_without_arguments_and_output_is_no_step(hw: StoredHardwon) -> None:
    bare = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Bash"}
    take(hw, span(8, 3, bare, parent=1), root_span(8, "make the folder"))

    assert [(run.status, run.steps) for run in collect(hw)] == [(EMPTY, 0)]


def test_a_damaged_file_is_set_aside_and_the_others_are_recorded(hw: StoredHardwon) -> None:
    take(hw, *CALLS, ROOT)
    folder = Path(hw.settings.home, "traces")
    (folder / "0-torn.jsonl").write_text('["default", "coder", null]\n[1, [')

    assert [run.steps for run in collect(hw)] == [3]
    assert [path.name for path in folder.glob("*.damaged")] == ["0-torn.jsonl.damaged"]


def test_a_store_in_memory_records_at_once(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(MEMORY) as hw:
        take(hw, *CALLS, ROOT)

        assert calls(hw) == [["kiosk stock", "kiosk login", "kiosk stock"]]
    assert list(tmp_path.iterdir()) == []
