"""An ended goal becomes an `Episode` in the durable queue; a worker turns it into one insight."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING

from hardwon.core.errors import BadReply
from hardwon.core.text.clean import as_text, clip, one_line
from hardwon.core.text.grounding import fold_text, is_generic, keep_supported
from hardwon.core.text.harm import objection
from hardwon.core.text.protocol import json_object, schema_of, text_in
from hardwon.core.text.quoting import quotable
from hardwon.core.text.redact import redact
from hardwon.core.values.job import SKIPPED, Job
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.run import Episode, Trigger
from hardwon.engine.runtime import prompt_text
from hardwon.knowledge.reading.error_line import error_line
from hardwon.learn.goals.orchestrators import (
    goal_state,
    is_done,
    states_error,
    task_step,
)
from hardwon.learn.goals.recall import (
    INSIGHT_LIMIT,
    SHOWN_LIMIT,
    doubt_about,
    embedding_of,
    goal_name,
)
from hardwon.models import ask
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.core.values.run import Step
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime

log = logging.getLogger("hardwon")
_SOURCE = "goal:"
_BASE = {"failed": 0.8, "completed": 0.5}
_ERROR_BONUS = 0.2
_TASKS_SHOWN = 8
SCHEMA = schema_of(insight={"type": "string"})


def queue_reflection(
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
        attempt="\n".join(describe(step) for step in steps),
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


def question(episode: Episode) -> str:
    """The goal as the model is asked about it."""
    tasks = [f"{number}. {describe(step)}" for number, step in enumerate(episode.steps, 1)]
    task_lines = (
        tasks if len(tasks) <= _TASKS_SHOWN else [*tasks[:3], "…", *tasks[4 - _TASKS_SHOWN :]]
    )
    parts = [
        f"Goal objective: {clip(one_line(episode.task), SHOWN_LIMIT)}",
        f"Result: {episode.signal('goal_state')}",
        f"Primary error: {clip(one_line(episode.error), SHOWN_LIMIT)}" if episode.error else "",
        "\n".join(["Executed tasks:", *task_lines]) if tasks else "",
    ]
    return "\n".join(part for part in parts if part)


def parse(reply: str) -> str:
    """The insight in a model's answer, at most three sentences; "" if it found nothing to learn.

    BadReply if it answers anything else, or with advice that fits every goal.
    """
    answer = text_in(json_object(reply, ("insight",)), "insight", INSIGHT_LIMIT * 4)
    if answer and is_generic(answer):
        raise BadReply("an insight that names what mattered", reply)
    plain = one_line(re.sub(r"\*\*|^#+ |`{3}\w*", "", answer, flags=re.MULTILINE)).strip("\"“”' ")
    return clip(" ".join(re.split(r"(?<=[.!?…])\s+", plain)[:3]), INSIGHT_LIMIT)


def by_rules(episode: Episode) -> str:
    """An insight made by rules, from the tasks that failed and those that worked."""
    failed, problem = _failed_task(episode), "; ".join(problems(episode))
    if episode.signal("goal_state") == "completed":
        return _success_words(episode, failed, problem)
    where = f" at “{clip(one_line(failed.tool), 60)}”" if failed else ""
    reason = f": {problem}" if problem else ""
    done_count = int(episode.signal("tasks_done") or sum(not step.failed for step in episode.steps))
    before = (
        f" {done_count} of {len(episode.steps)} tasks were done by then." if episode.steps else ""
    )
    return f"It failed{where}{reason}.{before} Deal with that first when a similar goal comes."


def problems(episode: Episode) -> list[str]:
    """The errors of the failed task and of the goal, without lines that must not be quoted."""
    failed = _failed_task(episode)
    texts = (failed.output if failed else "", episode.error)
    lines = dict.fromkeys(quotable(error_line(text)).rstrip(".") for text in texts)
    return [line for line in lines if line]


def _failed_task(episode: Episode) -> Step | None:
    """The last failed task; if none failed, the last task whose output states an error."""
    latest = list(reversed(episode.steps))
    stated = (step for step in latest if states_error(step.output))
    return next((step for step in latest if step.failed), next(stated, None))


def _success_words(episode: Episode, failed: Step | None, problem: str) -> str:
    good = (step for step in episode.steps if not step.failed)
    way = ", ".join(dict.fromkeys(clip(one_line(step.tool), 40) for step in good))
    if failed:
        solution = f"; {way} got it done" if way else ""
        why = f" ({problem})" if problem else ""
        return f"“{clip(one_line(failed.tool), 60)}” failed on the way{why}{solution}."
    if episode.error:
        return f"It was completed, but not without an error{f': {problem}' if problem else ''}."
    return f"It worked with {clip(way, 200)}." if way else "It was completed without trouble."


def describe(step: Step) -> str:
    """A task on one line."""
    mark = "FAILED " if step.failed else ""
    return f"{mark}{clip(one_line(step.tool), 60)}: {clip(one_line(step.output), 160)}"


async def insight_on(engine: Runtime, episode: Episode) -> str:
    """One to three sentences from the model, or from rules without one; "" if it has no answer.

    Sentences that name what the goal does not show are left out.
    """
    if not engine.has_model:
        return by_rules(episode)
    asked = question(episode)
    request = Request(prompt_text("goal"), asked, episode, max_tokens=200, schema=SCHEMA)
    try:
        answer, _ = await ask(engine.model, request, parse)
    except BadReply:
        return ""
    insight, _ = keep_supported(redact(answer), fold_text(asked))
    return by_rules(episode) if answer and (not insight or objection(insight)) else insight
