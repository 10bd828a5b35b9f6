"""Playbook: what a project has taught, item by item, in the order of what it saves.

Later runs confirm or weaken its items (`confirm`). No model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from hardwon.core.values.lesson import Kind, Lesson, Status
from hardwon.core.values.run import Trigger
from hardwon.core.values.scope import Scope
from hardwon.storage.ports import LessonStore

PINNED = "pinned"  # the tag of an item that comes first
SORTS = ("pitfall", "way", "fact")
_BEFORE = "before:"  # the tag of an item that a person moved: before which one, and its turn
LOOKED_AT = 400  # lessons


def items(scope: Scope, lessons: LessonStore, now: datetime) -> list[Lesson]:
    """The items of exactly this scope, in the order of what they save."""
    return of(scope, lessons.recent(scope, status=Status.PROVEN, limit=LOOKED_AT), now)


def of(scope: Scope, lessons: Iterable[Lesson], now: datetime) -> list[Lesson]:
    """Those of the lessons that are items of exactly this scope, in the order of what they save."""
    own = (lesson for lesson in lessons if lesson.scope == scope and is_item(lesson))
    return in_order(item for item in own if item.expires_at is None or item.expires_at > now)


def is_item(lesson: Lesson) -> bool:
    """Whether a lesson belongs to the playbook: read in a run, or written by a person."""
    return lesson.trigger == Trigger.RUN or lesson.author == "person"


def in_order(items: Iterable[Lesson]) -> list[Lesson]:
    """The items, the pinned ones first, then those that save most; doubtful ones last.

    Then each item that a person moved is put right before the one they named.
    """
    order = sorted(
        items,
        key=lambda item: (PINNED not in item.tags, is_doubtful(item), -saves(item), item.id),
    )
    moves = sorted((turn, item.id, to) for item in order for turn, to in _moves(item))
    for _, number, to in moves:
        item = next(item for item in order if item.id == number)
        rest = [other for other in order if other is not item]
        at = next((at for at, other in enumerate(rest) if other.id == to), None)
        order = order if at is None else [*rest[:at], item, *rest[at:]]
    return order


def tags_to_move(item: Lesson, before: Lesson, items: Iterable[Lesson]) -> tuple[str, ...]:
    """The tags of an item that a person puts before another one of the items."""
    turns = [turn for other in items for turn, _ in _moves(other)]
    tag = f"{_BEFORE}{before.id}.{max(turns, default=0) + 1}"
    return (*(own for own in item.tags if not own.startswith(_BEFORE)), tag)


def act_between(before: Lesson, after: Lesson) -> str:
    """What a person did to the place of an item: pin, unpin, move, remove; "" for its words."""
    was, now = set(before.tags), set(after.tags)
    if Status.RETIRED == after.status != before.status:
        return "remove"
    if PINNED in was ^ now:
        return "pin" if PINNED in now else "unpin"
    return "move" if any(tag.startswith(_BEFORE) for tag in now - was) else ""


def _moves(item: Lesson) -> list[tuple[int, int]]:
    """The turn in which an item was moved, and before which one."""
    places = (tag.removeprefix(_BEFORE) for tag in item.tags if tag.startswith(_BEFORE))
    pairs = (place.partition(".") for place in places)
    return [(int(turn), int(to)) for to, _, turn in pairs if to.isdecimal() and turn.isdecimal()]


def sort_of(item: Lesson) -> str:
    """The sort of an item; "note" if it has none."""
    return next((tag for tag in item.tags if tag in SORTS), "note")


def is_doubtful(item: Lesson) -> bool:
    """Whether the last run that used the item failed with it."""
    verdicts = {Kind.CONFIRMED, Kind.WEAKENED}
    used = [piece.kind for piece in item.evidence if piece.kind in verdicts]
    return used[-1:] == [Kind.WEAKENED]


def saves(item: Lesson) -> float:
    """How often the item was needed times what it costs not to know it."""
    return item.met * item.importance
