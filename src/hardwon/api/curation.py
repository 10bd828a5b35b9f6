"""Changes that people make to lessons: edit, approve, merge, revoke, restore, import."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from hardwon.core._garbage import collect_garbage_rarely
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.values import lesson_formats
from hardwon.core.values.dream import merge_lessons
from hardwon.core.values.lesson import (
    LIVE,
    RETIRE,
    Change,
    Kind,
    Lesson,
    Status,
    approve_lesson,
    with_evidence,
)
from hardwon.core.values.lesson_formats import Pack, check_lesson, is_held, is_import
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import screen
from hardwon.engine.runtime import Runtime

MERGED = "merged"  # the origin of a lesson that a person made of several


def changeable(engine: Runtime, scope: Scope, number: int) -> Lesson:
    """The lesson, if it may be changed from this scope."""
    lesson = engine.store.lessons.get(scope, number)
    if lesson.scope not in scope.changeable():
        raise InvalidInput(
            f"lesson {number} belongs to {lesson.scope.project!r}, which this folder is not"
            " trusted to change; `hardwon project trust` trusts it"
        )
    return lesson


def edit(engine: Runtime, scope: Scope, number: int, changes: Mapping[str, Any]) -> Lesson:
    """The edited lesson; a person who changes the correction vouches for it."""
    lesson = changeable(engine, scope, number)
    changed = check_lesson(lesson._replace(**changes, updated_at=engine.clock()))
    if changed.correction != lesson.correction:
        is_alive = changed.status in LIVE and "status" not in changes
        changed = changed._replace(
            author="person", status=Status.PROVEN if is_alive else changed.status
        )
    changed = screen.screen_lesson(changed)
    engine.store.lessons.update(changed)
    return changed


def approve(engine: Runtime, scope: Scope, number: int) -> Lesson:
    """The lesson, released from quarantine by a person."""
    lesson = approve_lesson(changeable(engine, scope, number))
    lesson = lesson._replace(updated_at=engine.clock())
    engine.store.lessons.update(lesson)
    return lesson


def merge(engine: Runtime, parents: Sequence[Lesson]) -> Lesson:
    """Store one lesson with the text of the strongest parent and the evidence of all."""
    now = engine.clock()
    union = merge_lessons(parents, parents[0].scope, "", now)._replace(origin=MERGED, job="")
    with engine.store.together():
        stored = engine.store.lessons.add(screen.screen_lesson(union))
        for parent in parents:
            engine.store.lessons.update(parent._replace(status=Status.SUPERSEDED, updated_at=now))
    return stored


def revoke(engine: Runtime, scope: Scope, origin: str, own: Collection[Scope]) -> list[Lesson]:
    """Delete every own lesson of an origin and every one made from them; returns them."""
    return screen.revoke(origin, scope=scope, own=own, lessons=engine.store.lessons)


def restore(engine: Runtime, change: Change) -> Lesson:
    """The lesson as it was before a change; a deleted lesson gets a new id."""
    store, before = engine.store.lessons, change.before
    try:
        now = store.get(before.scope, before.id)
    except NotFound:
        return store.add(before)
    lesson = lesson_formats.with_earlier_text(now, before)
    if change.act == RETIRE:  # from now on a person vouches for it
        lesson = with_evidence(lesson, Kind.APPROVED, "person")
    store.update(lesson)
    return lesson


def imported_before(
    engine: Runtime, scope: Scope, own: Collection[Scope], *, limit: int
) -> list[Lesson]:
    """The own lessons that were imported before, at most the `limit` latest."""
    lessons = engine.store.lessons.recent(scope, status=Status.ALL, limit=limit)
    return [lesson for lesson in lessons if lesson.scope in own and is_import(lesson)]


def take_in(
    engine: Runtime,
    pack: Pack,
    known: Iterable[Lesson],
    *,
    tell: Callable[[int, int], None],
) -> list[Lesson]:
    """Store the lessons of a pack, all or none. Lessons in `known` stay, unless now released."""
    before = {pack.name(lesson): lesson for lesson in known}
    stored: list[Lesson] = []
    with collect_garbage_rarely(), engine.store.together():
        for lesson in pack.lessons:
            tell(len(stored), pack.size)
            existing = before.get(pack.name_of_new(lesson)) if before else None
            stored.append(_take(engine, pack.admit(lesson), existing))
    return stored


def _take(engine: Runtime, lesson: Lesson, existing: Lesson | None) -> Lesson:
    """Store one imported lesson with its dates, unless `existing` stays."""
    is_released = is_held(existing) and not is_held(lesson)
    if existing and not is_released:
        return existing
    if existing:
        engine.store.lessons.delete(existing.scope, existing.id)
    if is_held(lesson):
        return _hold(engine, lesson)
    return engine.keep(lesson, keeps_dates=True)


def _hold(engine: Runtime, lesson: Lesson) -> Lesson:
    """Store a lesson in quarantine; it is not merged with others."""
    dated = lesson.with_dates(engine.clock(), keeps_dates=True)
    return engine.store.lessons.add(screen.screen_lesson(dated))
