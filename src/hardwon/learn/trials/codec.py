"""Convert values from and to JSON. A wrong type is refused, so damage is noticed."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
Reader = Callable[[Any], Any]


class Misfit(ValueError):
    """JSON that is not of the expected form; the text says where."""


def to_json(value: Any) -> Any:
    """The value for JSON; absent fields (None) are left out."""
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


def from_json(kind: type[Value], data: Any) -> Value:
    """The value of that type; unknown names are ignored."""
    hint: Any = kind
    try:
        value: Value = _reader(hint)(data)
    except Misfit as misfit:
        raise Misfit(f"{kind.__name__}{misfit}") from None
    return value


@functools.cache
def _reader(kind: Any) -> Reader:
    """The reader of a type, cached: analytics read many thousands of values."""
    origin = get_origin(kind)
    if origin is Literal:
        return _choice(get_args(kind))
    if origin is tuple:
        return _sequence(_reader(get_args(kind)[0]))
    if origin in (types.UnionType, Union):
        inner = _reader(next(argument for argument in get_args(kind) if argument is not type(None)))
        return lambda data: None if data is None else inner(data)
    return _fields(kind) if hasattr(kind, "_fields") else _SIMPLE.get(kind, _only(kind))


def _choice(choices: tuple[Any, ...]) -> Reader:
    allowed = frozenset(choices)

    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise Misfit(f": {value!r} is none of {', '.join(map(str, choices))}")
        return value

    return read


def _sequence(item: Reader) -> Reader:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise Misfit(f": {type(value).__name__} instead of a list")
        return tuple([item(entry) for entry in value])

    return read


def _fields(kind: Any) -> Reader:
    readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
    needed = [name for name in kind._fields if name not in kind._field_defaults]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Misfit(f": {type(value).__name__} instead of an object")
        if missing := [name for name in needed if name not in value]:
            raise Misfit(f": {', '.join(missing)} missing")
        values: dict[str, Any] = {}
        for name in value.keys() & readers.keys():
            try:
                values[name] = readers[name](value[name])
            except Misfit as misfit:
                raise Misfit(f".{name}{misfit}") from None
        return kind(**values)

    return read


def _only(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise Misfit(f": {type(value).__name__} instead of {kind.__name__}")
        return value

    return read


def _whole(value: Any) -> int:
    if type(value) is int or (type(value) is float and value.is_integer()):
        return int(value)
    raise Misfit(f": {type(value).__name__} instead of a whole number")


def _number(value: Any) -> float:
    if type(value) is float or (type(value) is int and abs(value) < 1 << 53):
        return float(value)
    raise Misfit(f": {type(value).__name__} instead of a number")


_SIMPLE: dict[Any, Reader] = {int: _whole, float: _number}
