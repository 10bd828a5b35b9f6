"""The forbidden calls of a home in one small file, which hooks read first.

Each line is a guard: the words that the call must contain, a tab, and JSON. The store writes it in
the transaction that changes a guard, so a stored guard takes effect at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from hardwon.core import _files
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.scope import Scope

NAME = "guards"


def read(home: str) -> bytes:
    """The content of the file; empty if there is none."""
    try:
        with open(os.path.join(home, NAME), "rb") as file:
            return file.read()
    except OSError:
        return b""


def write(home: str, lessons: Iterable[Lesson]) -> None:
    """Write the guards of these lessons; without any the file is removed."""
    lines = b"".join(line for lesson in lessons for line in _lines(lesson))
    path = os.path.join(home, NAME)
    with _files.storage_errors(path):
        if not lines:
            _files.unlink(path)
        elif lines != read(home):
            _files.replace(path, lines, durable=True)


def lines_about(content: bytes, event: bytes) -> list[bytes]:
    """The lines whose words all occur in the event: it may contain a forbidden call."""
    return [
        line
        for line in content.split(b"\n")
        if line and all(word in event for word in line.partition(b"\t")[0].split())
    ]


def forbidding(
    lines: Iterable[bytes], scope: Scope, *, tool: str, call: str, now: float
) -> Lesson | None:
    """The lesson that forbids the call in this scope, if one does."""
    from hardwon.knowledge.reading import guards

    for line in lines:
        place, calls, allowed, fields = json.loads(line.partition(b"\t")[2])
        number, situation, correction, expires = fields
        lesson = Lesson(Scope(*place), situation, correction, id=number, guard=True)
        guard = guards.Guard(tuple(calls), tuple(allowed))
        is_alive = expires is None or expires > now
        if is_alive and lesson.scope in scope.visible() and guard.forbids(tool, call):
            return lesson
    return None


def _lines(lesson: Lesson) -> Iterator[bytes]:
    from hardwon.knowledge.reading import guards

    guard = guards.guard_of(lesson)
    expires = lesson.expires_at.timestamp() if lesson.expires_at else None
    for call, words in zip(guard.calls, guard.needles(), strict=True):
        fields = (lesson.id, lesson.situation, lesson.correction, expires)
        details = json.dumps((tuple(lesson.scope), (call,), guard.allowed, fields))
        yield f"{' '.join(words)}\t{details}\n".encode()
