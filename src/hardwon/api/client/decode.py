"""Decode a server's JSON into values."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from hardwon.core.values.delivery import Injection
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.lesson import Change, Evidence, Fix, Lesson
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import Match
from hardwon.knowledge.ranking.scores import Judged

if TYPE_CHECKING:
    from collections.abc import Mapping

    Fields = Mapping[str, Any]

V = TypeVar("V")
_TIMES = ("created_at", "updated_at", "last_seen_at", "expires_at")


def built(kind: type[V], fields: Fields, **computed: Any) -> V:
    """The value from its known fields; fields of a newer server are ignored."""
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    values = {name: _frozen(fields[name]) for name in names if name in fields}
    return kind(**{**values, **computed})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def scope_of(fields: Fields, tenant: str) -> Scope:
    """The scope of a value."""
    return Scope(tenant, fields["agent"], fields["project"])


def moments(fields: Fields, *names: str) -> dict[str, datetime | None]:
    """The times of these fields; None where a field is missing or empty."""
    texts = {name: fields.get(name) for name in names}
    return {name: datetime.fromisoformat(at) if at else None for name, at in texts.items()}


def lesson(fields: Fields, tenant: str) -> Lesson:
    """A lesson."""
    return built(
        Lesson,
        fields,
        scope=scope_of(fields, tenant),
        evidence=tuple(built(Evidence, item) for item in fields["evidence"]),
        fixes=tuple(built(Fix, item) for item in fields["fixes"]),
        **moments(fields, *_TIMES),
    )


def injection(fields: Fields, tenant: str) -> Injection:
    """The answer of a door."""
    return built(
        Injection, fields, lessons=tuple(lesson(item, tenant) for item in fields["lessons"])
    )


def change(fields: Fields, tenant: str) -> Change:
    """A change of a lesson."""
    return built(Change, fields, before=lesson(fields["before"], tenant), **moments(fields, "at"))


def reflection(fields: Fields, tenant: str) -> Reflection:
    """A reflection on a goal."""
    times = moments(fields, "created_at", "expires_at")
    return built(Reflection, fields, scope=scope_of(fields, tenant), **times)


def dream(fields: Fields, tenant: str) -> Dream:
    """A dream."""
    return built(Dream, fields, scope=scope_of(fields, tenant), **moments(fields, "started_at"))


def dream_change(fields: Fields) -> DreamChange:
    """A dream's change of a lesson."""
    return built(DreamChange, fields)


def judged(fields: Fields, lessons: Mapping[int, Lesson]) -> Judged:
    """A candidate at a door."""
    parts = tuple(fields["parts"].items())
    return Judged(Match(lessons[fields["lesson"]]), fields["score"], parts, fields["verdict"])
