"""What runs show without a hold-out: before and after a lesson, and what was told in time.

Neither is a proof. Failures come in waves, and a lesson is made when its failure has just been met.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hardwon.values.ended_run import EndedRun
from hardwon.values.report import BeforeAfter, Observed
from hardwon.values.run import WITHHELD

_LISTED = 5  # kinds


class Trail(NamedTuple):
    """What counts of a run: failures at their first time, and when lessons were shown first."""

    met: dict[str, int]  # kind → step
    told: dict[str, int]  # kind → steps that were made before
    texts: dict[str, str]


def trail_of(run: EndedRun) -> Trail:
    """The trail of a run."""
    met: dict[str, int] = {}
    told: dict[str, int] = {}
    texts: dict[str, str] = {}
    for at, step in enumerate(run.steps):
        if step.failed and step.failure:
            met.setdefault(step.failure.kind, at)
            texts[step.failure.kind] = step.failure.text
    for one in run.shown:
        for kind in one.kinds if one.door != WITHHELD else ():
            told.setdefault(kind, max(0, len(run.steps) - one.after))
    return Trail(met, told, texts)


def observed(runs: Iterable[EndedRun]) -> Observed:
    """What these runs show, oldest first."""
    trails = [trail_of(run) for run in runs]
    known: set[str] = set()
    repeats = warned = 0
    for trail in trails:
        again = [kind for kind in trail.met if kind in known]
        repeats += len(again)
        warned += sum(kind in trail.told and trail.told[kind] <= trail.met[kind] for kind in again)
        known.update(trail.met)
    found = before_after(trails)
    return Observed(len(trails), repeats, warned, *_sums(found), tuple(found[:_LISTED]))


def before_after(trails: Sequence[Trail]) -> list[BeforeAfter]:
    """How many runs met each kind before and after the run that was first told of it."""
    first: dict[str, int] = {}
    texts: dict[str, str] = {}
    for at, trail in enumerate(trails):
        for kind in trail.told:
            first.setdefault(kind, at)
        texts.update(trail.texts)
    found = [
        BeforeAfter(
            texts[kind],
            at,
            sum(kind in trail.met for trail in trails[:at]),
            len(trails) - at - 1,
            sum(kind in trail.met for trail in trails[at + 1 :]),
        )
        for kind, at in first.items()
        if kind in texts and 0 < at < len(trails) - 1
    ]
    return sorted(found, key=lambda one: (-one.met_before, one.text))


def _sums(found: Sequence[BeforeAfter]) -> tuple[int, int, int, int]:
    """Runs and meetings before and after, over all kinds: a run counts once for each kind."""
    return (
        sum(one.runs_before for one in found),
        sum(one.met_before for one in found),
        sum(one.runs_after for one in found),
        sum(one.met_after for one in found),
    )
