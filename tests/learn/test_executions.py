"""Execution reflections: judged without a model, counted as patterns, shown in three lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hardwon
from hardwon import Agent, Hardwon
from hardwon.learn.executions import FinishedRun, judge, line, pattern_key
from tests.stored import runtime


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[Hardwon]:
    with hardwon.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def coder(hw: Hardwon) -> Agent:
    return hw.agent("coder", project="acme/api")


@pytest.mark.parametrize(
    ("run", "efficiency", "issues"),
    [
        (FinishedRun("t", ("a",), 3), 1.0, ()),
        (FinishedRun("t", ("a",), 10.5), 0.9, ("moderate_latency",)),
        (FinishedRun("t", ("a",), 31), 0.7, ("slow_execution",)),
        (FinishedRun("t", tuple("abcde")), 0.9, ("high_skill_count",)),
        (FinishedRun("t", ("a", "a", "b")), 0.95, ("redundant_skills",)),
        (FinishedRun("t", ("a", "a")), 1.0, ()),
        (FinishedRun("t", (), 0, True), 0.6, ("failure",)),
        (FinishedRun("t", (), 0, False, 2), 0.9, ("retried",)),
        (FinishedRun("t", (), 0, False, 9), 0.7, ("instability",)),
        (
            FinishedRun("t", tuple("abcde"), 99, True, 3),
            0.0,
            ("slow_execution", "high_skill_count"),
        ),
    ],
)
def test_a_run_is_scored_by_the_published_rules(
    run: FinishedRun, efficiency: float, issues: tuple[str, ...]
) -> None:
    found = judge(run)

    assert found.efficiency == pytest.approx(efficiency)
    assert found.issues[: len(issues)] == issues


def test_runs_of_one_kind_have_one_pattern() -> None:
    assert (
        pattern_key(FinishedRun("x", ("web", "parse", "web", "mail", "zip"))) == "mail+parse+web:ok"
    )
    assert pattern_key(FinishedRun("x", (), has_failed=True)) == "no-tools:fail"


@given(
    st.builds(
        FinishedRun, st.text(), st.lists(st.text()).map(tuple), st.floats(0, 1e6), st.booleans()
    )
)
def test_every_run_has_a_score_and_a_short_line(run: FinishedRun) -> None:
    found = judge(run)

    assert 0 <= found.efficiency <= 1
    assert len(pattern_key(run)) <= 100
    assert len(line(run.task, found.suggestion, is_again=True)) <= 125


def test_a_trivial_success_is_not_noted(hw: Hardwon, coder: Agent) -> None:
    assert coder.runs.ended("say hello", tools=["echo"], seconds=1) is None
    assert hw.queue.waiting() == []


def test_a_pattern_recurs_from_the_third_time(hw: Hardwon, coder: Agent) -> None:
    for _ in range(2):
        coder.runs.ended("fetch the prices", tools=["web", "parse"], seconds=12)
        hw.drain()
    assert "↻" not in coder.runs.context().text

    coder.runs.ended("fetch the prices", tools=["web", "parse"], seconds=12)
    hw.drain()

    assert coder.runs.context().text == (
        "[Recent execution insights:]\n"
        "• ↻ web, parse (12 s) worked [moderate latency] → watch its time"
    )
    with runtime(hw.settings.home) as engine:
        newest = engine.store.runs.recent(coder.scope, now=engine.clock(), limit=1)[0]
    assert (newest.state, newest.subject) == ("pattern", "parse+web:ok")
    assert json.loads(newest.detail)["efficiency_score"] == 0.9


def test_the_latest_error_is_always_shown_and_the_rest_only_when_it_fits(
    hw: Hardwon, coder: Agent
) -> None:
    coder.runs.ended("send the mail", tools=["mail"], seconds=3, error="SMTP 550: refused")
    coder.runs.ended("fetch the prices", tools=["web"], seconds=12)
    coder.runs.ended("water the plants", tools=["pump"], seconds=50)
    hw.drain()

    lines = coder.runs.context("fetch the new prices").text.splitlines()

    assert [line.split(" (")[0] for line in lines[1:]] == ["• mail", "• web"]
    assert "SMTP 550: refused" in lines[1]


def test_three_lines_at_most_are_shown(hw: Hardwon, coder: Agent) -> None:
    for tool in "abcdef":
        coder.runs.ended("work", tools=[tool], seconds=20)
    hw.drain()

    assert len(coder.runs.context().text.splitlines()) == 4


def test_two_runs_alike_that_wait_together_are_both_counted(hw: Hardwon, coder: Agent) -> None:
    for _ in range(3):
        coder.runs.ended("work", tools=["a"], error="boom")

    assert hw.drain().done == 3
    assert "↻" in coder.runs.context().text


def test_another_agent_sees_none_of_it(hw: Hardwon, coder: Agent) -> None:
    coder.runs.ended("work", tools=["a"], error="boom")
    hw.drain()

    assert not hw.agent("writer", project="acme/api").runs.context()


def test_a_senseless_call_never_raises(hw: Hardwon, coder: Agent) -> None:
    troubles: list[BaseException] = []
    hw.on_trouble(troubles.append)

    assert coder.runs.ended("work", tools=7, seconds=99) is None  # type: ignore[arg-type]
    assert len(troubles) == 1


def test_a_run_has_failed_if_it_says_so_or_names_an_error(hw: Hardwon, coder: Agent) -> None:
    for how in ({"failed": True}, {"error": "boom"}, {}):
        coder.runs.ended("work", tools=["a"], seconds=20, **how)
    hw.drain()

    with runtime(hw.settings.home) as engine:
        kept = engine.store.runs.recent(coder.scope, now=engine.clock(), limit=9)
    subjects = sorted(one.subject for one in kept)
    assert subjects == ["a:fail", "a:fail", "a:ok"]
