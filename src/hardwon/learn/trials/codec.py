"""Values from JSON and back. What does not fit its type is refused, so damage is noticed."""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


class Misfit(ValueError):
    """JSON that is not of the expected form; the text says where."""


def to_json(value: Any) -> Any:
    """The value as JSON knows it; what is absent (None) is left out."""
    if hasattr(value, "_asdict"):
        return {k: to_json(v) for k, v in value._asdict().items() if v is not None}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {k: to_json(v) for k, v in value.items()}
    return value


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if hasattr(value, "_asdict"):
        return type(value)(*(with_texts(item, change) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(with_texts(item, change) for item in value)
    return value


def from_json(kind: type[Value], data: Any, where: str = "") -> Value:
    """The value of that type; names that are not known are passed over."""
    made: Value = _built(kind, data, where or kind.__name__)
    return made


def _built(kind: Any, data: Any, where: str) -> Any:
    origin = get_origin(kind)
    if origin is Literal:
        return _chosen(get_args(kind), data, where)
    if origin is tuple:
        return _sequence(get_args(kind)[0], data, where)
    if origin in (types.UnionType, Union):
        inner = [one for one in get_args(kind) if one is not type(None)]
        return None if data is None else _built(inner[0], data, where)
    if hasattr(kind, "_fields"):
        return _fields(kind, data, where)
    return _simple(kind, data, where)


def _chosen(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    if data not in choices:
        raise Misfit(f"{where}: {data!r} is none of {', '.join(map(str, choices))}")
    return data


def _sequence(kind: Any, data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple):
        raise Misfit(f"{where}: {type(data).__name__} instead of a list")
    return tuple(_built(kind, item, f"{where}[{at}]") for at, item in enumerate(data))


def _fields(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise Misfit(f"{where}: {type(data).__name__} instead of an object")
    hints = _hints(kind)
    needed = [name for name in kind._fields if name not in kind._field_defaults]
    missing = [name for name in needed if name not in data]
    if missing:
        raise Misfit(f"{where}: {', '.join(missing)} missing")
    known = {name: data[name] for name in kind._fields if name in data}
    return kind(**{k: _built(hints[k], v, f"{where}.{k}") for k, v in known.items()})


def _simple(kind: Any, data: Any, where: str) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if kind is int and isinstance(data, float) and data.is_integer():
        return int(data)
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise Misfit(f"{where}: {type(data).__name__} instead of {kind.__name__}")
    return data


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
