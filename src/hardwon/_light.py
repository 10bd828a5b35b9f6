"""`NamedTuple` without `typing`, whose import alone is a twelfth of a cold process's time.

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from typing import NamedTuple
    else:
        from hardwon._light import NamedTuple

The type checker sees the standard class. At run time annotations only name the fields.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Maker(type):
    """Makes a named tuple of a class body."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = body.get("__annotations__", {})
        defaults = [body.pop(field) for field in fields if field in body]
        made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # type: ignore[misc]
        return type(name, (made,), {**body, "__slots__": ()})


class NamedTuple(metaclass=_Maker):
    """The base of light values."""
