"""Our values as JSON values."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

_KNOWN = frozenset((str, int, float, bool, type(None)))  # to JSON


def plain(value: Any) -> Any:
    """Our values as JSON values."""
    if type(value) in _KNOWN:
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
