"""Playbook: what a project has taught, item by item, in the order of what it saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.values.episode import Trigger
from hardwon.values.evidence import Kind
from hardwon.values.lesson import Status

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from hardwon.ports import LessonStore
    from hardwon.values.lesson import Lesson
    from hardwon.values.scope import Scope

PINNED = "pinned"  # the tag of an item that comes first
_LOOKED_AT = 400  # lessons


def items(scope: Scope, lessons: LessonStore, now: datetime) -> list[Lesson]:
    """The items of exactly this scope, in the order of what they save."""
    proven = lessons.recent(scope, status=Status.PROVEN, limit=_LOOKED_AT)
    own = (lesson for lesson in proven if lesson.scope == scope and is_item(lesson))
    return in_order(item for item in own if item.expires_at is None or item.expires_at > now)


def is_item(lesson: Lesson) -> bool:
    """Whether a lesson belongs to the playbook: read in a run, or written by a person."""
    return lesson.trigger == Trigger.RUN or lesson.author == "person"


def in_order(items: Iterable[Lesson]) -> list[Lesson]:
    """The items, the pinned ones first, then those that save most; doubtful ones last."""
    return sorted(
        items,
        key=lambda item: (PINNED not in item.tags, is_doubtful(item), -_saves(item), item.id),
    )


def is_doubtful(item: Lesson) -> bool:
    """Whether the last run that used the item failed with it."""
    last = next(
        (
            piece.kind
            for piece in reversed(item.evidence)
            if piece.kind in {Kind.CONFIRMED, Kind.WEAKENED}
        ),
        "",
    )
    return last == Kind.WEAKENED


def _saves(item: Lesson) -> float:
    """How often the item was needed times what it costs not to know it."""
    return item.met * item.importance
