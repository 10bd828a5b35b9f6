"""`NamedTuple` without `typing` and without generated code: both are expensive at start-up.

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from typing import NamedTuple
    else:
        from hardwon._cold.namedtuple import NamedTuple

The type checker sees the standard class. At run time annotations only name the fields. Thirty
such classes are made in a third of the time that `collections.namedtuple` takes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, ClassVar, Self

try:
    from _collections import _tuplegetter as _getter  # type: ignore[import-not-found]
except ImportError:  # another interpreter

    def _getter(index: int, doc: str) -> Any:
        return property(lambda self: tuple.__getitem__(self, index), doc=doc)


_OFTEN = 300  # after this many slow constructions the generated constructor is worth its cost


class _Value(tuple):  # type: ignore[type-arg]
    """The base of all values; it behaves as what `collections.namedtuple` makes."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]
    _field_defaults: ClassVar[dict[str, Any]]
    _slow: ClassVar[int] = 0  # how many were made by names or with defaults

    def __new__(cls, *values: Any, **named: Any) -> Self:
        fields = cls._fields
        if named or len(values) != len(fields):
            cls._slow += 1
            if cls._slow == _OFTEN:
                cls.__new__ = _quick(cls)  # type: ignore[method-assign]
            by_position, by_name = fields[: len(values)], fields[len(values) :]
            filled = {**cls._field_defaults, **named}
            if not named.keys().isdisjoint(by_position) or len(values) > len(fields):
                raise TypeError(f"{cls.__name__} got more than one value for a field")
            try:
                values += tuple(map(filled.__getitem__, by_name))
            except KeyError as error:
                raise TypeError(f"{cls.__name__} lacks {error}") from None
            if not named.keys() <= set(by_name):
                raise TypeError(f"{cls.__name__} has no {set(named) - set(by_name)}")
        return tuple.__new__(cls, values)

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        made = tuple.__new__(cls, values)
        return made if len(made) == len(cls._fields) else cls(*made)

    def _replace(self, **named: Any) -> Self:
        values = map(named.pop, self._fields, self)
        changed = tuple.__new__(type(self), values)
        if named:
            raise ValueError(f"{type(self).__name__} has no {set(named)}")
        return changed

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({inner})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


def _quick(cls: type[_Value]) -> Any:
    """The constructor of `collections.namedtuple`: slow to generate, then three times as fast."""
    from collections import namedtuple

    defaults = cls._field_defaults.values()
    return namedtuple(cls.__name__, cls._fields, defaults=defaults).__new__


class _Maker(type):
    """Turns a class body with annotations into a subclass of `_Value`."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = tuple(body.get("__annotations__", ()))
        if not fields:  # since 3.14 annotations are evaluated on demand
            raise TypeError(
                f"{name} has no fields: `from __future__ import annotations` is missing"
            )
        defaults = {field: body[field] for field in fields if field in body}
        body |= {field: _getter(at, "") for at, field in enumerate(fields)}
        body |= {"__slots__": (), "__match_args__": fields}
        return type(name, (_Value,), {**body, "_fields": fields, "_field_defaults": defaults})


class NamedTuple(metaclass=_Maker):
    """Inherit from this as from `typing.NamedTuple`."""
