"""What frameworks really send is read: one table for all conventions."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from pathlib import Path

import pytest

from hardwon.core.values.report import Window
from hardwon.learn.traces import runs
from tests.learn.past_runs import BEGIN
from tests.learn.traces.sent import FRAMEWORKS, RECORDED, recorded
from tests.stored import opened

ERROR = "kiosk: error: not logged in, run `kiosk login --store north` first"
EXPORTED = RECORDED.parent / "exported"  # see `record_exports.py`
EXPORTS = ("langfuse", "langsmith", "phoenix")
EXPECTED = [
    ("kiosk", "stock --store north", True),
    ("kiosk", "login --store north", False),
    ("kiosk", "stock --store north", False),
]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_calls_of_a_framework_become_a_run(tmp_path: Path, framework: str) -> None:
    with opened(tmp_path / "hw") as hw:
        agent = hw.agent("coder")
        for body in recorded(framework):
            agent.traces.take(body)

        (learnt,) = agent.traces.collect(lambda: time.time() + runs.GRACE + 1)

        own = hw.agent("coder", project="kiosk-agent")
        (run,) = hw.store.ended_runs.latest(Window(own.scope, BEGIN), limit=9)
        (lesson,) = own.lessons.list()
    assert learnt.project == "kiosk-agent"
    assert run.task == "Report the stock of the store north"
    assert [(step.tool, step.args, step.failed) for step in run.steps] == EXPECTED
    assert run.steps[0].output == ERROR
    assert lesson.correction == "What worked: `login --store north`."


LOGGED = RECORDED.parent / "logs"  # see `record.py`; Codex: `tests/e2e/test_telemetry.py`
OF_CODEX = [("exec_command", f"./kiosk {call[1]}", call[2]) for call in EXPECTED]


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("source", ["codex", "openai_events", "openai_messages"])
def test_the_calls_in_the_logs_of_a_program_become_a_run(
    tmp_path: Path, source: str, times: int
) -> None:
    with opened(tmp_path / "hw") as hw:
        agent = hw.agent("coder", project="kiosk-agent")
        for body in recorded(source, LOGGED) * times:
            agent.traces.take(body, is_logs=True)
        assert agent.traces.collect(lambda: time.time() + runs.GRACE + 1) == []  # it may go on

        (learnt,) = agent.traces.collect(lambda: time.time() + runs.PAUSE + 1)

        (run,) = hw.store.ended_runs.latest(Window(agent.scope, BEGIN), limit=9)
        (lesson,) = agent.lessons.list()
    assert learnt.steps == 3
    assert run.task == "Report the stock of the store north"
    wanted = OF_CODEX if source == "codex" else EXPECTED
    assert [(step.tool, step.args, step.failed) for step in run.steps] == wanted
    assert ERROR in run.steps[0].output
    assert "login --store north`" in lesson.correction


def test_a_collector_s_file_of_logs_is_read(tmp_path: Path) -> None:
    file, skipped = tmp_path / "logs.jsonl", Counter[str]()
    told = {"event.name": "codex.tool_result", "conversation.id": "c1", "tool_name": "shell"}
    rows = [
        {"arguments": '{"cmd": "make"}', "output": "no rule to make target", "success": "false"},
        {"arguments": '{"cmd": "make all"}', "output": "done", "success": "true"},
    ]
    records = [
        {
            "observedTimeUnixNano": str(1795019750585096914 + number),
            "attributes": [
                {"key": key, "value": {"stringValue": text}} for key, text in (told | row).items()
            ],
        }
        for number, row in enumerate(rows)
    ]
    file.write_text(json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}))
    with opened(tmp_path / "hw") as hw:
        own = hw.agent("coder", project="shop")
        (learnt,) = own.traces.import_file(str(file), skipped)

    assert (learnt.steps, learnt.failed) == (2, 1)
    assert not skipped


def test_all_conventions_have_a_recorded_trace() -> None:
    assert set(FRAMEWORKS) == {
        "genai",
        "langfuse",
        "langgraph",
        "logfire",
        "openinference_openai",
        "traceloop",
        "vercel",
    }


@pytest.mark.parametrize("is_list", [False, True])
@pytest.mark.parametrize("product", EXPORTS)
def test_the_calls_in_an_export_become_a_run(tmp_path: Path, product: str, is_list: bool) -> None:
    file, skipped = EXPORTED / f"{product}.jsonl.gz", Counter[str]()
    if is_list:
        rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
        file = tmp_path / "export.json"
        file.write_text(json.dumps(rows, indent=2))
    with opened(tmp_path / "hw") as hw:
        own = hw.agent("coder", project="shop")
        (learnt,) = own.traces.import_file(str(file), skipped)
        assert list(own.traces.import_file(str(file), skipped)) == []

        (run,) = hw.store.ended_runs.latest(Window(own.scope, BEGIN), limit=9)
        (lesson,) = own.lessons.list()
    assert not skipped
    assert learnt.steps == 3
    assert run.task == "Report the stock of the store north"
    assert [(step.tool, step.args, step.failed) for step in run.steps] == EXPECTED
    assert ERROR in run.steps[0].output
    assert lesson.correction == "What worked: `login --store north`."


def test_a_record_of_no_known_export_is_counted(tmp_path: Path) -> None:
    file, skipped = tmp_path / "odd.jsonl", Counter[str]()
    file.write_text('{"a": 1}\n5\n[{"run_type": "tool", "trace_id": 1, "inputs": {}}]\n')
    with opened(tmp_path / "hw") as hw:
        assert list(hw.agent("coder").traces.import_file(str(file), skipped)) == []

    assert skipped == {"odd": 3}
