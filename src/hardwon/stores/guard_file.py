"""The forbidden calls of a home in one small file, which a hook reads before anything else.

A line is a guard: the words that a call has to hold, a tab, and the rest as JSON. The store writes
it within the transaction that changes a guard, so a stored guard is in force at once.
"""

from __future__ import annotations

import os

from hardwon import _files
from hardwon._cold import json
from hardwon._cold.lazy import lazy
from hardwon.errors import storage_error
from hardwon.values.lesson import Lesson
from hardwon.values.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.failures import guards
else:
    guards = lazy("hardwon.failures.guards")

NAME = "guards"


def read(home: str) -> bytes:
    """The file, or nothing."""
    try:
        with open(os.path.join(home, NAME), "rb") as file:
            return file.read()
    except OSError:
        return b""


def write(home: str, lessons: Iterable[Lesson]) -> None:
    """Keep what these lessons forbid; without any there is no file."""
    lines = b"".join(line for lesson in lessons for line in _lines(lesson))
    path = os.path.join(home, NAME)
    try:
        if not lines:
            _files.unlink(path)
        elif lines != read(home):
            _files.replace(path, lines, durable=True)
    except OSError as error:
        raise storage_error(error, path) from error


def concerned(content: bytes, event: bytes) -> list[bytes]:
    """The lines whose words all stand in the event: it may hold a forbidden call."""
    return [
        line
        for line in content.split(b"\n")
        if line and all(word in event for word in line.partition(b"\t")[0].split())
    ]


def forbidding(
    lines: Iterable[bytes], scope: Scope, *, tool: str, call: str, now: float
) -> Lesson | None:
    """The lesson that forbids the call in this scope, if one does."""
    for line in lines:
        lesson, guard, expires = _parsed(line)
        is_alive = expires is None or expires > now
        if is_alive and lesson.scope in scope.visible() and guard.forbids(tool, call):
            return lesson
    return None


def _lines(lesson: Lesson) -> Iterator[bytes]:
    guard = guards.guard_of(lesson)
    expires = lesson.expires_at.timestamp() if lesson.expires_at else None
    for call, words in zip(guard.calls, guard.needles(), strict=True):
        fields = (lesson.id, lesson.situation, lesson.correction, expires)
        rest = json.dumps((tuple(lesson.scope), (call,), guard.allowed, fields))
        yield f"{' '.join(words)}\t{rest}\n".encode()


def _parsed(line: bytes) -> tuple[Lesson, guards.Guard, float | None]:
    scope, calls, allowed, fields = json.loads(line.partition(b"\t")[2])
    number, situation, correction, expires = fields
    lesson = Lesson(Scope(*scope), situation, correction, id=number, guard=True)
    return lesson, guards.Guard(tuple(calls), tuple(allowed)), expires
