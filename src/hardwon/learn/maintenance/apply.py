"""Apply a dream's edits to lessons, and undo them. No lesson is ever rewritten in place."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.text.clean import plural
from hardwon.core.values import dream as dreams
from hardwon.core.values.lesson import Kind, Lesson, Status, statuses, without_evidence
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime

_CHUNK = 100


def apply(
    engine: Runtime, dream: str, edits: Iterable[dreams.Edit], now: datetime
) -> list[dreams.Edit]:
    """Make the edits and note how to undo them; return the edits that still applied."""
    applied, changes = [], []
    with engine.store.dreams.together():
        for edit in edits:
            lessons = [lesson for place in edit.lessons if (lesson := _active(engine, *place))]
            if edit.target is not None:
                effects = _replace_parents(engine, dream, edit, lessons, now)
            elif edit.tag and len(lessons) < len(edit.lessons):
                effects = []
            else:
                untagged = (lesson for lesson in lessons if edit.tag not in lesson.tags)
                effects = [_set_status(engine, edit, one, tag=edit.tag) for one in untagged]
            if effects:
                applied.append(edit)
                changes += effects
        engine.store.dreams.note(dream, changes)
    return applied


def undo(engine: Runtime, scope: Scope, dream_id: str) -> tuple[dreams.Dream, int, int]:
    """Take back what a dream did: its row, how many lessons were restored, how many were not.

    A lesson that was changed or deleted since then stays as it is.
    """
    row = settle(engine, engine.store.dreams.get(scope, dream_id))
    if row.state in (dreams.DreamState.UNDONE, dreams.DreamState.RUNNING):
        raise InvalidInput(f"dream {row.id[:8]} is {row.state} and cannot be undone")
    changes = engine.store.dreams.changes(row.id)[::-1]
    restored = 0
    for start in range(0, len(changes), _CHUNK):
        with engine.store.dreams.together():
            for change in changes[start : start + _CHUNK]:
                restored += _restore(engine, row.scope._replace(project=change.project), change)
    row = row._replace(state=dreams.DreamState.UNDONE)
    engine.store.dreams.save(row)
    return row, restored, len(changes) - restored


def settle(engine: Runtime, row: dreams.Dream) -> dreams.Dream:
    """The current row of a dream; one whose process is gone is marked as died."""
    if row.state != dreams.DreamState.RUNNING:
        return row
    lock = lease(engine, row)
    if lock is None or lock.is_held():
        return row
    # It may have ended before the lock was checked.
    row = engine.store.dreams.get(row.scope, row.id)
    if row.state != dreams.DreamState.RUNNING:
        return row
    _files.unlink(lock.path)
    return mark_dead(engine, row)


def mark_dead(engine: Runtime, row: dreams.Dream) -> dreams.Dream:
    """Mark an interrupted dream as died, with what it had done by then."""
    changes = engine.store.dreams.changes(row.id)
    updated = [change for change in changes if change.before]
    row = row._replace(
        state=dreams.DreamState.DIED,
        memories_consolidated=sum(change.kind in dreams.CONSOLIDATING for change in updated),
        report=(
            f"Dream {row.id[:8]} of {row.scope.tenant}/{row.scope.agent},"
            f" {row.started_at:%Y-%m-%d %H:%M} UTC, died before its end.\n"
            f"It had changed {plural(len(updated), 'lesson')}. Each change is whole; `undo`"
            " takes them back, and the next dream goes on from here."
        ),
    )
    engine.store.dreams.save(row)
    return row


def _replace_parents(
    engine: Runtime, dream: str, edit: dreams.Edit, parents: list[Lesson], now: datetime
) -> list[dreams.DreamChange]:
    """Replace the parents by one lesson; they are kept as superseded."""
    if edit.target is None or len(parents) < (1 if edit.words else 2):
        return []
    new = dreams.merge_lessons(parents, edit.target, dream, now)
    if edit.words:
        if parents[0].updated_at > now:  # its words were changed meanwhile
            return []
        new = without_evidence(new._replace(**edit.words._asdict()), Kind.REWORD)
    stored = engine.store.lessons.add(new)
    added = dreams.DreamChange(
        edit.kind, stored.id, stored.scope.project, edit.reason, after=stored.status
    )
    return [added, *(_set_status(engine, edit, parent) for parent in parents)]


def _set_status(
    engine: Runtime, edit: dreams.Edit, lesson: Lesson, *, tag: str = ""
) -> dreams.DreamChange:
    tags = (*lesson.tags, tag) if tag else lesson.tags
    status = edit.status or lesson.status
    engine.store.lessons.update(lesson._replace(status=status, tags=tags))
    return dreams.DreamChange(
        edit.kind,
        lesson.id,
        lesson.scope.project,
        edit.reason,
        before=lesson.status,
        after=status,
        tags=lesson.tags,
    )


def _restore(engine: Runtime, scope: Scope, change: dreams.DreamChange) -> bool:
    try:
        lesson = engine.store.lessons.get(scope, change.lesson)
    except NotFound:
        return False
    if lesson.status not in statuses(change.after):
        return False
    tags = tuple(tag for tag in lesson.tags if tag != dreams.DISPUTED or tag in change.tags)
    status = change.before or Status.RETIRED
    engine.store.lessons.update(lesson._replace(status=status, tags=tags))
    return True


def _active(engine: Runtime, scope: Scope, number: int) -> Lesson | None:
    """The lesson, unless it was changed or deleted while the dream looked at others."""
    try:
        lesson = engine.store.lessons.get(scope, number)
    except NotFound:
        return None
    return lesson if lesson.is_active else None


def lease(engine: Runtime, dream: dreams.Dream) -> Lease | None:
    """The lease of a dream; None for stores in memory, which end with the process."""
    path = os.path.join(engine.settings.home, f"dream-{dream.id}.lock")
    return Lease(path) if engine.on_disk else None


class Lease(_files.Lock):
    """Held while a dream runs: a running dream and a killed one can be distinguished."""

    def __exit__(self, *_: object) -> None:
        _files.unlink(self.path)
        self.release()

    def is_held(self) -> bool:
        """Whether a living process holds it."""
        if not os.path.exists(self.path):
            return False
        is_free = self.acquire(wait=False)
        self.release()
        return not is_free
