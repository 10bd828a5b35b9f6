"""What came of what was shown, through the public face: read when the run ends, never before."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

import hardwon
from hardwon import Agent, Hardwon
from tests.samples import NOW, Clock

BROKEN = {"command": "pytest shop/cart/test_a.py"}
MISSING = "bash: line 1: pytest: command not found"
WORKS = {"command": "bin/test shop/cart/test_a.py"}


@pytest.fixture(params=["memory", "disk"])
def hw(request: pytest.FixtureRequest, tmp_path: Path) -> Hardwon:
    return hardwon.open("memory:" if request.param == "memory" else tmp_path / "home")


def taught(hw: Hardwon) -> Agent:
    """An agent in a run that begins with a proven lesson in store."""
    for _ in range(2):
        agent = hw.agent("coder")
        agent.after_action("bash", BROKEN, output=MISSING, failed=True)
        agent.after_action("bash", WORKS, output="1 passed")
        agent.after_run(task="run the tests")
    return hw.agent("coder", run="r")


def outcomes(hw: Hardwon) -> dict[str, str]:
    log = hw.tenant().deliveries().rows
    return {delivery.id: delivery.outcome for delivery in log}


@pytest.mark.parametrize(
    ("call", "output", "expected"),
    [(WORKS, "1 passed", "overcome"), (BROKEN, MISSING, "repeated")],
)
def test_an_error_is_overcome_or_comes_back(
    hw: Hardwon, call: dict[str, str], output: str, expected: str
) -> None:
    agent = taught(hw)
    shown = agent.after_action("bash", BROKEN, output=MISSING, failed=True)
    agent.after_action("bash", call, output=output, failed=output == MISSING)
    assert shown
    assert outcomes(hw)[shown.id] == ""

    agent.after_run(task="run the tests")

    assert outcomes(hw)[shown.id] == expected


@pytest.mark.parametrize(
    ("failure", "expected"),
    [("", "worked"), (MISSING, "failed the same way"), ("no space left", "failed otherwise")],
)
def test_a_warning_is_judged_by_the_call_after_it(hw: Hardwon, failure: str, expected: str) -> None:
    agent = taught(hw)
    agent.after_action("bash", {"command": "ls"}, output="ls: boom", failed=True)
    shown = agent.before_action("bash", BROKEN)
    agent.after_action("bash", BROKEN, output=failure, failed=bool(failure))
    assert outcomes(hw)[shown.id] == ""  # while the run has not ended

    agent.after_run(task="run the tests")

    assert outcomes(hw)[shown.id] == expected


def test_a_run_in_which_nothing_happened_for_a_day_has_ended(tmp_path: Path) -> None:
    clock = Clock()
    with hardwon.open(tmp_path, clock=clock) as hw:
        agent = taught(hw)
        shown = agent.before_action("bash", BROKEN)
        agent.after_action("bash", BROKEN, output=MISSING, failed=True)
        steps = agent.run.so_far().steps
        (file,) = (tmp_path / "runs").glob("*.jsonl")
        os.utime(file, (NOW.timestamp(), NOW.timestamp()))
        clock.now = NOW + timedelta(hours=23)
        hw.drain()
        assert outcomes(hw)[shown.id] == ""

        clock.now += timedelta(hours=25)
        hw.drain()

        assert outcomes(hw)[shown.id] == "failed the same way"
        assert agent.run.so_far().shown == ()
        assert agent.run.so_far().steps == steps  # should it go on after all


def test_what_the_agent_reported_itself_stays(hw: Hardwon) -> None:
    agent = taught(hw)
    shown = agent.after_action("bash", BROKEN, output=MISSING, failed=True)
    agent.report(shown, "helped")

    agent.after_run(task="run the tests")

    assert outcomes(hw)[shown.id] == "helped"


def test_a_call_that_a_person_forbade_was_denied(hw: Hardwon) -> None:
    agent = taught(hw)
    (lesson,) = agent.lessons.list()
    agent.lessons.guard(lesson.id, call="rm -rf *")

    shown = agent.before_action("bash", {"command": "rm -rf /"})

    assert shown.denied
    assert outcomes(hw)[shown.id] == "denied"
