"""What comes before a call, through the hooks: in time, once, and about that call only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hardwon
from tests.journeys.serving import CWD, DaemonProcess, serving
from tests.surfaces.hooks.hooking import Hook

FAILS, ERROR = 'python import.py "orders.csv"', "import.py: error: required: --dialect"
WORKS = 'python import.py --dialect excel "orders.csv"'


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    return Hook(tmp_path / "home")


@pytest.fixture
def daemon(hook: Hook) -> Iterator[DaemonProcess]:
    with serving(hook) as started:
        yield started


def meet(daemon: DaemonProcess, session: str, *steps: tuple[str, str]) -> list[dict[str, Any]]:
    """One session from its start to its end; an empty error is a call that works."""
    daemon.tell("SessionStart", session, source="startup")
    daemon.tell("UserPromptSubmit", session, prompt=f"Do the job of {session}")
    said = [
        daemon.fail(session, call, error) if error else daemon.work(session, call)
        for call, error in steps
    ]
    daemon.tell("Stop", session, last_assistant_message="done")
    daemon.tell("SessionEnd", session)
    return said


def is_denied(said: dict[str, Any]) -> bool:
    output = said.get("hookSpecificOutput", {})
    return bool(output.get("permissionDecision") == "deny")


def test_a_call_that_failed_in_one_session_is_denied_once_in_another(
    hook: Hook, daemon: DaemonProcess
) -> None:
    """The other session has begun before; its last event comes from a process without a daemon."""
    daemon.tell("SessionStart", "other", source="startup")
    daemon.tell("UserPromptSubmit", "other", prompt="Import the orders")
    meet(daemon, "first", (FAILS, ERROR), (WORKS, ""))

    denied = daemon.before(
        "other", "python  import.py 'orders.csv'"
    )  # blanks and quotes do not count
    again = daemon.before("other", FAILS)
    follows = daemon.before("third", WORKS)
    resembles = [
        daemon.before("third", call)
        for call in (
            "python import.py orders.csv --dry-run",
            "python import.py clients.csv",
            "python export.py orders.csv",
            f"cd data && {FAILS}",
        )
    ]
    alone = {"hook_event_name": "PreToolUse", "session_id": "fourth", "cwd": CWD}
    call = {"tool_name": "Bash", "tool_input": {"command": FAILS}}

    assert is_denied(denied)
    assert WORKS.replace('"', "") in json.dumps(denied).replace('\\"', "")
    assert (again, follows) == ({}, {})
    assert [said for said in resembles if said] == []
    assert is_denied(hook("claude-code", {**alone, **call}).answer)


def test_a_call_that_has_worked_since_is_not_denied(daemon: DaemonProcess) -> None:
    meet(daemon, "first", (FAILS, ERROR), (WORKS, ""))
    meet(daemon, "second", (FAILS, ""))

    assert daemon.before("third", FAILS) == {}


def test_one_thing_is_told_once(daemon: DaemonProcess) -> None:
    """At the start and as the reason of a denial, but not behind the call that is made anyhow."""
    meet(daemon, "first", (FAILS, ERROR), (WORKS, ""))
    cure = "--dialect excel"

    start = daemon.tell("SessionStart", "second", source="startup")
    prompt = daemon.tell("UserPromptSubmit", "second", prompt="Do the job of first")
    before = daemon.before("second", FAILS)
    after = daemon.fail("second", FAILS, ERROR)

    told = [cure in json.dumps(said) for said in (start, prompt, before, after)]
    assert told == [True, False, True, False]


def test_a_guard_denies_its_call_and_nothing_else(hook: Hook, daemon: DaemonProcess) -> None:
    meet(daemon, "first", (FAILS, ERROR), (WORKS, ""))
    with hardwon.open(hook.home) as hw:
        lessons = hw.agent("default", project=CWD).lessons
        lessons.guard(lessons.list()[0].id)

    calls = (FAILS, FAILS, WORKS, f"{FAILS} --dry-run", "python import.py clients.csv")
    said = [is_denied(daemon.before("second", call)) for call in calls]

    assert said == [True, True, False, False, False]


def test_a_guard_whose_cure_is_to_call_something_first_leaves_that_alone(
    hook: Hook, daemon: DaemonProcess
) -> None:
    deploy, plan = "sh deploy.sh stage", "sh plan.sh stage"
    for session in ("first", "second"):
        steps = ((deploy, "deploy: there is no plan"), (plan, ""), (deploy, ""))
        meet(daemon, session, *steps)
    with hardwon.open(hook.home) as hw:
        lessons = hw.agent("default", project=CWD).lessons
        lessons.guard(lessons.list()[0].id)

    alone = daemon.before("third", deploy)
    said = [daemon.before("fourth", call) for call in (f"{plan} && {deploy}", plan)]
    daemon.work("fourth", plan)
    said.append(daemon.before("fourth", deploy))

    assert is_denied(alone)
    assert [is_denied(answer) for answer in said] == [False] * 3


def test_the_person_reads_what_failed_and_what_worked(daemon: DaemonProcess) -> None:
    missing = 'npm error Missing script: "test"'
    said = meet(daemon, "first", ("npm test", missing), ("npm run test:unit", ""))
    said += meet(daemon, "second", ("npm test", missing), ("npm run test:unit", ""))

    lines = [answer["systemMessage"] for answer in said if "systemMessage" in answer]
    assert "hardwon: `npm test` failed here before; `npm run test:unit` worked" in lines
