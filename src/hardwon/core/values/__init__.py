"""Frozen values that every room uses, and their conversion to JSON types and back."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

_JSON_TYPES = frozenset((str, int, float, bool, type(None)))
V = TypeVar("V")


class DecodeError(ValueError):
    """JSON that is not of the expected form; the text says where."""


def time_of(value: object) -> datetime | None:
    """The time in a text of ISO 8601, else in seconds since 1970; one without a zone is UTC."""
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def plain(
    value: Any,
    *,
    without_none: bool = False,
    fields: Callable[[Any], Mapping[str, Any]] = lambda value: value._asdict(),
) -> Any:
    """The value as JSON types: named tuples become objects, dates ISO 8601, durations seconds.

    `without_none` leaves out the fields that are None; `fields` gives those of a named tuple.
    """
    if type(value) in _JSON_TYPES:
        return value
    to_plain = functools.partial(plain, without_none=without_none, fields=fields)
    if hasattr(value, "_asdict"):
        items = fields(value).items()
        return {k: to_plain(v) for k, v in items if v is not None or not without_none}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [to_plain(item) for item in value]
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.isoformat() if isinstance(value, date) else value


def from_plain(kind: type[V], data: Any) -> V:
    """The named tuple of that type. Unknown names are ignored; a wrong type is a DecodeError."""
    try:
        value: V = _decode(kind, data)
    except DecodeError as error:
        raise DecodeError(f"{kind.__name__}{error}") from None
    return value


def _decode(kind: Any, data: Any) -> Any:
    origin = get_origin(kind)
    if origin in (types.UnionType, Union):
        inner = next(choice for choice in get_args(kind) if choice is not type(None))
        return None if data is None else _decode(inner, data)
    if origin is tuple:
        if not isinstance(data, list | tuple):
            raise DecodeError(f": {type(data).__name__} instead of a list")
        item = get_args(kind)[0]
        return tuple([_decode(item, entry) for entry in data])
    if hasattr(kind, "_fields"):
        return _decode_fields(kind, data)
    if origin is Literal:
        if not isinstance(data, str) or data not in get_args(kind):
            raise DecodeError(f": {data!r} is none of {', '.join(get_args(kind))}")
        return data
    if kind is float and type(data) is int and abs(data) < 1 << 53:
        return float(data)
    if kind is int and type(data) is float and data.is_integer():
        return int(data)
    if type(data) is not kind:
        raise DecodeError(f": {type(data).__name__} instead of {kind.__name__}")
    return data


def _decode_fields(kind: Any, data: Any) -> Any:
    if not isinstance(data, dict):
        raise DecodeError(f": {type(data).__name__} instead of an object")
    missing = [n for n in kind._fields if n not in kind._field_defaults and n not in data]
    if missing:
        raise DecodeError(f": {', '.join(missing)} missing")
    values: dict[str, Any] = {}
    for name, hint in _hints(kind).items():
        if name in data:
            try:
                values[name] = _decode(hint, data[name])
            except DecodeError as error:
                raise DecodeError(f".{name}{error}") from None
    return kind(**values)


_hints = functools.cache(get_type_hints)
