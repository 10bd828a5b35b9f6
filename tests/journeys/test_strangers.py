"""200 everyday calls of other scripts, hosts and sub-commands: a daemon says nothing about them."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import hardwon
from tests.journeys.serving import CWD, DaemonProcess, call_of, serving
from tests.surfaces.hooks.hooking import Hook

# A call that fails and what works instead, for one name each.
FAMILIES = (
    ("python scripts/{}.py data/{}.csv", "python scripts/{}.py --dialect excel data/{}.csv"),
    ("curl -s http://{}.internal:8080/health", "curl -s http://{}.internal:9090/health"),
    ("ops {} list --open", "ops --profile finance {} list --open"),
    ("npm run {}", "npm run {} --workspace app"),
    ("make {}", "make {} ENV=dev"),
)
# Every failure has words of its own, so that each is a lesson of its own.
SUBJECTS = ["dialect", "port", "profile", "workspace", "environment"]
TROUBLES = [
    "is missing",
    "was refused",
    "has expired",
    "is locked",
    "is too old",
    "cannot be read",
    "is empty",
    "is unknown",
    "was moved",
    "is not signed",
]
REASONS = ["since the upgrade", "for this user", "on this machine", "at this hour"]
ERRORS = [
    f"error: the {subject} {trouble} {reason}"
    for reason, trouble, subject in itertools.product(REASONS, TROUBLES, SUBJECTS)
]
NAMES = [
    f"{first}_{second}"
    for second, first in itertools.product(
        ["import", "sync", "audit", "merge"],
        ["order", "item", "stock", "price", "quota", "route", "batch", "event", "asset", "queue"],
    )
]
OTHERS = [
    f"{first}_{second}"
    for second, first in itertools.product(
        ["export", "check", "purge", "split"],
        [
            "client",
            "invoice",
            "parcel",
            "ticket",
            "letter",
            "budget",
            "vendor",
            "branch",
            "ledger",
            "carrier",
        ],
    )
]
CALLS = [call.replace("{}", name) for name in OTHERS for call, _ in FAMILIES]


def learn(daemon: DaemonProcess, lessons: int) -> None:
    """So many failures, each met in a session of its own, with what worked."""
    rows = [[part.replace("{}", name) for part in family] for name in NAMES for family in FAMILIES]
    for number, (fails, works) in enumerate(rows[:lessons]):
        session = f"learnt-{number}"
        daemon.tell("UserPromptSubmit", session, prompt=f"Do the job number {number}")
        daemon.fail(session, fails, ERRORS[number])
        daemon.work(session, works)
        daemon.tell("Stop", session, last_assistant_message="done")
        daemon.tell("SessionEnd", session)


@pytest.mark.parametrize("lessons", [5, 20, 200])
def test_calls_of_other_scripts_hosts_and_sub_commands_are_left_alone(
    lessons: int, tmp_path: Path
) -> None:
    hook = Hook(tmp_path / "home")
    known = [call.replace("{}", NAMES[0]) for call, _ in FAMILIES]

    with serving(hook) as daemon:
        learn(daemon, lessons)
        before = {call: daemon.before("today", call) for call in CALLS}
        after = {call: daemon.work("today", call) for call in CALLS}
        told = [bool(daemon.before("later", call)) for call in known]
    event = {"hook_event_name": "PreToolUse", "session_id": "last", "cwd": CWD, **call_of(known[0])}
    alone = hook("claude-code", event)  # the same in a process without a daemon
    with hardwon.open(hook.home) as hw:
        kept = hw.agent("default", project=CWD).lessons.list(limit=1000)

    assert (len(CALLS), len(kept)) == (200, lessons)
    assert [call for call, said in before.items() if said] == []
    assert not any(after.values())
    assert told == [True] * 5
    assert "--dialect excel" in alone.out
