"""Before a call: only the same call that failed here last is told, once, if another worked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from hardwon import Agent, Hardwon
from hardwon.core.settings import load

STAGE, ERROR = "yard stage 'a  b' --week 14", "yard: E1301 unknown key"
KEYED = "yard stage 'a  b' --week 14 --key K7"
BUILD, EMPTY = "npm run site:build", "Error: catalog is missing"


@pytest.fixture
def hw() -> Iterator[Hardwon]:
    with hardwon.open("memory:") as opened:
        yield opened


def bash(agent: Agent, *calls: tuple[str, str]) -> None:
    """Make calls; those with an error fail."""
    for command, error in calls:
        agent.after_action("bash", {"command": command}, output=error, failed=bool(error))


def ended(hw: Hardwon, *calls: tuple[str, str], task: str = "stage it") -> None:
    agent = hw.agent("coder")
    agent.before_turn(task)
    bash(agent, *calls)
    agent.after_run(task=task)


def told(agent: Agent, command: str) -> str:
    return agent.before_action("bash", {"command": command}).text


@pytest.mark.parametrize(
    ("command", "is_told"),
    [
        (STAGE, True),
        ('yard  stage "a b"  --week 14', True),
        ("yard stage 'a  b' --week 14 2>/dev/null", True),
        (f"cat notes.txt; {STAGE} | head", True),
        ("yard stage c --week 14", False),
        ("yard stage 'a  b' --week 15", False),
        ("yard list", False),
        ("other stage 'a  b' --week 14", False),
        (KEYED, False),
        (f"yard open && {STAGE}", False),
    ],
    ids=[
        *("the same", "other blanks and quotes", "output hidden", "with looks around it"),
        *("another thing", "another value", "another sub-command", "another program"),
        *("what worked", "something else first"),
    ],
)
def test_only_the_same_call_is_told(hw: Hardwon, command: str, is_told: bool) -> None:
    ended(hw, (STAGE, ERROR), (KEYED, ""))

    assert ("--key K7" in told(hw.agent("coder"), command)) is is_told


def test_values_of_the_task_may_differ(hw: Hardwon) -> None:
    first = "yard post ticket-3117", ERROR
    ended(hw, first, ("yard post ticket-3117 --key K7", ""), task="Post ticket-3117")
    agent = hw.agent("coder")
    agent.before_turn("Post ticket-4120")

    assert "--key K7" in told(agent, "yard post ticket-4120")
    assert not told(agent, "yard post ticket-5000")


def test_a_failure_that_nobody_got_past_is_not_told(hw: Hardwon) -> None:
    ended(hw, (STAGE, ERROR))

    assert not told(hw.agent("coder"), STAGE)


def test_a_call_is_denied_once_a_run(hw: Hardwon) -> None:
    ended(hw, (STAGE, ERROR), (KEYED, ""))
    agent = hw.agent("coder")

    assert agent.before_action("bash", {"command": STAGE}).denied
    assert not agent.before_action("bash", {"command": STAGE})


def test_a_call_is_only_told_where_denials_are_off(tmp_path: Path) -> None:
    settings = load(str(tmp_path))
    settings = settings._replace(hooks=settings.hooks._replace(stop_once=False))
    with hardwon.open(settings=settings) as hw:
        ended(hw, (STAGE, ERROR), (KEYED, ""))

        shown = hw.agent("coder").before_action("bash", {"command": STAGE})

    assert (bool(shown), shown.denied) == (True, False)


def test_what_an_error_told_is_not_told_again_before_the_call(hw: Hardwon) -> None:
    ended(hw, (STAGE, ERROR), (KEYED, ""))
    agent = hw.agent("coder")
    bash(agent, (STAGE, ERROR))

    assert not told(agent, STAGE)


def test_a_failure_after_its_warning_is_not_told_again(hw: Hardwon) -> None:
    ended(hw, (STAGE, ERROR), (KEYED, ""))
    agent, unwarned = hw.agent("coder"), hw.agent("coder")
    assert told(agent, STAGE)

    assert not agent.after_action("bash", {"command": STAGE}, output=ERROR, failed=True)
    assert unwarned.after_action("bash", {"command": STAGE}, output=ERROR, failed=True)


def test_a_call_passes_once_what_must_come_first_was_called(hw: Hardwon) -> None:
    for _ in range(2):
        ended(hw, (BUILD, EMPTY), ("yard pack", ""), (BUILD, ""), (BUILD, EMPTY))
    agent = hw.agent("coder")
    warned, prepared = hw.agent("coder"), agent
    bash(prepared, ("yard pack", ""))

    assert "first `yard pack`, then" in told(warned, BUILD)
    assert not told(prepared, BUILD)


def test_a_call_that_worked_since_is_no_longer_known_as_failing(hw: Hardwon) -> None:
    ended(hw, (STAGE, ERROR), (KEYED, ""))
    ended(hw, (STAGE, ""))
    assert not told(hw.agent("coder"), STAGE)

    ended(hw, (STAGE, ERROR))
    assert not told(hw.agent("coder"), STAGE)  # what it meets may depend on the state of things

    ended(hw, (STAGE, ERROR))
    assert told(hw.agent("coder"), STAGE)


def test_a_call_that_works_in_another_project_is_still_known_as_failing(hw: Hardwon) -> None:
    ended(hw, (STAGE, ERROR), (KEYED, ""))
    elsewhere = hw.agent("coder", project="web")
    bash(elsewhere, (STAGE, ""))
    elsewhere.after_run(task="stage it")

    assert told(hw.agent("coder"), STAGE)


def test_a_call_is_explained_with_why_it_is_told(hw: Hardwon) -> None:
    ended(hw, (STAGE, ERROR), (KEYED, ""))

    (found,) = hw.agent("coder").explain("action", STAGE)

    assert (found.parts, found.verdict) == ((("same call", 1.0),), "")
