"""Decode a server's reports into values."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hardwon.api.client.decode import built, moments
from hardwon.core.values.report import (
    BeforeAfter,
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    LessonVerdict,
    Observed,
    OpenFailure,
    PartEffect,
    Report,
    Window,
)

if TYPE_CHECKING:
    from hardwon.api.client.decode import Fields
    from hardwon.core.values.scope import Scope


def exposure(fields: Fields) -> Exposure:
    """Where a lesson was shown."""
    return built(Exposure, fields, **moments(fields, "last"))


def verdict(fields: Fields) -> LessonVerdict:
    """What the hold-out shows about a lesson."""
    return built(LessonVerdict, fields)


def report(fields: Fields, scope: Scope) -> Report:
    """A report; spending and queue of the whole home are left out."""
    since = datetime.fromisoformat(fields["since"])
    return built(
        Report,
        fields,
        window=Window(scope, since, fields["is_whole"]),
        met=_days(fields["met"]),
        failures=tuple(map(_failure, fields["failures"])),
        stopped=tuple(map(_failure, fields["stopped"])),
        quiet=timedelta(seconds=fields["quiet"]),
        lessons=tuple(built(LessonState, item) for item in fields["lessons"]),
        deliveries=tuple(map(_deliveries, fields["deliveries"])),
        unsolved=tuple(map(_unsolved, fields["unsolved"])),
        parts=tuple(built(PartEffect, item) for item in fields.get("parts", ())),
        observed=_observed(fields.get("observed", {})),
        **moments(fields, "at"),
    )


def _observed(fields: Fields) -> Observed:
    kinds = tuple(built(BeforeAfter, item) for item in fields.get("kinds", ()))
    return built(Observed, fields, kinds=kinds)


def _failure(fields: Fields) -> FailureKind:
    times = moments(fields, "first", "last")
    return built(FailureKind, fields, days=_days(fields["days"]), scope=None, **times)


def _deliveries(fields: Fields) -> Deliveries:
    return built(Deliveries, fields, day=date.fromisoformat(fields["day"]))


def _unsolved(fields: Fields) -> OpenFailure:
    return built(OpenFailure, fields, **moments(fields, "last"))


def _days(pairs: Any) -> tuple[tuple[date, int], ...]:
    return tuple((date.fromisoformat(day), count) for day, count in pairs)
