"""The file of forbidden calls: whose guards hold, how long, and which a hook looks at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hardwon import Lesson, Scope
from hardwon.knowledge.reading.guards import forbidden_call
from hardwon.storage.stores import guard_file

NOW = datetime(2026, 1, 2, tzinfo=UTC)
OWN = Scope("acme", "coder", "api")


def guard(scope: Scope, expires_at: datetime | None = None) -> Lesson:
    calls = (forbidden_call("bash", "rm build"),)
    return Lesson(scope, "s", "c", id=7, calls=calls, guard=True, expires_at=expires_at)


def denies(home: Path, lesson: Lesson, event: bytes = b"rm build") -> bool:
    """Whether a hook of our scope denies the call of an event."""
    guard_file.write(str(home), [lesson])
    lines = guard_file.lines_about(guard_file.read(str(home)), event)
    now = NOW.timestamp()
    found = guard_file.forbidding(lines, OWN, tool="bash", call="rm build", now=now)
    return found is not None


@pytest.mark.parametrize("scope", [OWN, OWN._replace(project=None)])
def test_a_guard_of_the_project_or_of_the_agent_holds(tmp_path: Path, scope: Scope) -> None:
    assert denies(tmp_path, guard(scope))


@pytest.mark.parametrize(
    "scope", [OWN._replace(tenant="other"), OWN._replace(agent="x"), OWN._replace(project="y")]
)
def test_a_guard_of_others_forbids_nothing_here(tmp_path: Path, scope: Scope) -> None:
    assert not denies(tmp_path, guard(scope))


def test_a_guard_ends_when_it_expires(tmp_path: Path) -> None:
    assert denies(tmp_path, guard(OWN, NOW + timedelta(seconds=1)))
    assert not denies(tmp_path, guard(OWN, NOW - timedelta(seconds=1)))


def test_only_an_event_with_all_words_of_a_call_concerns_it(tmp_path: Path) -> None:
    guard_file.write(str(tmp_path), [guard(OWN)])
    kept = guard_file.read(str(tmp_path))

    assert guard_file.lines_about(kept, b'{"command": "rm build"}')
    assert not guard_file.lines_about(kept, b'{"command": "rm dist"}')


def test_without_guards_there_is_no_file(tmp_path: Path) -> None:
    guard_file.write(str(tmp_path), [guard(OWN)])
    guard_file.write(str(tmp_path), [])

    assert guard_file.read(str(tmp_path)) == b""
    assert list(tmp_path.iterdir()) == []
