"""Values as callers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.values.plain import plain

if TYPE_CHECKING:
    from hardwon import Injection, Job, Lesson
    from hardwon.ranking.scores import Judged
    from hardwon.values.history import Change


def place(scope: Any) -> dict[str, Any]:
    """Whose it is; the tenant is known to the caller and to nobody else."""
    return {"agent": scope.agent, "project": scope.project}


def lesson(one: Lesson) -> dict[str, Any]:
    """A lesson, all of it."""
    values = one._asdict()
    return {**place(values.pop("scope")), **plain(values)}


def injection(found: Injection) -> dict[str, Any]:
    """What a door says."""
    return {**found._asdict(), "lessons": [lesson(one) for one in found.lessons]}


def job(one: Job) -> Any:
    """A job with its episode."""
    values = one._asdict()
    episode = values.pop("episode")._asdict()
    signals = dict(episode.pop("signals"))
    return plain({**values, **place(episode.pop("scope")), **episode, "signals": signals})


def brief(one: Job) -> dict[str, Any]:
    """A job in a list: without its steps."""
    return {name: value for name, value in job(one).items() if name != "steps"}


def change(one: Change) -> dict[str, Any]:
    """What was done to a lesson, and the lesson before."""
    return {"id": one.id, "act": one.act, "at": one.at.isoformat(), "before": lesson(one.before)}


def candidate(one: Judged) -> dict[str, Any]:
    """Why a lesson is shown, or is not."""
    return {
        "lesson": one.match.lesson.id,
        "score": round(one.score, 4),
        "parts": {name: round(value, 4) for name, value in one.parts},
        "verdict": one.verdict,
    }
