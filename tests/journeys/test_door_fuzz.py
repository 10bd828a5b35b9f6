"""No door raises into an agent's turn, whatever it is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import HardwonError


class Hostile:
    """Raises whatever is asked of it."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("no")

    __str__ = __repr__ = __len__ = __iter__ = __bool__ = __eq__ = __getitem__ = _refuse
    __hash__ = __int__ = __float__ = __index__ = __contains__ = __format__ = _refuse


class HostileError(Exception):
    """An error that cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "int": lambda: 123,
    "bool": lambda: True,
    "nan": lambda: float("nan"),
    "huge int": lambda: 10**5000,
    "negative": lambda: -(2**70),
    "bytes": lambda: b"\xff\xfe\x00",
    "dict": dict,
    "keys": lambda: {1: 2, None: (3,), b"x": {4}},
    "list": lambda: [1, None, {}],
    "set": lambda: {1, "a"},
    "object": object,
    "type": lambda: int,
    "function": lambda: endless,
    "generator": lambda: (letter for letter in "abc"),
    "surrogates": lambda: "\ud800\udfff error: no such file \ud800",
    "nul": lambda: "a\0b",
    "empty": str,
    "long": lambda: "error: x " * 300_000,
    "endless": endless,
    "deep": deep,
    "hostile": Hostile,
    "hostile error": HostileError,
    "hostile inside": lambda: {"a": Hostile(), "b": [Hostile()]},
}
Call = Callable[[hardwon.Agent, Any], object]
DOORS: dict[str, Call] = {
    "start": lambda agent, odd: agent.start(),
    "before_turn": lambda agent, odd: agent.before_turn(odd),
    "before_turn hyde": lambda agent, odd: agent.before_turn("deploy it", hyde=odd),
    "before_action tool": lambda agent, odd: agent.before_action(odd, "x"),
    "before_action args": lambda agent, odd: agent.before_action("bash", odd),
    "after_action tool": lambda agent, odd: agent.after_action(odd, "x", failed=True),
    "after_action args": lambda agent, odd: agent.after_action("bash", odd, failed=True),
    "after_action output": lambda agent, odd: agent.after_action(
        "bash", "x", output=odd, failed=True
    ),
    "after_action judged": lambda agent, odd: agent.after_action("bash", "x", output=odd),
    "after_action failed": lambda agent, odd: agent.after_action("bash", "x", failed=odd),
    "digest": lambda agent, odd: agent.digest(tokens=odd),
    "goal_ended id": lambda agent, odd: agent.goals.ended(odd, "do it"),
    "goal_ended objective": lambda agent, odd: agent.goals.ended("g", odd),
    "goal_ended state": lambda agent, odd: agent.goals.ended("g", "do it", odd),
    "goal_ended tasks": lambda agent, odd: agent.goals.ended("g", "do it", tasks=odd),
    "goal_ended error": lambda agent, odd: agent.goals.ended("g", "do it", "failed", error=odd),
    "goal_context": lambda agent, odd: agent.goals.context(odd),
    "goal_context objective": lambda agent, odd: agent.goals.context(objective=odd),
    "run_ended": lambda agent, odd: agent.runs.ended(odd),
    "run_ended tools": lambda agent, odd: agent.runs.ended("x", tools=odd),
    "run_ended seconds": lambda agent, odd: agent.runs.ended("x", seconds=odd),
    "run_ended retries": lambda agent, odd: agent.runs.ended("x", retries=odd),
    "run_ended failed": lambda agent, odd: agent.runs.ended("x", failed=odd),
    "run_ended error": lambda agent, odd: agent.runs.ended("x", error=odd),
    "run_context": lambda agent, odd: agent.runs.context(odd),
    "report": lambda agent, odd: agent.report(odd, "helped"),
    "report outcome": lambda agent, odd: agent.report(agent.before_turn("deploy it"), odd),
    "after_run task": lambda agent, odd: agent.after_run(task=odd, error="x"),
    "after_run attempt": lambda agent, odd: agent.after_run(task="x", attempt=odd, error="x"),
    "after_run error": lambda agent, odd: agent.after_run(task="x", error=odd),
    "after_run signals": lambda agent, odd: agent.after_run(task="x", signals=odd),
    "after_run signal": lambda agent, odd: agent.after_run(task="x", signals={"a": odd}),
    "after_run steps": lambda agent, odd: agent.after_run(task="x", error="x", steps=odd),
    "after_run step": lambda agent, odd: agent.after_run(task="x", error="x", steps=[odd]),
    "after_run step output": lambda agent, odd: agent.after_run(
        task="x", error="x", steps=[hardwon.Step("bash", odd, odd, failed=True)]
    ),
}


@pytest.fixture(params=["memory:", "disk"])
def hw(request: pytest.FixtureRequest, tmp_path: Path) -> hardwon.Hardwon:
    opened = hardwon.open(tmp_path if request.param == "disk" else "memory:")
    opened.on_trouble(lambda error: None)
    opened.agent("coder").learn("Deploy it with the flag --blue")
    return opened


@pytest.mark.parametrize("door", DOORS)
def test_no_door_raises(hw: hardwon.Hardwon, door: str) -> None:
    agent = hw.agent("coder", run="r1")

    for name, make in ODD.items():
        try:
            DOORS[door](agent, make())
        except Exception as error:
            raise AssertionError(f"{door} raised for {name}") from error

    other = hw.agent("coder", run="r2")
    assert "--blue" in other.before_turn("deploy it with which flag?").text


@pytest.mark.parametrize("name", ODD)
def test_a_run_may_have_any_name(hw: hardwon.Hardwon, name: str) -> None:
    agent = hw.agent("coder", run=ODD[name]())

    agent.before_action("bash", "deploy")
    agent.after_action("bash", "deploy", output="error: refused", failed=True)
    agent.after_run(task="deploy", error="refused")


def test_a_listener_that_raises_does_not_reach_the_turn(hw: hardwon.Hardwon) -> None:
    def listen(error: BaseException) -> None:
        raise RuntimeError("listener")

    hw.on_trouble(listen)
    agent = hw.agent("coder")

    assert not agent.goals.context(Hostile())
    assert not agent.before_action("bash", Hostile())


@pytest.mark.parametrize("name", ODD)
def test_learn_refuses_in_words_what_is_no_text(hw: hardwon.Hardwon, name: str) -> None:
    agent = hw.agent("coder")

    for call in (agent.learn, agent.lessons.search, agent.lessons.revoke):
        try:
            call(ODD[name]())
        except HardwonError:
            continue
