"""Limits of a lesson's fields: stores check every field before they write it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from hardwon.core.errors import InvalidInput
from hardwon.core.values.evidence import Evidence
from hardwon.core.values.fix import Fix
from hardwon.core.values.lesson import Lesson, Status, statuses

if TYPE_CHECKING:
    from collections.abc import Callable

    Rule = Callable[[object], bool]

STATUSES = frozenset(statuses(Status.ALL))
_COUNT_LIMIT = 2**53  # JSON and SQLite both keep integers up to this exactly
_LAST = 253_370_764_800.0  # 9999-01-01: later times have no date in Python
_NUMBERS = (int, float)
_TEXT, _NAME, _ITEMS = 64 * 1024, 2 * 1024, 100_000


def check_lesson(lesson: Lesson) -> Lesson:
    """The lesson itself; raises InvalidInput that names the invalid fields."""
    invalid = invalid_fields(lesson)
    if invalid:
        raise InvalidInput(f"the lesson cannot be stored: invalid {', '.join(invalid)}")
    return lesson


def invalid_fields(lesson: Lesson) -> list[str]:
    """The fields whose value cannot be stored or read back."""
    checks = zip(Lesson._fields, _IN_ORDER, lesson, strict=True)
    return [name for name, rule, value in checks if not rule(value)]


def mend_lesson(lesson: Lesson) -> Lesson:
    """The lesson with defaults in place of invalid fields."""
    blank = Lesson(lesson.scope, "", "")
    return lesson._replace(**{name: getattr(blank, name) for name in invalid_fields(lesson)})


def _is_text(value: object, limit: int = _TEXT) -> bool:
    if not isinstance(value, str) or len(value) > limit or "\0" in value:
        return False
    return value.isascii() or _is_encodable(value)


def _is_encodable(value: str) -> bool:
    """Whether the text has no lone surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_name(value: object) -> bool:
    return _is_text(value, _NAME)


def _are(items: object, rule: Rule) -> bool:
    if items == ():  # as most are
        return True
    return isinstance(items, tuple) and len(items) <= _ITEMS and all(map(rule, items))


def _is_number(value: object, least: float, most: float) -> bool:
    is_number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
    return is_number and least <= value <= most  # type: ignore[operator]  # NaN is in no range


def _is_count(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and _is_number(value, least, most)


def _is_moment(value: object) -> bool:
    if not isinstance(value, datetime) or value.tzinfo is None:
        return False
    return 0 <= value.timestamp() <= _LAST


def _is_evidence(piece: object) -> bool:
    return (
        isinstance(piece, Evidence)
        and _is_name(piece.kind)
        and _is_text(piece.value)
        and _is_number(piece.at, 0, _LAST)
    )


def _is_fix(fix: object) -> bool:
    return (
        isinstance(fix, Fix)
        and all(map(_is_text, fix[:5]))
        and all(_is_count(number, 0, _COUNT_LIMIT) for number in (fix.worked, fix.failed))
    )


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("situation", "correction", "mistake"), _is_text),
    **dict.fromkeys(("trigger", "origin", "author", "job"), _is_name),
    **dict.fromkeys(("tags", "signatures", "calls", "kinds"), lambda items: _are(items, _is_text)),
    "evidence": lambda items: _are(items, _is_evidence),
    "fixes": lambda items: _are(items, _is_fix),
    "importance": lambda value: _is_number(value, 0, 1),
    "confidence": lambda value: _is_number(value, 0, 1),
    "status": lambda value: isinstance(value, str) and value in STATUSES,
    "hits": lambda value: _is_count(value, 0, _COUNT_LIMIT),
    "met": lambda value: _is_count(value, 0, _COUNT_LIMIT),
    **dict.fromkeys(("created_at", "updated_at", "last_seen_at"), _is_moment),
    "expires_at": lambda value: value is None or _is_moment(value),
    "guard": lambda value: isinstance(value, bool),
}
_IN_ORDER: tuple[Rule, ...] = tuple(_RULES.get(name, lambda _: True) for name in Lesson._fields)
