"""What runs show without a hold-out: before and after a lesson, and what was told in time.

Neither is a proof: failures come in waves, and a run is told when one has just come back.
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
    for shown in run.shown:
        for kind in shown.kinds if shown.door != WITHHELD else ():
            told.setdefault(kind, max(0, len(run.steps) - shown.after))
    return Trail(met, told, texts)


def observed(runs: Iterable[EndedRun]) -> Observed:
    """What these runs show, oldest first."""
    trails = [trail_of(run) for run in runs]
    met_before: set[str] = set()
    repeats = warned = 0
    for trail in trails:
        again = [kind for kind in trail.met if kind in met_before]
        repeats += len(again)
        warned += sum(kind in trail.told and trail.told[kind] <= trail.met[kind] for kind in again)
        met_before.update(trail.met)
    kinds = before_after(trails)
    return Observed(len(trails), repeats, warned, *_sums(kinds), tuple(kinds[:_LISTED]))


def before_after(trails: Sequence[Trail]) -> list[BeforeAfter]:
    """How often each kind came back once it was met: until a run was told of it, and after."""
    met: dict[str, int] = {}
    told: dict[str, int] = {}
    texts: dict[str, str] = {}
    for at, trail in enumerate(trails):
        for kind in trail.met:
            met.setdefault(kind, at)
        for kind in trail.told:
            told.setdefault(kind, at)
        texts.update(trail.texts)
    kinds = [
        _parted(texts[kind], trails[met[kind] + 1 :], kind, at - met[kind] - 1)
        for kind, at in told.items()
        if met.get(kind, at) < at
    ]
    comparable = [each for each in kinds if each.runs_before and each.runs_after]
    return sorted(comparable, key=lambda each: (-each.runs_before - each.runs_after, each.text))


def _parted(text: str, trails: Sequence[Trail], kind: str, first_told: int) -> BeforeAfter:
    """The counts of the runs since a kind was met, of which one was the first to be told."""
    trail = trails[first_told]
    is_before = kind in trail.met and trail.met[kind] < trail.told[kind]  # told because of it
    first = first_told + is_before
    before, after = trails[:first], trails[first:]
    counts = [sum(kind in trail.met for trail in part) for part in (before, after)]
    return BeforeAfter(text, len(before), counts[0], len(after), counts[1])


def _sums(kinds: Sequence[BeforeAfter]) -> tuple[int, int, int, int]:
    """Runs and meetings before and after, over all kinds: a run counts once for each kind."""
    return (
        sum(kind.runs_before for kind in kinds),
        sum(kind.met_before for kind in kinds),
        sum(kind.runs_after for kind in kinds),
        sum(kind.met_after for kind in kinds),
    )
