"""The lesson about a failure kind, updated with every run that meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.lesson import (
    CALLS_KEPT,
    MINED,
    RULES,
    SIGNATURES_KEPT,
    TASK_LIMIT,
    Evidence,
    Kind,
    Lesson,
    Status,
    clean_tags,
    join_evidence,
    unique,
)
from hardwon.core.values.run import Failure, RunSoFar, Step, Trigger
from hardwon.knowledge.evidence.keys import failed_key
from hardwon.knowledge.reading import call_keys, lesson_text, situation

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.scope import Scope

_LINE = 120


def opened(step: Step, failure: Failure, scope: Scope, task: str, now: datetime) -> Lesson:
    """A new lesson for a failure kind that was never met before."""
    return lesson_text.settled(
        Lesson(
            scope=scope,
            situation=situation.situation(situation.with_names(failure.text, step), step),
            mistake=f"{situation.program(step)} failed.",
            correction=lesson_text.UNSOLVED,
            tags=clean_tags((step.tool, situation.program(step).strip("`").split(" ")[0])),
            trigger=Trigger.ERROR,
            signatures=(failure.exact,) if failure.exact else (),
            kinds=(failure.kind,),
            calls=_calls(step, failure, task),
            evidence=_seen(step, failure, task, now),
            origin=MINED,
            author=RULES,
            job=f"{MINED}:{failure.kind}",
            status=Status.SEEN,
            created_at=now,
            updated_at=now,
            last_seen_at=now,
        )
    )


def seen_again(
    lesson: Lesson, step: Step, failure: Failure, past: RunSoFar, now: datetime
) -> Lesson:
    """The lesson after one more run that met its failure.

    `met` does not grow in a run that the lesson is withheld from: such runs fail more often.
    """
    is_ours = lesson.origin == MINED and lesson.author == RULES
    agreed = situation.agreed(lesson.situation, failure.text, step) if is_ours else ""
    return lesson._replace(
        situation=agreed or lesson.situation,
        met=lesson.met + (failure.kind not in past.withheld),
        signatures=_with_digest(lesson.signatures, failure.exact)[-SIGNATURES_KEPT:],
        calls=unique((*lesson.calls, *_calls(step, failure, past.task)))[-CALLS_KEPT:],
        evidence=join_evidence(lesson.evidence, _seen(step, failure, past.task, now)),
    )


def _with_digest(digests: tuple[str, ...], digest: str) -> tuple[str, ...]:
    return unique((*digests, digest)) if digest else digests


def _calls(step: Step, failure: Failure, task: str) -> tuple[str, ...]:
    """The failing call as it was typed, for guards, and as later runs may make it."""
    typed = call_keys.blamed_keys(step.tool, step.args, failure.line)[:1]
    return (*typed, *failed_key(step, task))


def _seen(step: Step, failure: Failure, task: str, now: datetime) -> tuple[Evidence, ...]:
    """What was seen when the failure was met, and the task of that run."""
    at, call = now.timestamp(), clip(one_line(step.args), _LINE)
    about = (Evidence(Kind.TASK, clip(one_line(task), TASK_LIMIT), at),) if task else ()
    return (Evidence(Kind.MET, f"{call} → {failure.line}", at), *about)
