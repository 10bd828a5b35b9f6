"""An ended goal is kept, once, with what it taught."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon import Agent, Hardwon
from hardwon.learn.goals import goal
from tests.learn.goals.ended import PARSE, SEARCH, kept
from tests.samples import NOW, Clock
from tests.stored import runtime


def test_a_failed_goal_comes_back_as_a_past_reflection(hw: Hardwon, coder: Agent) -> None:
    coder.goals.ended("g1", "Research competitor pricing", "failed", tasks=[SEARCH, PARSE])
    hw.drain()

    assert str(coder.goals.context("g1")) == (
        "[PAST REFLECTIONS]\n"
        "• [Goal: Research competitor pricing] It failed at “parse_table”: ValueError: prices of"
        " 2023. 1 of 2 tasks were done by then. Deal with that first when a similar goal comes."
    )


@pytest.mark.parametrize(
    ("state", "error", "importance"),
    [
        ("completed", None, 0.5),
        ("completed", "x", 0.7),
        ("failed", None, 0.8),
        ("failed", "x", 1.0),
    ],
)
def test_importance_follows_state_and_error(
    hw: Hardwon, coder: Agent, state: str, error: str | None, importance: float
) -> None:
    coder.goals.ended("g1", "Research", state, error=error)

    assert [one.importance for one in kept(hw, coder, "g1")] == [importance]


def test_a_goal_keeps_three_reflections_and_the_newest_is_never_refused(
    hw: Hardwon, coder: Agent, clock: Clock
) -> None:
    for hour in range(5):
        clock.now = NOW + timedelta(hours=hour)
        coder.goals.ended("g1", "Research", "failed", error=f"attempt {hour} broke")
        hw.drain()

    assert [one.created_at.hour for one in kept(hw, coder, "g1")] == [14, 15, 16]


def test_a_reflection_lives_seven_days(hw: Hardwon, coder: Agent, clock: Clock) -> None:
    coder.goals.ended("g1", "Research", "failed", error="x")
    hw.drain()

    clock.now = NOW + timedelta(days=6, hours=23)
    assert coder.goals.context("g1")
    clock.now = NOW + timedelta(days=7)
    assert not coder.goals.context("g1")
    assert not coder.goals.context()


@pytest.mark.parametrize(
    ("goal_id", "state", "tasks"),
    [(None, "failed", []), ("  ", "failed", []), ("g", "failed", 7)],
)
def test_a_senseless_call_is_no_error_for_the_orchestrator(
    hw: Hardwon, coder: Agent, goal_id: Any, state: str, tasks: Any
) -> None:
    troubles: list[BaseException] = []
    hw.on_trouble(troubles.append)

    assert coder.goals.ended(goal_id, "x", state, tasks=tasks) is None
    assert len(troubles) == 1
    assert hw.queue.waiting() == []


def test_an_ended_goal_survives_the_death_of_the_process(tmp_path: Path) -> None:
    code = (
        "import hardwon, os, signal, sys\n"
        "coder = hardwon.open(sys.argv[1]).agent('coder')\n"
        "coder.goals.ended('g1', 'Research pricing', 'failed', error='stale data')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)

    with hardwon.open(tmp_path) as hw:
        hw.drain()
        assert "stale data" in hw.agent("coder").goals.context("g1").text


def test_a_job_worked_twice_leaves_one_reflection(hw: Hardwon, coder: Agent) -> None:
    job = coder.goals.ended("g1", "Research", "failed", error="x")
    assert job
    with runtime(hw.settings.home) as engine:
        asyncio.run(goal.process(engine, job))

    assert len(kept(hw, coder, "g1")) == 1


def test_secrets_are_gone_before_the_first_write(hw: Hardwon, coder: Agent, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    task = {"name": "clone", "error": f"fatal: bad token {secret}"}
    coder.goals.ended("g1", f"Clone with {secret}", "failed", tasks=[task], error=secret)
    queued = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    hw.drain()

    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert secret.encode() not in queued + stored
    assert coder.goals.context("g1")


def test_the_same_verbs_are_there_for_asyncio(tmp_path: Path) -> None:
    async def main() -> str:
        async with hardwon.aopen(tmp_path) as hw:
            coder = hw.agent("coder")
            await coder.goals.ended("g1", "Research pricing", "failed", error="stale data")
            await hw.drain()
            return str(await coder.goals.context("g1"))

    assert "stale data" in asyncio.run(main())


@pytest.mark.parametrize(
    ("tasks", "error", "importance", "words"),
    [
        ([], "OSError: disk full", 0.7, "not without an error: OSError"),
        ([SEARCH], "OSError: disk full", 0.7, "not without an error: OSError"),
        ([SEARCH], "something odd", 0.7, "It was completed, but not without an error"),
        (["mail: Error: bounced", "mail2: sent"], None, 0.7, "“mail” failed on the way"),
        ([{"name": "mail", "status": "done", "output": "Error: bounced"}], None, 0.7, "bounced"),
        ([SEARCH], None, 0.5, "It worked with web_search."),
        ([], None, 0.5, "It was completed without trouble."),
    ],
)
def test_a_goal_completed_with_an_error_is_not_one_without_trouble(
    hw: Hardwon, coder: Agent, tasks: list[Any], error: str | None, importance: float, words: str
) -> None:
    coder.goals.ended("g", "Report", "completed", tasks=tasks, error=error)

    (one,) = kept(hw, coder, "g")
    assert one.importance == importance
    assert words in one.insight
    assert ("without trouble" in one.insight) == (words == "It was completed without trouble.")
