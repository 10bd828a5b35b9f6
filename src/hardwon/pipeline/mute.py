"""Mute: stop showing a lesson early in a run if its failure hardly ever follows.

A lesson shown at the start of a run or at a turn was right if its failure follows, and needless if
not. Each run counts once. Below a chance of `LEAST` the lesson is hidden until its failure is met
again. A lesson without a failure is not judged.
"""

from __future__ import annotations

from hardwon.errors import NotFound
from hardwon.ranking.odds import Call, Counts, number
from hardwon.values.delivery import Door

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.ports import CallLog, LessonStore, Store
    from hardwon.ranking.scores import Judged
    from hardwon.values.lesson import Lesson
    from hardwon.values.run import RunSoFar
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step

LEAST = 0.3  # a lesson is shown from this chance of its failure on
QUIET = "told in vain too often"
_MET = "met"
_BEFOREHAND = (Door.START, Door.TURN)


def note(past: RunSoFar, scope: Scope, store: Store) -> None:
    """Count for an ended run whether its early warnings were needed."""
    for lesson, is_met in _judged(past, scope, store.lessons):
        kind = _MET if is_met else ""
        store.calls.made(scope, Call((_feature(lesson.id),), kind))


def muted(candidates: Sequence[Judged], scope: Scope, calls: CallLog) -> list[Judged]:
    """The candidates, with the needless ones marked as not shown."""
    features = {
        candidate.match.lesson.id: _feature(candidate.match.lesson.id)
        for candidate in candidates
        if not candidate.verdict
    }
    counts = calls.counts(scope, tuple(features.values())) if features else {}
    quiet = {lesson for lesson, feature in features.items() if _chance(counts.get(feature)) < LEAST}
    return [
        candidate._replace(verdict=QUIET) if candidate.match.lesson.id in quiet else candidate
        for candidate in candidates
    ]


def _judged(past: RunSoFar, scope: Scope, lessons: LessonStore) -> Iterator[tuple[Lesson, bool]]:
    """Every lesson that was shown, each once, and whether its failure was met afterwards."""
    first: dict[int, int] = {}
    for shown in past.shown:
        place = len(past.steps) - shown.after if shown.door in _BEFOREHAND else 0
        for lesson_id in shown.lessons:
            first.setdefault(lesson_id, max(0, place))
    for lesson_id, place in first.items():
        try:
            lesson = lessons.get(scope, lesson_id)
        except NotFound:
            continue
        if names := {*lesson.kinds, *lesson.signatures}:
            yield lesson, _is_met(names, past.steps[place:])


def _is_met(names: set[str], steps: Iterable[Step]) -> bool:
    failures = (step.failure for step in steps if step.failed)
    return any(
        failure and not names.isdisjoint((failure.kind, failure.exact)) for failure in failures
    )


def _chance(counts: Counts | None) -> float:
    """The chance that the failure follows, with a weak prior of ½; 1 if nothing was counted."""
    if counts is None:
        return 1.0
    times_met = sum(failed for _, failed, _ in counts.kinds)  # `_MET` is the only kind
    return (times_met + 1) / (counts.made + 2)


def _feature(lesson: int) -> int:
    return number(f"told {lesson}")
