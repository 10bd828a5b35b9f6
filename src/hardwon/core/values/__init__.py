"""Frozen values that every room uses, and their form as JSON types."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

_JSON_TYPES = frozenset((str, int, float, bool, type(None)))


def plain(value: Any) -> Any:
    """The value as JSON types: named tuples become objects, dates ISO 8601."""
    if type(value) in _JSON_TYPES:
        return value
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value
