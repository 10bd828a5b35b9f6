"""Screen: clean every text and remove secrets before it is stored or sent to a model."""

from __future__ import annotations

from collections.abc import Sequence

from hardwon.core.text import harm, injection
from hardwon.core.text.clean import ATTEMPT_LIMIT, clean
from hardwon.core.text.secrets import all_without_secrets, screen_excerpt, without_secrets
from hardwon.core.values.lesson import (
    LIVE,
    TEXT_LIMIT,
    Evidence,
    Fix,
    Lesson,
    is_approved,
    join_evidence,
    quarantine_lesson,
    tidy,
)
from hardwon.core.values.run import Episode, Step

_TASK_LIMIT = 16 * 1024
_OUTPUT_LIMIT = 8 * 1024
_EVIDENCE_LIMIT = 2000
_STEPS_KEPT = 200
screen_text = screen_excerpt  # what a stage stores: without secrets, clean, of limited length


def screen_episode(episode: Episode, recorded: Sequence[Step] = ()) -> Episode:
    """The episode without secrets, clean, and of limited size.

    `recorded` steps were screened when they were recorded and are taken as they are.
    """
    steps = recorded or tuple(map(screen_step, episode.steps[-_STEPS_KEPT:]))
    return episode._replace(
        task=screen_text(episode.task, _TASK_LIMIT),
        attempt=screen_text(episode.attempt, ATTEMPT_LIMIT),
        error=screen_text(episode.error, _OUTPUT_LIMIT),
        steps=tuple(steps[-_STEPS_KEPT:]),
        signals=tuple(
            (screen_text(key, 200), screen_text(value, _OUTPUT_LIMIT))
            for key, value in episode.signals
        ),
    )


def screen_step(step: Step) -> Step:
    """The step without secrets, clean, and of limited size."""
    return step._replace(
        tool=screen_text(step.tool, 200),
        args=screen_text(step.args, _OUTPUT_LIMIT),
        output=screen_text(step.output, _OUTPUT_LIMIT),
    )


def screen_lesson(lesson: Lesson) -> Lesson:
    """The lesson without secrets and clean; one that injects or does harm is quarantined."""
    reason = _objection(lesson)
    evidence = (
        (screen_text(kind, 40), screen_text(value, _EVIDENCE_LIMIT), at)
        for kind, value, at in lesson.evidence
    )
    situation, mistake, correction = all_without_secrets(
        clean(lesson.situation), clean(lesson.mistake), clean(lesson.correction)
    )
    safe = tidy(
        lesson._replace(
            situation=situation,
            mistake=mistake,
            correction=correction,
            tags=tuple(without_secrets(tag) for tag in lesson.tags),
            evidence=join_evidence(map(Evidence._make, evidence)),
            fixes=tuple(map(_screened_fix, lesson.fixes)),
        )
    )
    if reason and lesson.status in LIVE and not is_approved(lesson, reason):
        return quarantine_lesson(safe, reason)
    return safe


def _objection(lesson: Lesson) -> str:
    """Why the lesson must wait for a person; "" if it may be told."""
    texts = "\n".join((lesson.situation, lesson.mistake, lesson.correction))
    if reason := injection.suspicion(texts) or injection.suspicion("\n".join(lesson.tags)):
        return reason
    if lesson.guard:
        return ""
    # What a lesson warns of is told as a mistake.
    done, context = harm.harm(lesson.correction), harm.harm(lesson.situation)
    return done or (context if context in harm.TAKES_DATA else "") or ""


def _screened_fix(fix: Fix) -> Fix:
    return fix._replace(
        text=screen_text(fix.text, TEXT_LIMIT),
        call=screen_text(fix.call, _OUTPUT_LIMIT),
        mistake=screen_text(fix.mistake, TEXT_LIMIT),
        said=screen_text(fix.said, TEXT_LIMIT),
    )
