"""An ended goal becomes an `Episode` in the durable queue; a worker turns it into one insight."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from hardwon.core.text.clean import as_text, one_line
from hardwon.core.values.job import SKIPPED, Job
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.run import Episode, Trigger
from hardwon.learn.goals.insight import described, insight_on, problems
from hardwon.learn.goals.orchestrators import (
    goal_state,
    is_done,
    states_error,
    task_step,
)
from hardwon.learn.goals.recall import SHOWN_LIMIT, doubt_about, goal_name
from hardwon.learn.goals.similarity import embedding_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime

log = logging.getLogger("hardwon")
_SOURCE = "goal:"
_BASE = {"failed": 0.8, "completed": 0.5}
_ERROR_BONUS = 0.2


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
    """Queue a durable job that reflects on an ended goal.

    Returns None for a goal that neither completed nor failed: it teaches nothing.
    """
    name, ending = goal_name(goal_id), goal_state(state)
    if not ending:
        log.info(
            "goal %r is %r, neither completed nor failed: ignored",
            name,
            one_line(as_text(state), 60),
        )
        return None
    tasks = tuple(tasks)
    steps = tuple(task_step(task) for task in tasks)
    done_count = sum(is_done(task) for task in tasks)
    episode = Episode(
        scope=scope,
        task="" if objective is None else str(objective),
        attempt="\n".join(described(step) for step in steps),
        error=error,
        steps=steps,
        signals=(("goal_state", ending), ("tasks_done", str(done_count))),
        source=_SOURCE + name,
    )
    return engine.capture(episode, Trigger.GOAL)


async def process(engine: Runtime, job: Job) -> str | None:
    """Reflect on a queued goal and store that.

    SKIPPED if the model has no answer, or one that looks like an attack.
    """
    import asyncio  # here: an agent that ends a goal must not wait for it

    insight = await insight_on(engine, job.episode)
    if not insight:
        return SKIPPED
    reflection = _reflection(engine, job, insight)
    if doubt := doubt_about(reflection):
        log.warning("no reflection on goal %r is kept: it %s", reflection.subject, doubt)
        return SKIPPED
    # In a thread: a server that hangs must not keep the worker's other jobs waiting.
    await asyncio.to_thread(_keep, engine, reflection)
    return None


def _reflection(engine: Runtime, job: Job, insight: str) -> Reflection:
    episode, now = job.episode, engine.clock()
    return Reflection(
        scope=episode.scope,
        subject=episode.source.removeprefix(_SOURCE),
        title=one_line(episode.task, SHOWN_LIMIT),
        insight=insight,
        state=episode.signal("goal_state"),
        importance=importance(episode),
        created_at=now,
        expires_at=now + engine.settings.goals.ttl,
        detail=json.dumps({"errors": problems(episode)}, ensure_ascii=False),
        job=f"{job.id}@{job.enqueued_at.timestamp():.6f}",
    )


def _keep(engine: Runtime, reflection: Reflection) -> None:
    """Store a reflection with the embedding of its objective."""
    detail = json.loads(reflection.detail)
    if meaning := embedding_of(engine, reflection.title):
        detail["meaning"] = meaning
    complete = reflection._replace(detail=json.dumps(detail, ensure_ascii=False))
    engine.store.reflections.save(complete, keep=engine.settings.goals.per_goal)


def importance(episode: Episode) -> float:
    """How important a reflection on this goal is, in 0 … 1."""
    outputs = (step.failed or states_error(step.output) for step in episode.steps)
    has_error = bool(episode.error) or any(outputs)
    base = _BASE.get(episode.signal("goal_state"), _BASE["completed"])
    return min(1.0, round(base + _ERROR_BONUS * has_error, 2))
