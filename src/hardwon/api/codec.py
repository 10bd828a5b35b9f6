"""Values as JSON on the wire, derived from their types: encode, decode, JSON schema.

The key of a request decides the tenant, so a scope is sent as `agent` and `project` beside the
other fields of a value; some more parts are laid flat in the same way.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from hardwon.api import operations
from hardwon.core.values import plain
from hardwon.core.values.delivery import Injection
from hardwon.core.values.job import Job
from hardwon.core.values.report import Report, Window
from hardwon.core.values.run import Episode
from hardwon.core.values.scope import Scope
from hardwon.learn.trials.values import LoopState
from hardwon.storage.service import Key

V = TypeVar("V")
_HIDDEN: dict[type, frozenset[str]] = {
    Job: frozenset({"claim"}),
    Key: frozenset({"tenant"}),
    LoopState: frozenset({"tree", "open", "since", "kind", "notes", "deliveries"}),
    Report: frozenset({"spent", "queue"}),
    Scope: frozenset({"tenant"}),
    Window: frozenset({"scope", "part"}),
}
_FLAT = {
    Job: {"episode"},
    Report: {"window"},
    operations.DreamDetails: {"dream"},
    operations.NewKey: {"made"},
}
_NAMES = {"datetime": datetime, "date": date, "timedelta": timedelta}
_NAMES |= {"Mapping": Mapping, "Sequence": Sequence}  # imported for type checkers only


def encode(value: Any) -> Any:
    """The value as JSON types; dates are ISO 8601, durations seconds."""
    return plain(value, fields=_fields)


def _fields(value: Any) -> dict[str, Any]:
    """The fields of a value as they are sent: some are left out, some parts laid flat."""
    kind, fields = type(value), dict[str, Any]()
    for name, item in value._asdict().items():
        if name in _HIDDEN.get(kind, ()):
            continue
        if _is_flat(kind, name):
            fields |= {} if item is None else _fields(item)
        else:
            fields[name] = dict(item) if _is_object(kind, name) else item
    return fields


def decode(kind: type[V], value: Any, tenant: str = "default", **computed: Any) -> V:
    """The value of a type from its JSON; fields that a newer server adds are ignored."""
    return _decode(kind, value, tenant, computed)  # type: ignore[no-any-return]


def _decode(kind: Any, value: Any, tenant: str, computed: Mapping[str, Any] = {}) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {types.UnionType, Union}:
        own = next(one for one in inner if one is not type(None))
        return None if value is None else _decode(own, value, tenant)
    if origin in {tuple, list, Sequence}:
        is_fixed = origin is tuple and inner[-1] is not ...
        items = tuple(value.items() if isinstance(value, Mapping) else value)
        kinds = inner if is_fixed else inner[:1] * len(items)
        return tuple(_decode(one, item, tenant) for one, item in zip(kinds, items, strict=False))
    if isinstance(kind, type) and hasattr(kind, "_fields"):
        return _build(kind, value, tenant, computed)
    if isinstance(kind, type) and issubclass(kind, date):
        return kind.fromisoformat(value)
    return timedelta(seconds=value) if kind is timedelta else value


def _build(kind: type, fields: Any, tenant: str, computed: Mapping[str, Any]) -> Any:
    if kind is Scope:
        return Scope(tenant, fields["agent"], fields["project"])
    values = dict(computed)
    for name, inner in hints(kind).items():
        if name in values:
            continue
        if _is_flat(kind, name):
            is_there = type(None) not in get_args(inner) or "agent" in fields
            values[name] = _decode(inner, fields, tenant) if is_there else None
        elif name in fields:
            values[name] = _decode(inner, fields[name], tenant)
    return kind(**values)


@lru_cache(maxsize=128)
def hints(kind: Any) -> dict[str, Any]:
    """The fields of a value with their types."""
    names = {one.__name__: one for one in (Scope, Episode)} | _NAMES
    found = get_type_hints(kind, localns=names)
    return {"text": str, **found} if kind is Injection else found


def _is_flat(kind: type, name: str) -> bool:
    return name == "scope" or name in _FLAT.get(kind, ())


def _is_object(kind: type, name: str) -> bool:
    return kind is Episode and name == "signals"  # pairs here, an object on the wire


_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    timedelta: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    dict: {"type": "object"},
}


class Schemas:
    """JSON schemas of types; those of values are collected by name in `found`."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """The schema of a type; a value is referred to by its name."""
        origin, inner = get_origin(kind), get_args(kind)
        if kind in _SIMPLE:
            return dict(_SIMPLE[kind])
        if origin in {types.UnionType, Union}:
            one = self.of(next(one for one in inner if one is not type(None)))
            return {"anyOf": [one, {"type": "null"}]}
        if origin is Literal:
            return {"type": "string", "enum": list(inner)}
        if origin in {tuple, list, Sequence}:
            if origin is tuple and inner[-1] is not ...:
                return {"type": "array", "prefixItems": [self.of(one) for one in inner]}
            return {"type": "array", "items": self.of(inner[0])}
        if isinstance(kind, type) and hasattr(kind, "_fields"):
            if kind.__name__ not in self.found:
                self.found[kind.__name__] = {}  # a type may hold itself
                properties, optional = self._properties(kind)
                self.found[kind.__name__] = {
                    "description": (kind.__doc__ or "").partition("\n")[0],
                    "type": "object",
                    "properties": properties,
                    "required": [name for name in properties if name not in optional],
                }
            return {"$ref": f"#/components/schemas/{kind.__name__}"}
        return {"type": "object"} if origin in {dict, Mapping} else {}

    def _properties(self, kind: Any) -> tuple[dict[str, Any], set[str]]:
        """The schemas of the fields, and which of them may be left out."""
        properties: dict[str, Any] = {}
        optional = set[str]()
        for name, inner in hints(kind).items():
            if name in _HIDDEN.get(kind, ()):
                continue
            if _is_flat(kind, name):
                is_optional = type(None) in get_args(inner)
                own = next(one for one in (*get_args(inner), inner) if one is not type(None))
                flat, left_out = self._properties(own)
                properties |= flat
                optional |= set(flat) if is_optional else left_out
            elif _is_object(kind, name):
                properties[name] = {"type": "object"}
            else:
                properties[name] = self.of(inner)
        return properties, optional
