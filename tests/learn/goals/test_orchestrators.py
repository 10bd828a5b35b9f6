"""Orchestrators of others tell of ended goals in their own words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hardwon
from hardwon import Agent, Hardwon
from hardwon.core.errors import InvalidInput
from hardwon.learn.goals.goal import task_step
from tests.learn.goals.ended import PARSE, SEARCH, State, kept


@settings(max_examples=50)
@given(st.recursive(st.none() | st.text() | st.integers(), lambda x: st.dictionaries(st.text(), x)))
def test_any_task_becomes_a_step(task: object) -> None:
    step = task_step(task)

    assert isinstance(step.tool, str)
    assert isinstance(step.output, str)


class Published:
    """Calls its reflection engine as the published orchestrator does."""

    reflection_engine: Any = None

    async def end(self) -> bool:
        call = self.reflection_engine.reflect_on_goal
        return bool(await call("g1", "Research pricing", "failure", "stale data", ["search: ok"]))


class Registering:
    def __init__(self) -> None:
        self.callbacks: list[Callable[..., Any]] = []

    def on_goal_ended(self, callback: Callable[..., Any]) -> None:
        self.callbacks.append(callback)


class Slotted:
    on_terminal: Any = None


class Goal:
    id = "g1"
    title = "Research pricing"
    status = State.FAILED
    error_message = "stale data"
    nodes = (SEARCH, PARSE)


def test_the_published_orchestrator_gets_its_reflection_engine(hw: Hardwon, coder: Agent) -> None:
    orchestrator = Published()
    tie = hardwon.attach(orchestrator, coder)

    assert asyncio.run(orchestrator.end())
    assert [one.state for one in kept(hw, coder, "g1")] == ["failed"]

    tie.detach()
    assert orchestrator.reflection_engine is None


def test_an_orchestrator_with_a_registrar_tells_of_goal_objects(hw: Hardwon, coder: Agent) -> None:
    orchestrator = Registering()
    hardwon.attach(orchestrator, coder)
    goal = Goal()
    goal.status = "failed"  # type: ignore[assignment]
    orchestrator.callbacks[0](goal)

    assert [one.title for one in kept(hw, coder, "g1")] == ["Research pricing"]


def test_a_callback_that_stood_there_before_is_still_called(hw: Hardwon, coder: Agent) -> None:
    orchestrator, heard = Slotted(), []
    orchestrator.on_terminal = lambda *args: heard.append(args)
    tie = hardwon.attach(orchestrator, coder)
    orchestrator.on_terminal("g1", "Research pricing", "failed", "stale data")

    assert heard == [("g1", "Research pricing", "failed", "stale data")]
    assert len(kept(hw, coder, "g1")) == 1

    tie.detach()
    orchestrator.on_terminal("g2", "Other", "failed")
    assert kept(hw, coder, "g2") == []


def test_without_an_agent_the_goals_are_those_of_the_default_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path))
    orchestrator = Registering()
    hardwon.attach(orchestrator)
    orchestrator.callbacks[0]("g1", "Research pricing", "failed", "stale data")

    with hardwon.open(tmp_path) as hw:
        assert len(kept(hw, hw.agent("default"), "g1")) == 1


def test_an_object_without_a_callback_is_refused_with_what_is_needed(coder: Agent) -> None:
    with pytest.raises(InvalidInput, match="on_goal_ended"):
        hardwon.attach(object(), coder)


class Phase(Enum):
    CANCELLED = 4
    FAILED = 5


@pytest.mark.parametrize(
    "state", ["CANCELLED", "cancelled", "running", "?!", Phase.CANCELLED, None]
)
def test_a_goal_that_neither_worked_nor_failed_is_left_alone(
    hw: Hardwon, coder: Agent, caplog: pytest.LogCaptureFixture, state: object
) -> None:
    troubles: list[BaseException] = []
    hw.on_trouble(troubles.append)

    assert coder.goals.ended("g", "Research", state, tasks=[SEARCH]) is None
    assert (troubles, hw.queue.waiting(), caplog.records) == ([], [], [])


def test_an_enumeration_may_say_its_state_in_its_name(hw: Hardwon, coder: Agent) -> None:
    coder.goals.ended("g", "Research", Phase.FAILED)

    assert [one.state for one in kept(hw, coder, "g")] == ["failed"]
