"""What a server sends, as the values that it was made of."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from hardwon.ranking.query import Match
from hardwon.ranking.scores import Judged
from hardwon.values.delivery import Injection
from hardwon.values.dream import Dream, DreamChange
from hardwon.values.ended_run import EndedRun
from hardwon.values.episode import Episode
from hardwon.values.evidence import Evidence
from hardwon.values.failure import Failure
from hardwon.values.fix import Fix
from hardwon.values.history import Change
from hardwon.values.job import Job
from hardwon.values.lesson import Lesson
from hardwon.values.reflection import Reflection
from hardwon.values.report import (
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
from hardwon.values.run import Shown
from hardwon.values.scope import Scope
from hardwon.values.step import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    Told = Mapping[str, Any]

V = TypeVar("V")
_TIMES = ("created_at", "updated_at", "last_seen_at", "expires_at")


def _made(kind: type[V], told: Told, **read: Any) -> V:
    """The value with the fields that it knows; what a newer server adds is passed over."""
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    own = {name: _frozen(told[name]) for name in names if name in told}
    return kind(**{**own, **read})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _scope(told: Told, tenant: str) -> Scope:
    return Scope(tenant, told["agent"], told["project"])


def _moments(told: Told, *names: str) -> dict[str, datetime | None]:
    found = {name: told.get(name) for name in names}
    return {name: datetime.fromisoformat(at) if at else None for name, at in found.items()}


def lesson(told: Told, tenant: str) -> Lesson:
    """A lesson."""
    return _made(
        Lesson,
        told,
        scope=_scope(told, tenant),
        evidence=tuple(_made(Evidence, one) for one in told["evidence"]),
        fixes=tuple(_made(Fix, one) for one in told["fixes"]),
        **_moments(told, *_TIMES),
    )


def injection(told: Told, tenant: str) -> Injection:
    """What a door says."""
    return _made(Injection, told, lessons=tuple(lesson(one, tenant) for one in told["lessons"]))


def job(told: Told, tenant: str) -> Job:
    """A job with its episode; one of a list has no steps."""
    episode = _made(
        Episode,
        told,
        scope=_scope(told, tenant),
        steps=tuple(_step(one) for one in told.get("steps", ())),
        signals=tuple(told["signals"].items()),
    )
    times = _moments(told, "enqueued_at", "due")
    return _made(Job, told, episode=episode, wait=timedelta(seconds=told["wait"]), **times)


def _step(told: Told) -> Step:
    failure = told.get("failure")
    return _made(Step, told, failure=_made(Failure, failure) if failure else None)


def ended_run(told: Told, tenant: str) -> EndedRun:
    """A run that has ended."""
    return _made(
        EndedRun,
        told,
        scope=_scope(told, tenant),
        steps=tuple(map(_step, told["steps"])),
        shown=tuple(_made(Shown, one) for one in told["shown"]),
        **_moments(told, "begun", "ended"),
    )


def change(told: Told, tenant: str) -> Change:
    """What was done to a lesson."""
    return _made(Change, told, before=lesson(told["before"], tenant), **_moments(told, "at"))


def exposure(told: Told) -> Exposure:
    """Where a lesson was shown."""
    return _made(Exposure, told, **_moments(told, "last"))


def verdict(told: Told) -> LessonVerdict:
    """What the hold-out shows about a lesson."""
    return _made(LessonVerdict, told)


def reflection(told: Told, tenant: str) -> Reflection:
    """What was learnt from a goal."""
    times = _moments(told, "created_at", "expires_at")
    return _made(Reflection, told, scope=_scope(told, tenant), **times)


def dream(told: Told, tenant: str) -> Dream:
    """A dream."""
    return _made(Dream, told, scope=_scope(told, tenant), **_moments(told, "started_at"))


def dream_change(told: Told) -> DreamChange:
    """What a dream did to a lesson."""
    return _made(DreamChange, told)


def judged(told: Told, lessons: Mapping[int, Lesson]) -> Judged:
    """A candidate at a door."""
    parts = tuple(told["parts"].items())
    return Judged(Match(lessons[told["lesson"]]), told["score"], parts, told["verdict"])


def report(told: Told, scope: Scope) -> Report:
    """A report; what the whole home has spent and queued is not told."""
    since = datetime.fromisoformat(told["since"])
    return _made(
        Report,
        told,
        window=Window(scope, since, told["is_whole"]),
        met=_days(told["met"]),
        failures=tuple(map(_failure, told["failures"])),
        stopped=tuple(map(_failure, told["stopped"])),
        quiet=timedelta(seconds=told["quiet"]),
        lessons=tuple(_made(LessonState, one) for one in told["lessons"]),
        deliveries=tuple(
            _made(Deliveries, one, day=date.fromisoformat(one["day"])) for one in told["deliveries"]
        ),
        unsolved=tuple(
            _made(OpenFailure, one, **_moments(one, "last")) for one in told["unsolved"]
        ),
        parts=tuple(_made(PartEffect, one) for one in told.get("parts", ())),
        observed=_observed(told.get("observed", {})),
        **_moments(told, "at"),
    )


def _observed(told: Told) -> Observed:
    kinds = tuple(_made(BeforeAfter, one) for one in told.get("kinds", ()))
    return _made(Observed, told, kinds=kinds)


def _failure(told: Told) -> FailureKind:
    times = _moments(told, "first", "last")
    return _made(FailureKind, told, days=_days(told["days"]), scope=None, **times)


def _unsolved(told: Told) -> OpenFailure:
    return _made(OpenFailure, told, **_moments(told, "last"))


def _days(pairs: Any) -> tuple[tuple[date, int], ...]:
    return tuple((date.fromisoformat(day), count) for day, count in pairs)
