"""What frameworks really send is read: one table for all conventions."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hardwon.core.values.report import Window
from hardwon.learn.traces import runs
from tests.learn.past_runs import BEGIN
from tests.learn.traces.sent import FRAMEWORKS, recorded
from tests.stored import opened

ERROR = "kiosk: error: not logged in, run `kiosk login --store north` first"
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
        "langgraph",
        "logfire",
        "openinference_openai",
        "traceloop",
        "vercel",
    }
