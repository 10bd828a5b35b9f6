"""The failure that a whole run is remembered by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.run import Episode, Failure, Step, Trigger
from hardwon.knowledge.reading.fixes import fix_shown
from hardwon.knowledge.reading.mistakes import is_mistake
from hardwon.knowledge.reading.reading import read_failure

if TYPE_CHECKING:
    from hardwon.core.values.job import Job

_QUOTED = 9  # shorter lines are too common to be searched for


def focus(episode: Episode) -> int | None:
    """The index of the failing step that a run is remembered by; None if no step failed."""
    steps = episode.steps
    failing = [at for at, step in enumerate(steps) if step.failed and is_mistake(step, steps[:at])]
    if not failing:
        return None
    in_error = [at for at in failing if _is_named(steps[at], episode.error)]
    fixed = [] if in_error else [at for at in failing if fix_shown(steps, at)]
    return (in_error or fixed or failing)[-1]


def _is_named(step: Step, error: str) -> bool:
    """Whether the error of a run quotes the last line of a step."""
    last = step.output.strip().rsplit("\n", 1)[-1].strip()
    return len(last) >= _QUOTED and last in error


def failure_of(episode: Episode) -> Failure | None:
    """The failure that an episode is remembered by; None if it is not specific enough.

    An outer error such as "tests failed" is too general: the failing step is used instead.
    """
    at = focus(episode)
    if at is None:
        outer = Step("run", "", episode.error, failed=True)
        return _telling(read_failure(outer, ())) if episode.error else None
    steps = episode.steps
    failing = [n for n, step in enumerate(steps) if step.failed and is_mistake(step, steps[:n])]
    read = (
        _telling(episode.steps[n].failure or read_failure(episode.steps[n], episode.steps[:n]))
        for n in (at, *reversed(failing))
    )
    return next((failure for failure in read if failure), None)


def _telling(failure: Failure | None) -> Failure | None:
    """The failure, if it is specific enough to be recognised."""
    return failure if failure and failure.is_telling else None


def needs_no_words(job: Job) -> bool:
    """Whether a lesson from the error text would add nothing to the lessons from the steps.

    True if a step failed, or if the error is as general as "not solved".
    """
    episode = job.episode
    if job.trigger != Trigger.ERROR or not episode.steps:
        return False
    if any(step.failed for step in episode.steps):
        return True
    return not episode.attempt.strip() and failure_of(episode) is None


def teaches(job: Job) -> bool:
    """Whether rules can learn from a job; an error must be specific and due to a mistake."""
    if job.trigger != Trigger.ERROR:
        return True
    steps = job.episode.steps
    has_mistake = any(step.failed and is_mistake(step, steps[:at]) for at, step in enumerate(steps))
    return failure_of(job.episode) is not None and (has_mistake or not any(s.failed for s in steps))
