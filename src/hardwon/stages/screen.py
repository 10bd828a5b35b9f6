"""Screen: the funnel every text goes through before it is written anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.domain.lesson import tidy
from hardwon.domain.text import ATTEMPT_LIMIT, clean, clip_middle

if TYPE_CHECKING:
    from hardwon.domain.episode import Episode, Step
    from hardwon.domain.lesson import Lesson

_TASK_LIMIT = 16 * 1024
_OUTPUT_LIMIT = 8 * 1024
_STEPS_KEPT = 60


def screen_episode(episode: Episode) -> Episode:
    """The episode as it may be stored: clean, and of a size that always fits a record."""
    return episode._replace(
        task=_fit(episode.task, _TASK_LIMIT),
        attempt=_fit(episode.attempt, ATTEMPT_LIMIT),
        error=_fit(episode.error, _OUTPUT_LIMIT),
        steps=tuple(screen_step(step) for step in episode.steps[-_STEPS_KEPT:]),
        signals=tuple((_fit(k, 200), _fit(v, _OUTPUT_LIMIT)) for k, v in episode.signals),
    )


def screen_step(step: Step) -> Step:
    """The step as it may be stored."""
    return step._replace(
        tool=_fit(step.tool, 200),
        args=_fit(step.args, _OUTPUT_LIMIT),
        output=_fit(step.output, _OUTPUT_LIMIT),
    )


def screen_lesson(lesson: Lesson) -> Lesson:
    """The lesson as it may be stored."""
    return tidy(lesson)


def _fit(text: str, limit: int) -> str:
    return clip_middle(clean(clip_middle(text, limit * 4)), limit)
