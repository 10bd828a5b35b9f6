"""A tool that takes an action is several tools."""

from __future__ import annotations

import pytest

import hardwon
from hardwon.core.values.run import Step
from hardwon.knowledge.reading.call_keys import canonical, of_operation, operation


@pytest.mark.parametrize(
    ("tool", "args", "name", "others"),
    [
        ("grid", {"action": "hold", "day": 3}, "grid.hold", '{"day": 3}'),
        ("grid", {"operation": "free", "day": 3}, "grid.free", '{"day": 3}'),
        ("grid", {"op": "free"}, "grid.free", "{}"),
        ("grid", {"action": "rate", "code": "EUR"}, "grid.rate", '{"code": "EUR"}'),
        ("mcp__desk__grid", {"action": "hold"}, "mcp__desk__grid.hold", "{}"),
    ],
)
def test_the_action_is_part_of_the_name(
    tool: str, args: dict[str, object], name: str, others: str
) -> None:
    assert operation(tool, canonical(args)) == (name, others)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("add_step", {"action": "open", "day": 3}),  # the name has a verb: an ordinary argument
        ("addStep", {"action": "open", "day": 3}),
        ("grid", {"action": "hold the line", "day": 3}),
        ("grid", {"action": 4, "day": 3}),
        ("grid", {"mode": "hold", "day": 3}),
        ("editor", {"action": "view", "path": "a.py"}),
        ("bash", {"command": "ls"}),
    ],
)
def test_another_call_stays_as_it_is(tool: str, args: dict[str, object]) -> None:
    step = Step(tool, canonical(args), "out")

    assert of_operation(step) is step


def test_what_cures_one_action_is_told_for_it_alone() -> None:
    agent = hardwon.open("memory:").agent("desk")
    place = {"action": "place", "day": "2031-06-05", "house": "H004"}
    hold = {"action": "hold", "day": "2031-06-05", "mode": "W"}
    for _ in range(4):
        agent.after_action("grid", place, output="E4002 GRID NOT HELD FOR UPDATE")
        agent.after_action("grid", hold, output="OK HOLD")
        agent.after_action("grid", place, output="OK PLACE")
        agent.after_run(task="place it")

    told = agent.after_action("grid", place, output="E4002 GRID NOT HELD FOR UPDATE")

    assert told.failed
    assert "first `grid.hold(mode=W, day)`, then `grid.place(day, house)`" in told.text
    assert agent.before_action("grid", hold).text == ""


def test_a_call_is_warned_about_by_its_action() -> None:
    agent = hardwon.open("memory:").agent("desk")
    move, shift = ({"action": name, "day": "mon", "house": "H4"} for name in ("move", "shift"))
    agent.after_action("grid", move, output="E0001 ACTION ? move")
    agent.after_action("grid", shift, output="OK SHIFT")
    agent.after_run(task="move it")

    assert "`grid.shift(day, house)`" in agent.before_action("grid", move).text
    assert not agent.before_action("grid", shift)


def test_a_guard_denies_the_action_that_its_lesson_is_about() -> None:
    agent = hardwon.open("memory:").agent("desk")
    purge = {"action": "purge", "queue": "main"}
    for _ in range(2):
        agent.after_action("grid", purge, output="E4002 QUEUE IN USE", failed=True)
        agent.after_run(task="purge it")
    (lesson,) = agent.lessons.list(status="all")
    agent.lessons.guard(lesson.id)

    assert agent.before_action("grid", purge).denied
    assert not agent.before_action("grid", {"action": "purge", "queue": "other"}).denied
    assert not agent.before_action("grid", {"action": "look", "queue": "main"}).denied


def test_a_guard_denies_one_word_whatever_stands_beside_it() -> None:
    agent = hardwon.open("memory:").agent("desk")
    lesson = agent.learn("never reboot the host of the shop")
    agent.lessons.guard(lesson.id, call="reboot")

    assert agent.before_action("bash", {"command": "reboot", "timeoutSeconds": 5}).denied
