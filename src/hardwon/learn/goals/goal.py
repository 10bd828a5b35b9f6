"""An ended goal becomes an `Episode` in the durable queue; a worker turns it into one insight.

Orchestrators report ended goals, in any common vocabulary, to what `attach` hooks into them.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from hardwon.core.errors import BadReply, InvalidInput
from hardwon.core.text.clean import as_text, clip, one_line
from hardwon.core.text.grounding import fold_text, is_generic, keep_supported
from hardwon.core.text.harm import objection
from hardwon.core.text.protocol import json_object, schema_of, text_in
from hardwon.core.text.quoting import quotable
from hardwon.core.text.redact import redact
from hardwon.core.values.job import SKIPPED, Job
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.run import Episode, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.knowledge.reading.error_line import error_line
from hardwon.learn.goals.recall import (
    INSIGHT_LIMIT,
    SHOWN_LIMIT,
    doubt_about,
    embedding_of,
    goal_name,
)
from hardwon.models import ask
from hardwon.storage.ports import Request

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
    episode, now = job.episode, engine.clock()
    reflection = Reflection(
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
    if doubt := doubt_about(reflection):
        log.warning("no reflection on goal %r is kept: it %s", reflection.subject, doubt)
        return SKIPPED
    # In a thread: a server that hangs must not keep the worker's other jobs waiting.

    def keep() -> None:
        meaning = embedding_of(engine, reflection.title)
        detail = {**reflection.details, **({"meaning": meaning} if meaning else {})}
        complete = reflection._replace(detail=json.dumps(detail, ensure_ascii=False))
        engine.store.reflections.save(complete, keep=engine.settings.goals.per_goal)

    await asyncio.to_thread(keep)
    return None


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
        good = (step for step in episode.steps if not step.failed)
        way = ", ".join(dict.fromkeys(clip(one_line(step.tool), 40) for step in good))
        if failed:
            solution = f"; {way} got it done" if way else ""
            why = f" ({problem})" if problem else ""
            return f"“{clip(one_line(failed.tool), 60)}” failed on the way{why}{solution}."
        if episode.error:
            reason = f": {problem}" if problem else ""
            return f"It was completed, but not without an error{reason}."
        return f"It worked with {clip(way, 200)}." if way else "It was completed without trouble."
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


_COMPLETED = {
    *("completed", "complete", "succeeded", "success", "successful"),
    *("done", "finished", "ok", "true"),
}
_FAILED = {"failed", "failure", "error", "errored", "aborted", "timeout", "timed_out", "false"}
_READ = 4000  # characters of an output that are looked at
# At the beginning of a line, so that "no errors" and "error handling added" do not count.
_STATED = (
    r"^\W{0,4}(?:(?i:error|err|failed|failure|fatal|exception)\b(?![ -]?(?:free|handling|handler))"
    r"|(?i:could not|unable to|cannot|can't|timed out|time-?out|traceback)\b"
    r"|[\w.]{0,80}(?:Error|Exception|Timeout)\b(?=:|$))"
    r"|\b(?:HTTP|status)(?: code)?[ :]{0,2}[45]\d\d\b"
)
_MARKED = r"(?i:\b(?:failed|failure|error)\b)|[✗✘❌]"
_REGISTRARS = ("on_goal_ended", "on_goal_end", "on_terminal", "add_listener", "subscribe")
_SLOT = "reflection_engine"  # the published orchestrator calls the object in this attribute


Report = Callable[..., Job | None]  # takes what `queue_reflection` takes of a goal; never raises


class Listener:
    """The callback of an orchestrator: called as a function or as the published engine."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def __call__(self, goal: object = None, *values: object, **fields: Any) -> Any:
        """Take a goal object, a mapping, or its fields in the order id, objective, state, error."""
        if isinstance(goal, str | int) or (goal is not None and values):
            names = ("objective", "state", "error")
            fields = {"goal_id": goal, **dict(zip(names, values, strict=False)), **fields}
            goal = None
        source = fields if goal is None else goal
        return self._report(
            field(source, "goal_id", "id", "name"),
            field(source, "objective", "title", "description", "goal", default=""),
            field(source, "state", "status", "outcome", default="completed"),
            tasks=field(source, "tasks", "nodes", "task_summaries", "steps", default=()) or (),
            error=field(source, "error", "error_message", "exception", default=""),
        )

    async def reflect_on_goal(
        self,
        goal_id: str,
        objective: str,
        outcome: str,
        error: str = "",
        task_summaries: list[str] | None = None,
        task_id: str | None = None,
    ) -> bool:
        """The published engine's method; True once the goal is safe in the queue."""
        import asyncio

        told = (goal_id, objective, outcome)
        tasks = task_summaries or []
        return await asyncio.to_thread(self._report, *told, tasks=tasks, error=error) is not None


class Attachment:
    """The connection of an orchestrator and an agent; `detach` undoes it where possible."""

    def __init__(self, listener: Listener, undo: Callable[[], None] | None = None) -> None:
        self.listener = listener
        self._undo = undo

    def detach(self) -> None:
        """Restore the orchestrator to what it was before."""
        if self._undo:
            self._undo()


def attach(orchestrator: Any, report: Report, *, hook: str | None = None) -> Attachment:
    """Make the orchestrator report every ended goal.

    It needs an attribute `reflection_engine` (as published), or one of `on_goal_ended`,
    `on_goal_end`, `on_terminal`, `add_listener`, `subscribe`: a method that takes a callback, or
    an attribute that holds one or None. `hook` names another.
    """
    listener = Listener(report)
    if hook is None and hasattr(orchestrator, _SLOT):
        return _set_attribute(orchestrator, _SLOT, listener, listener)
    names = (hook,) if hook else _REGISTRARS
    name = next((name for name in names if hasattr(orchestrator, name)), "")
    if not name:
        expected = hook or ", ".join((_SLOT, *_REGISTRARS))
        kind = type(orchestrator).__name__
        raise InvalidInput(f"{kind} has no hook to attach to; expected: {expected}")
    present = getattr(orchestrator, name)
    if callable(present) and hasattr(present, "__self__"):  # a method that takes a callback
        present(listener)
        return Attachment(listener)
    if isinstance(present, list):
        present.append(listener)
        return Attachment(listener, lambda: present.remove(listener))

    def call_both(*args: Any, **kwargs: Any) -> Any:
        result = present(*args, **kwargs)
        listener(*args, **kwargs)
        return result

    value = listener if present is None else call_both
    return _set_attribute(orchestrator, name, value, listener)


def goal_state(state: object) -> str:
    """`completed` or `failed`, from the orchestrator's own term; "" for any other state."""
    words = _words(state)
    if words & _COMPLETED:
        return "completed"
    return "failed" if words & _FAILED else ""


def is_done(task: object) -> bool:
    """Whether a task succeeded; a pending or skipped one did not."""
    if isinstance(task, str):
        return not task_step(task).failed
    state = field(task, "state", "status", "outcome", "success")
    is_well = state is None or bool(_words(state) & _COMPLETED)
    return is_well and not task_step(task).failed


def states_error(text: str) -> bool:
    """Whether an output says that something went wrong."""
    return re.search(_STATED, text[:_READ], re.MULTILINE) is not None


def task_step(task: object) -> Step:
    """A task as a step: from a text, a mapping, or an object with the usual attributes."""
    if isinstance(task, str):  # `name: output`, or an output alone
        name, _, output = task.partition(": ")
        has_failed = states_error(output or task) or bool(output and re.search(_MARKED, name))
        return Step(name if output else "task", "", output or task, failed=has_failed)
    error = str(field(task, "error", "error_message", default="") or "")
    state = field(task, "state", "status", "outcome", "success", default=not error)
    output_text = field(task, "output_summary", "output", "result", "summary", default="")
    return Step(
        tool=str(field(task, "skill_name", "skill", "tool", "name", "title", "id", default="task")),
        args=str(field(task, "args", "arguments", "input", "description", default="") or ""),
        output=error or str(output_text or ""),
        failed=bool(error) or bool(_words(state) & _FAILED),  # pending or skipped is no failure
    )


def field(source: object, *names: str, default: Any = None) -> Any:
    """The first of these fields that a mapping or an object has."""
    for name in names:
        value = source.get(name) if isinstance(source, dict) else getattr(source, name, None)
        if value is not None and not callable(value):
            return value
    return default


def _words(state: object) -> set[str]:
    """The words for a state, in lower case; an enum member gives its name and its value."""
    names = (state.name, state.value) if isinstance(state, Enum) else (state,)
    return {as_text(name).strip().lower().rsplit(".", 1)[-1] for name in names}


def _set_attribute(orchestrator: Any, name: str, value: object, listener: Listener) -> Attachment:
    before = getattr(orchestrator, name)
    setattr(orchestrator, name, value)
    return Attachment(listener, lambda: setattr(orchestrator, name, before))
