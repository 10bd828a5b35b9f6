"""One insight of one to three sentences: from a model, or from rules without one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.harm import objection
from hardwon.core.text.quoting import quotable
from hardwon.core.text.redact import redact
from hardwon.engine.runtime import prompt_text
from hardwon.knowledge.reading.error_line import error_line
from hardwon.learn.goals.orchestrators import states_error
from hardwon.learn.goals.recall import INSIGHT_LIMIT, SHOWN_LIMIT
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from hardwon.core.values.run import Episode, Step
    from hardwon.engine.runtime import Runtime

_TASKS_SHOWN = 8


def question(episode: Episode) -> str:
    """The goal as the model is asked about it."""
    tasks = [f"{number}. {described(step)}" for number, step in enumerate(episode.steps, 1)]
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


def tidy(reply: str) -> str:
    """The reply without mark-up, at most three sentences."""
    plain = one_line(re.sub(r"\*\*|^#+ |`{3}\w*", "", reply, flags=re.MULTILINE)).strip("\"“”' ")
    return clip(" ".join(re.split(r"(?<=[.!?…])\s+", plain)[:3]), INSIGHT_LIMIT)


def by_rules(episode: Episode) -> str:
    """An insight made by rules, from the tasks that failed and those that worked."""
    failed, problem = _blamed(episode), "; ".join(problems(episode))
    if episode.signal("goal_state") == "completed":
        return _success(episode, failed, problem)
    where = f" at “{clip(one_line(failed.tool), 60)}”" if failed else ""
    reason = f": {problem}" if problem else ""
    done_count = int(episode.signal("tasks_done") or sum(not step.failed for step in episode.steps))
    before = (
        f" {done_count} of {len(episode.steps)} tasks were done by then." if episode.steps else ""
    )
    return f"It failed{where}{reason}.{before} Deal with that first when a similar goal comes."


def problems(episode: Episode) -> list[str]:
    """The errors of the failed task and of the goal, without lines that must not be quoted."""
    failed = _blamed(episode)
    texts = (failed.output if failed else "", episode.error)
    lines = dict.fromkeys(quotable(error_line(text)).rstrip(".") for text in texts)
    return [line for line in lines if line]


def _blamed(episode: Episode) -> Step | None:
    """The last failed task; if none failed, the last task whose output states an error."""
    latest = list(reversed(episode.steps))
    stated = (step for step in latest if states_error(step.output))
    return next((step for step in latest if step.failed), next(stated, None))


def _success(episode: Episode, failed: Step | None, problem: str) -> str:
    good = (step for step in episode.steps if not step.failed)
    way = ", ".join(dict.fromkeys(clip(one_line(step.tool), 40) for step in good))
    if failed:
        solution = f"; {way} got it done" if way else ""
        why = f" ({problem})" if problem else ""
        return f"“{clip(one_line(failed.tool), 60)}” failed on the way{why}{solution}."
    if episode.error:
        return f"It was completed, but not without an error{f': {problem}' if problem else ''}."
    return f"It worked with {clip(way, 200)}." if way else "It was completed without trouble."


def described(step: Step) -> str:
    """A task on one line."""
    mark = "FAILED " if step.failed else ""
    return f"{mark}{clip(one_line(step.tool), 60)}: {clip(one_line(step.output), 160)}"


async def insight_on(engine: Runtime, episode: Episode) -> str:
    """One to three sentences from the model, or from rules without one; "" if it has no answer."""
    if not engine.has_model:
        return by_rules(episode)
    request = Request(prompt_text("goal"), question(episode), episode, max_tokens=200)
    reply = await engine.model.complete(request)
    insight = redact(tidy(reply.text))
    return by_rules(episode) if objection(insight) else insight
