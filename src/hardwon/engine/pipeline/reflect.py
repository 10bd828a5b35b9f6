"""Reflect: ask a model, or rules, what can be learnt from an episode."""

from __future__ import annotations

from datetime import datetime

from hardwon.core.text.clean import clip, clip_middle
from hardwon.core.text.protocol import SCHEMA, Blocks, parse
from hardwon.core.values.job import Job
from hardwon.core.values.lesson import RULES, RUN, Evidence, Kind, Lesson, Status, unique, values_of
from hardwon.core.values.run import Episode, Trigger
from hardwon.knowledge.ranking.query import Query
from hardwon.knowledge.reading.call_keys import typed_keys
from hardwon.knowledge.reading.error_line import error_line
from hardwon.knowledge.reading.mistakes import failure_of, focus
from hardwon.models import ask
from hardwon.storage.ports import LessonStore, Model, Request

_ATTEMPT_SHOWN, _OUTCOME_SHOWN, _TASK_SHOWN = 1500, 800, 4000
_SURE = 0.5  # a lesson of lower confidence has no fix
_LOOKED_AT = 20  # lessons about the same failure


async def reflect(job: Job, *, model: Model, system: str) -> Lesson | None:
    """The lesson of a job, or None when there is nothing to learn.

    If the reply does not follow the format, the model is asked once more; then BadReply is raised.
    """
    blocks, author = await ask(model, request(job, system), parse)
    return blocks and _lesson(job, blocks, author=author)


def known_lesson(job: Job, *, lessons: LessonStore, now: datetime) -> Lesson | None:
    """The lesson that an earlier run with this very task, attempt and error made; else None."""
    failure = failure_of(job.episode) if job.trigger == Trigger.ERROR else None
    if failure is None:
        return None
    query = Query("error", "", signature=failure.exact, kind=failure.kind)
    matches = lessons.match(job.episode.scope, query, now=now, limit=_LOOKED_AT)
    own = (match.lesson for match in matches if match.lesson.scope == job.episode.scope)
    return next((lesson for lesson in own if job.id in values_of(lesson.evidence, Kind.JOB)), None)


def request(job: Job, system: str) -> Request:
    """The request to the model about a job."""
    episode = job.episode
    sections = (
        f"TASK:\n{clip_middle(episode.task, _TASK_SHOWN)}",
        f"ATTEMPT:\n{clip_middle(attempt_text(episode), _ATTEMPT_SHOWN)}",
        f"OUTCOME (why we are reflecting):\n{clip(job.outcome, _OUTCOME_SHOWN)}",
        f"TRIGGER: {job.trigger}",
    )
    return Request(system, "\n\n".join(sections), episode, schema=SCHEMA)


def attempt_text(episode: Episode) -> str:
    """The attempt as text, then the steps around the failure."""
    at = focus(episode)
    steps = episode.steps if at is None else episode.steps[max(0, at - 2) : at + 6]
    steps_text = "\n".join(
        f"{'FAILED' if step.failed else 'ok'}: {clip(step.args, 300)}\n"
        f"{clip_middle(step.output, 300)}"
        for step in steps
    )
    return "\n\n".join(part for part in (clip_middle(episode.attempt, 900), steps_text) if part)


def _lesson(job: Job, blocks: Blocks, *, author: str) -> Lesson:
    episode, failure = job.episode, failure_of(job.episode)
    at = focus(episode)
    failed = episode.steps[at] if at is not None else None
    calls = typed_keys(failed.tool, failed.args, error_line(failed.output)) if failed else ()
    return Lesson(
        scope=episode.scope,
        situation=blocks.situation,
        mistake=blocks.mistake,
        correction=blocks.correction,
        tags=blocks.tags,
        trigger=job.trigger,
        signatures=(failure.exact,) if failure and failure.exact else (),
        kinds=(failure.kind,) if failure else (),
        calls=unique(calls),
        evidence=(Evidence(Kind.JOB, job.id, job.enqueued_at.timestamp()),),
        origin=f"{RUN}:{episode.source}",
        author=author,
        job=job.id,
        confidence=blocks.confidence,
        status=_state(job, blocks, author),
        met=0 if failed else 1,  # a failing step has been counted when it was recorded
    )


def _state(job: Job, blocks: Blocks, author: str) -> str:
    """The status of a new lesson: proven from a model, to be proven from rules."""
    if author != RULES or job.trigger != Trigger.ERROR:
        return Status.PROVEN
    return Status.CANDIDATE if blocks.confidence >= _SURE else Status.SEEN
