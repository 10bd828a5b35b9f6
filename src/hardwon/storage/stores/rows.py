"""Convert lessons and deliveries to rows and back, even if rows are damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.core.values.delivery import Delivery
from hardwon.core.values.lesson import EPOCH, Evidence, Fix, Lesson, quarantine_lesson
from hardwon.core.values.lesson_formats import invalid_fields

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope

    Row = tuple[Any, ...]

_moment = datetime.fromtimestamp
_TEXTS = "situation, mistake, correction, trigger_name, origin, author, job, status"
_LISTS = "tags, signatures, calls, evidence, kinds, fixes"
_NUMBERS = "importance, confidence, hit_count, met_count, guard"
_TIMES = "created_at, updated_at, last_seen_at, expires_at"
# The text that people search in.
SEARCHED = "situation || ' ' || mistake || ' ' || correction || ' ' || tags"
ALL_TEXT = " || ".join(f"{_TEXTS}, {_LISTS}".split(", "))
COLUMNS = f"{_TEXTS}, {_LISTS}, {_NUMBERS}, {_TIMES}"
DELIVERY = "id, shelf, door, query, lessons, scores, tokens, micros, at, outcome"
_UNREADABLE = (ValueError, TypeError, OverflowError, OSError, RecursionError)


def values_of(lesson: Lesson) -> tuple[object, ...]:
    """The columns of a lesson, in the order of `COLUMNS`."""
    expires = lesson.expires_at
    names = (lesson.tags, lesson.signatures, lesson.calls)
    lists: tuple[tuple[object, ...], ...] = (*names, lesson.evidence, lesson.kinds, lesson.fixes)
    return (
        *(lesson.situation, lesson.mistake, lesson.correction, lesson.trigger),
        *(lesson.origin, lesson.author, lesson.job, lesson.status),
        *(_encoded(items) if items else "[]" for items in lists),
        *(lesson.importance, lesson.confidence, lesson.hits, lesson.met, lesson.guard),
        *(lesson.created_at.timestamp(), lesson.updated_at.timestamp()),
        *(lesson.last_seen_at.timestamp(), expires and expires.timestamp()),
    )


def _encoded(items: tuple[object, ...]) -> str:
    return json.dumps(items, ensure_ascii=False)


def _list(text: str) -> tuple[Any, ...]:
    if text == "[]":
        return ()
    items = json.loads(text)
    if not isinstance(items, list):
        raise ValueError("not a list")
    return tuple(items)


def lesson_of(row: Row, scopes: dict[int, Scope]) -> Lesson:
    """The lesson of a row (id, shelf, COLUMNS); a damaged row is read as far as possible.

    A salvaged lesson is in quarantine, so it is never delivered.
    """
    try:
        return _undamaged(row, scopes)
    except _UNREADABLE:
        return quarantine_lesson(_undamaged(_salvaged(row), scopes), "damaged")


def damage(row: Row, scopes: dict[int, Scope]) -> str:
    """The damage of a row, in words; "" if there is none."""
    try:
        return ", ".join(invalid_fields(_undamaged(row, scopes)))
    except _UNREADABLE as error:
        return f"unreadable ({type(error).__name__})"


def _undamaged(row: Row, scopes: dict[int, Scope]) -> Lesson:
    """By position for speed: one recall reads many."""
    number, shelf, situation, mistake, correction, trigger, origin, author, job, status = row[:10]
    tags, signatures, calls, pieces, kinds, fixes = [
        () if text == "[]" else _list(text) for text in row[10:16]
    ]
    "".join((*tags, *signatures, *calls, *kinds))  # raises unless all are text
    importance, confidence, hits, met, guard, created, updated, last_seen, expires = row[16:]
    texts = (scopes[shelf], situation, correction, mistake, tags, trigger, signatures, calls)
    evidence = pieces and tuple(map(Evidence._make, pieces))
    cures = fixes and tuple(map(Fix._make, fixes))
    facts = (evidence, origin, author, job, importance, confidence, status, number, hits, met)
    made = _moment(created, UTC)
    changed = made if updated == created else _moment(updated, UTC)
    seen = changed if last_seen == updated else _moment(last_seen, UTC)
    last_fields = (expires and _moment(expires, UTC), bool(guard), kinds, cures)
    return Lesson._make((*texts, *facts, made, changed, seen, *last_fields))


def _salvaged(row: Row) -> Row:
    """The row with defaults in place of unreadable values."""
    lists = (text if _is_readable(text, at) else "[]" for at, text in enumerate(row[10:16]))
    times = (moment(seconds).timestamp() for seconds in row[21:24])
    return (*row[:10], *lists, *row[16:21], *times, None)


def _is_readable(text: str, at: int) -> bool:
    make = (None, None, None, Evidence._make, None, Fix._make)[at]
    try:
        items = _list(text)
        return all(map(make, items)) if make else bool("".join(items) or True)
    except _UNREADABLE:
        return False


def listed(text: str) -> tuple[Any, ...]:
    """The items of a stored list; empty if it is damaged."""
    try:
        return _list(text)
    except _UNREADABLE:
        return ()


def moment(seconds: float) -> datetime:
    """The time of a stored number; 1970 for a number that is no valid date."""
    try:
        return _moment(seconds, UTC)
    except _UNREADABLE:
        return EPOCH


def noted_delivery(delivery: Delivery) -> list[object]:
    """The values of a delivery as the journal notes it: id, scope, other columns."""
    return [
        delivery.id,
        *delivery.scope,
        delivery.door,
        delivery.query,
        json.dumps(delivery.lessons),
        json.dumps(delivery.scores),
        delivery.tokens,
        delivery.micros,
        delivery.at.timestamp(),
        delivery.outcome,
    ]


def delivery_of(row: Row, shelves: dict[int, Scope]) -> Delivery:
    """The delivery of a row (DELIVERY)."""
    return Delivery(
        id=row[0],
        scope=shelves[row[1]],
        door=row[2],
        query=row[3],
        lessons=listed(row[4]),
        scores=listed(row[5]),
        tokens=row[6],
        micros=row[7],
        at=moment(row[8]),
        outcome=row[9],
    )
