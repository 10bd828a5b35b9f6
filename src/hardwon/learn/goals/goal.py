"""Goals: reflect when one ends, and bring it to mind when the same or a similar one comes.

An ended goal becomes an `Episode` in the durable queue; a worker turns it into one insight.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
from itertools import islice
from typing import TYPE_CHECKING

from hardwon.errors import Unavailable
from hardwon.learn.goals.insight import (
    INSIGHT_LIMIT,
    SHOWN_LIMIT,
    by_rules,
    described,
    problems,
    question,
    tidy,
)
from hardwon.learn.goals.orchestrators import (
    goal_name,
    goal_state,
    is_done,
    states_error,
    task_step,
)
from hardwon.pipeline.work import SKIPPED
from hardwon.ports import Request
from hardwon.runtime import prompt_text
from hardwon.text.clean import as_text, clip, one_line
from hardwon.text.injection import suspicion
from hardwon.text.redact import redact
from hardwon.values.delivery import NOTHING, Injection
from hardwon.values.episode import Episode, Trigger
from hardwon.values.reflection import CANDIDATES, Likeness, Reflection, key_words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from hardwon.runtime import Runtime
    from hardwon.values.job import Job
    from hardwon.values.scope import Scope

log = logging.getLogger("hardwon")
HEAD = "[PAST REFLECTIONS]"
_SOURCE = "goal:"
_BASE = {"failed": 0.8, "completed": 0.5}
_ERROR_BONUS = 0.2
_RELEVANT = 0.25  # of the weight of the asked words; below it, nothing is said
_HALF_LIFE = 3.5 * 86_400  # seconds after which an insight counts half
_TITLE_LIMIT = 120


def ended(
    engine: Runtime,
    scope: Scope,
    goal_id: object,
    objective: object,
    state: object = "completed",
    *,
    tasks: Iterable[object] = (),
    error: str = "",
) -> Job | None:
    """The durable request to reflect on a goal that has come to its end.

    None for a goal that was neither completed nor failed: there is nothing to learn from it.
    """
    name, ending = goal_name(goal_id), goal_state(state)
    if not ending:
        log.info("goal %r is %r, neither completed nor failed", name, one_line(as_text(state), 60))
        return None
    tasks = tuple(tasks)
    steps = tuple(task_step(task) for task in tasks)
    done = sum(is_done(task) for task in tasks)
    episode = Episode(
        scope=scope,
        task="" if objective is None else str(objective),
        attempt="\n".join(described(step) for step in steps),
        error=error,
        steps=steps,
        signals=(("goal_state", ending), ("tasks_done", str(done))),
        source=_SOURCE + name,
    )
    return engine.capture(episode, Trigger.GOAL)


async def process(engine: Runtime, job: Job) -> str | None:
    """From a queued goal to a stored reflection; skipped when its words speak to the model."""
    insight = await _insight(engine, job.episode)
    values = engine.settings.goals
    now = engine.clock()
    reflection = Reflection(
        scope=job.episode.scope,
        subject=job.episode.source.removeprefix(_SOURCE),
        title=one_line(job.episode.task, SHOWN_LIMIT),
        insight=insight,
        state=job.episode.signal("goal_state"),
        importance=importance(job.episode),
        created_at=now,
        expires_at=now + values.ttl,
        detail=json.dumps({"errors": problems(job.episode)}, ensure_ascii=False),
        job=f"{job.id}@{job.enqueued_at.timestamp():.6f}",
    )
    if doubt := _doubt(reflection):
        log.warning("no reflection on goal %r is kept: it %s", reflection.subject, doubt)
        return SKIPPED
    # In a thread: a Redis that hangs must not keep the worker's other jobs waiting.
    await asyncio.to_thread(engine.store.reflections.save, reflection, keep=values.per_goal)
    return None


def context(
    engine: Runtime, scope: Scope, goal_id: object = None, objective: str = ""
) -> Injection:
    """The block of past reflections; empty while a shared store is away."""
    subject = "" if goal_id is None else goal_name(goal_id)
    now = engine.clock()
    try:
        own, others = _found(engine, scope, subject, objective)
    except Unavailable:  # the store has said so once, and the turn goes on
        return NOTHING
    best = _distinct([*ranked(own, now), *ranked(others, now)])
    is_shared = engine.store.reflections.is_shared  # what we wrote was looked at before
    able = (one for one in best if not (is_shared and _doubt(one)))
    chosen = list(islice(able, engine.settings.goals.shown))
    return Injection(render(chosen)) if chosen else NOTHING


def _found(
    engine: Runtime, scope: Scope, subject: str, objective: str
) -> tuple[list[Likeness], list[Likeness]]:
    """This goal's, and those of similar goals; the recent ones when nothing is asked for."""
    store, now = engine.store.reflections, engine.clock()
    known = store.about(scope, subject) if subject else []
    own = [Likeness(one, 1.0) for one in known if one.is_alive(now)]
    words = key_words(objective or (own[-1].reflection.title if own else ""))
    if not words:
        return own, [] if subject else _recent(engine, scope, now)
    found = store.alike(scope, words, now=now, limit=CANDIDATES)
    is_other = [one for one in found if one.reflection.subject != subject]
    return own, [one for one in is_other if one.relevance >= _RELEVANT]


def kept(engine: Runtime, scope: Scope, goal_id: object, *, limit: int) -> list[Reflection]:
    """The reflections on one goal, or the newest on any; raises when a shared store is away."""
    store, now = engine.store.reflections, engine.clock()
    if goal_id is None:
        return store.recent(scope, now=now, limit=limit)
    found = store.about(scope, goal_name(goal_id))
    return [one for one in found if one.is_alive(now)][-limit:]


def ranked(found: Iterable[Likeness], now: datetime) -> list[Reflection]:
    """By relevance, importance and age together, the best first."""

    def score(one: Likeness) -> float:
        age = max(0.0, (now - one.reflection.created_at).total_seconds())
        return one.relevance * one.reflection.importance * math.exp2(-age / _HALF_LIFE)

    return [one.reflection for one in sorted(found, key=score, reverse=True)]


def render(reflections: Iterable[Reflection]) -> str:
    """The published block; no text in it can pass for the head of a block."""
    lines = [
        f"• [Goal: {_inert(clip(one_line(one.title or one.subject), _TITLE_LIMIT))}]"
        f" {_inert(one_line(one.insight, INSIGHT_LIMIT))}"
        for one in reflections
    ]
    return "\n".join([HEAD, *lines])


def importance(episode: Episode) -> float:
    """How much a reflection on this goal matters, in 0 … 1."""
    outputs = (step.failed or states_error(step.output) for step in episode.steps)
    has_error = bool(episode.error) or any(outputs)
    base = _BASE.get(episode.signal("goal_state"), _BASE["completed"])
    return min(1.0, round(base + _ERROR_BONUS * has_error, 2))


async def _insight(engine: Runtime, episode: Episode) -> str:
    """One to three sentences from the model, or from rules where there is none."""
    if engine.model.name == "rules":
        return by_rules(episode)
    asked = Request(prompt_text("goal"), question(episode), episode, max_tokens=200)
    reply = await engine.model.complete(asked)
    insight = redact(tidy(reply.text))
    return by_rules(episode) if not insight or suspicion(insight) else insight


def _recent(engine: Runtime, scope: Scope, now: datetime) -> list[Likeness]:
    """Everything about the goals that ended last."""
    values = engine.settings.goals
    found = engine.store.reflections.recent(scope, now=now, limit=values.recent * values.per_goal)
    goals = list(dict.fromkeys(one.subject for one in found))[: values.recent]
    return [Likeness(one, 1.0) for one in found if one.subject in goals]


def _distinct(reflections: Iterable[Reflection]) -> list[Reflection]:
    """Without those that say the same as one before them."""
    first: dict[str, Reflection] = {}
    for one in reflections:
        first.setdefault(one.insight.casefold(), one)
    return list(first.values())


def _doubt(one: Reflection) -> str:
    """Why it should not be put before a model; "" when nothing speaks against it."""
    return suspicion(f"{one.title}\n{one.insight}")


def _inert(text: str) -> str:
    return re.sub(r"\[(?=[A-Z]{2})", "(", text)
