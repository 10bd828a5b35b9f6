"""Checked fields of foreign records; an error names the field and its record."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from hardwon.core.errors import InvalidInput
from hardwon.core.values.lesson import EPOCH


def required_text(value: object, field: str) -> str:
    """The text; raises InvalidInput when it is missing, blank or not a text."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{field} is {value!r}, not a text")
    return value


def share(value: Any, field: str, *, default: float) -> float:
    """A number in 0 … 1; the default if it is missing or 0, else InvalidInput."""
    if value is None or value == 0:
        return default
    try:
        return min(1.0, max(0.0, float(value)))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{field} is {value!r}, not a number") from error


def words(value: Any, field: str) -> tuple[str, ...]:
    """A list of words; a single text counts as a list of one."""
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str | int) for item in items):
        raise InvalidInput(f"{field} is {value!r}, not a list of words")
    return tuple(str(item) for item in items)


def moment(value: object) -> datetime:
    """A time in RFC 3339 or seconds since 1970; the epoch if it cannot be read."""
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        # Up to nine digits of a second are written; Python reads six.
        parsed = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", str(value)))
    except (ValueError, OverflowError, OSError):
        return EPOCH
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
