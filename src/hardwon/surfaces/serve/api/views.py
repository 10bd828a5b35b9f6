"""Values as callers see them: the fields that the description names, and no others."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hardwon.values.plain import plain

if TYPE_CHECKING:
    from hardwon import Injection, Job, Lesson
    from hardwon.ranking.scores import Judged
    from hardwon.values.ended_run import EndedRun
    from hardwon.values.history import Change

OPENAPI = os.path.join(os.path.dirname(__file__), "openapi.json")
with open(OPENAPI, encoding="utf-8") as _file:
    _SCHEMAS: dict[str, Any] = json.load(_file)["components"]["schemas"]
_FIELDS = {name: tuple(told.get("properties", ())) for name, told in _SCHEMAS.items()}


def described(name: str, value: Any) -> dict[str, Any]:
    """A value as the schema of this name describes it."""
    given = value if isinstance(value, dict) else value._asdict()
    return {field: plain(given[field]) for field in _FIELDS[name] if field in given}


def placed(name: str, value: Any) -> dict[str, Any]:
    """The same for a value of a scope; its tenant is known to the caller."""
    scope = value.scope
    place = {} if scope is None else {"agent": scope.agent, "project": scope.project}
    return described(name, {**value._asdict(), **place})


def lesson(one: Lesson) -> dict[str, Any]:
    """A lesson."""
    told = placed("Lesson", one)
    told["evidence"] = [described("Evidence", piece) for piece in one.evidence]
    told["fixes"] = [described("Fix", fix) for fix in one.fixes]
    return told


def injection(found: Injection) -> dict[str, Any]:
    """What a door says."""
    told = described("Injection", found._replace(lessons=()))
    return {**told, "lessons": [lesson(one) for one in found.lessons]}


def job(one: Job) -> dict[str, Any]:
    """A job with its episode."""
    return {**brief(one), "steps": [described("Step", step) for step in one.episode.steps]}


def brief(one: Job) -> dict[str, Any]:
    """A job in a list: without its steps."""
    episode = one.episode._replace(steps=())
    told = placed("QueuedJob", episode)
    return {**told, "signals": dict(episode.signals), **described("QueuedJob", one)}


def ended_run(one: EndedRun) -> dict[str, Any]:
    """A run that has ended."""
    told = placed("EndedRun", one._replace(steps=(), shown=()))
    steps = [described("Step", step) for step in one.steps]
    return {**told, "steps": steps, "shown": [described("Shown", piece) for piece in one.shown]}


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
