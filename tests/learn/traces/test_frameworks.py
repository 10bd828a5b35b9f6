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
