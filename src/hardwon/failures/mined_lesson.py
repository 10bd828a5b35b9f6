"""The lesson that rules make of a failure kind, updated with every run that meets it."""

from __future__ import annotations

from hardwon._cold.lazy import lazy
from hardwon.failures import call_keys
from hardwon.text.clean import clip, one_line
from hardwon.values.evidence import Evidence, Kind, joined, values_of
from hardwon.values.fix import with_stated
from hardwon.values.lesson import (
    CALLS_KEPT,
    MINED,
    RULES,
    SIGNATURES_KEPT,
    Lesson,
    Status,
    clean_tags,
    unique,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.failures import case_text, fix_stated, lesson_text, situation, tried_in_vain
    from hardwon.text import harm, injection
    from hardwon.values import episode
    from hardwon.values.failure import Failure
    from hardwon.values.fix import Fix
    from hardwon.values.run import RunSoFar
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step
else:
    case_text, situation = lazy("hardwon.failures.case_text"), lazy("hardwon.failures.situation")
    fix_stated = lazy("hardwon.failures.fix_stated")
    lesson_text = lazy("hardwon.failures.lesson_text")
    tried_in_vain = lazy("hardwon.failures.tried_in_vain")
    harm, injection = lazy("hardwon.text.harm"), lazy("hardwon.text.injection")
    episode = lazy("hardwon.values.episode")

_LINE = 120


def opened(step: Step, failure: Failure, scope: Scope, now: datetime) -> Lesson:
    """A new lesson for a failure kind that was never met before."""
    return lesson_text.settled(
        Lesson(
            scope=scope,
            situation=situation.situation(situation.with_names(failure.text, step), step),
            mistake=f"{situation.program(step)} failed.",
            correction=lesson_text.UNSOLVED,
            fixes=with_stated((), _stated(step)),
            tags=clean_tags((step.tool, situation.program(step).strip("`").split(" ")[0])),
            trigger=episode.Trigger.ERROR,
            signatures=(failure.exact,) if failure.exact else (),
            kinds=(failure.kind,),
            calls=_calls(step, failure),
            evidence=(_quote(step, failure, now),),
            origin=MINED,
            author=RULES,
            job=f"{MINED}:{failure.kind}",
            status=Status.SEEN,
            created_at=now,
            updated_at=now,
            last_seen_at=now,
        )
    )


def met_again(
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
        calls=(*lesson.calls, *_calls(step, failure))[-CALLS_KEPT:],
        evidence=joined(lesson.evidence, [_quote(step, failure, now)]),
        fixes=with_stated(lesson.fixes, _stated(step)),
    )


def with_tried(
    lesson: Lesson, step: Step, failure: Failure, past: RunSoFar, now: datetime
) -> Lesson:
    """The lesson with what this run tried in vain since it last failed this way."""
    last = past.last_failing(failure.kind)
    if last is None:
        return lesson
    known_attempts = set(values_of(lesson.evidence, Kind.TRIED))
    tried = [
        Evidence(Kind.TRIED, words, now.timestamp())
        for words in tried_in_vain.tried_in_vain((*past.steps, step), last)
        if words not in known_attempts and not injection.suspicion(words)
    ]
    return lesson._replace(evidence=joined(lesson.evidence, tried)) if tried else lesson


def with_case(lesson: Lesson, steps: Sequence[Step], at: int, now: datetime) -> Lesson:
    """The lesson with the steps around a failure as evidence, in the form that a model reads."""
    case = Evidence(Kind.CASE, case_text.case_text(steps, at), now.timestamp())
    return lesson._replace(evidence=joined(lesson.evidence, (case,)))


def _with_digest(digests: tuple[str, ...], digest: str) -> tuple[str, ...]:
    return unique((*digests, digest)) if digest else digests


def _calls(step: Step, failure: Failure) -> tuple[str, ...]:
    return call_keys.blamed_keys(step.tool, step.args, failure.line)


def _quote(step: Step, failure: Failure, now: datetime) -> Evidence:
    call = clip(one_line(step.args), _LINE)
    return Evidence(Kind.MET, f"{call} → {failure.line}", now.timestamp())


def _stated(step: Step) -> Fix | None:
    """The fix that the error states about named arguments; None for a command line."""
    fix = fix_stated.stated_fix(step) if step.args.startswith("{") else None
    return None if fix is None or harm.harm(fix.text) else fix
