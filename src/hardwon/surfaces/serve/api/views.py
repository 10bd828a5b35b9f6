"""Values as callers see them: only the fields in the API description."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hardwon.core.values import plain

if TYPE_CHECKING:
    from hardwon import Injection, Job, Lesson
    from hardwon.core.values.lesson import Change
    from hardwon.core.values.run import EndedRun
    from hardwon.knowledge.ranking.scores import Judged

OPENAPI = os.path.join(os.path.dirname(__file__), "openapi.json")
with open(OPENAPI, encoding="utf-8") as _file:
    _SCHEMAS: dict[str, Any] = json.load(_file)["components"]["schemas"]
_FIELDS = {name: tuple(schema.get("properties", ())) for name, schema in _SCHEMAS.items()}


def described(name: str, value: Any) -> dict[str, Any]:
    """The fields of a value that the schema of this name describes."""
    fields = value if isinstance(value, dict) else value._asdict()
    return {field: plain(fields[field]) for field in _FIELDS[name] if field in fields}


def placed(name: str, value: Any) -> dict[str, Any]:
    """Like `described`, with agent and project; the caller knows the tenant."""
    scope = value.scope
    place = {} if scope is None else {"agent": scope.agent, "project": scope.project}
    return described(name, {**value._asdict(), **place})


def lesson(value: Lesson) -> dict[str, Any]:
    """A lesson."""
    fields = placed("Lesson", value)
    fields["evidence"] = [described("Evidence", piece) for piece in value.evidence]
    fields["fixes"] = [described("Fix", fix) for fix in value.fixes]
    return fields


def injection(value: Injection) -> dict[str, Any]:
    """The answer of a door."""
    fields = described("Injection", value._replace(lessons=()))
    return {**fields, "lessons": [lesson(shown) for shown in value.lessons]}


def job(value: Job) -> dict[str, Any]:
    """A job with its episode."""
    return {**brief(value), "steps": [described("Step", step) for step in value.episode.steps]}


def brief(value: Job) -> dict[str, Any]:
    """A job in a list: without its steps."""
    episode = value.episode._replace(steps=())
    fields = placed("QueuedJob", episode)
    return {**fields, "signals": dict(episode.signals), **described("QueuedJob", value)}


def ended_run(value: EndedRun) -> dict[str, Any]:
    """A run that has ended."""
    fields = placed("EndedRun", value._replace(steps=(), shown=()))
    steps = [described("Step", step) for step in value.steps]
    return {**fields, "steps": steps, "shown": [described("Shown", piece) for piece in value.shown]}


def change(value: Change) -> dict[str, Any]:
    """A change of a lesson, with the lesson before."""
    return {
        "id": value.id,
        "act": value.act,
        "at": value.at.isoformat(),
        "before": lesson(value.before),
    }


def candidate(judged: Judged) -> dict[str, Any]:
    """A candidate with its score and verdict."""
    return {
        "lesson": judged.match.lesson.id,
        "score": round(judged.score, 4),
        "parts": {name: round(value, 4) for name, value in judged.parts},
        "verdict": judged.verdict,
    }
