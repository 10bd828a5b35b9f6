"""What runs show without a hold-out: before and after a lesson, and warnings in time.

Neither is a proof: failures come in waves, and lessons are shown when one has just come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hardwon.core.values.report import BeforeAfter, Observed
from hardwon.core.values.run import WITHHELD, EndedRun

_LISTED = 5  # kinds


class Trail(NamedTuple):
    """When a run first met each failure kind, and when it was first shown a lesson about it."""

    met: dict[str, int]  # kind → step
    told: dict[str, int]  # kind → steps before the lesson was shown
    texts: dict[str, str]


def trail_of(run: EndedRun) -> Trail:
    """The trail of a run."""
    met_at: dict[str, int] = {}
    shown_at: dict[str, int] = {}
    texts: dict[str, str] = {}
    for at, step in enumerate(run.steps):
        if step.failed and step.failure:
            met_at.setdefault(step.failure.kind, at)
            texts[step.failure.kind] = step.failure.text
    for shown in run.shown:
        for kind in shown.kinds if shown.door != WITHHELD else ():
            shown_at.setdefault(kind, max(0, len(run.steps) - shown.after))
    return Trail(met_at, shown_at, texts)


def observed(runs: Iterable[EndedRun]) -> Observed:
    """The repeats and warnings in these runs, which come oldest first."""
    trails = [trail_of(run) for run in runs]
    met_before: set[str] = set()
    repeats = warned = 0
    for trail in trails:
        repeated = [kind for kind in trail.met if kind in met_before]
        repeats += len(repeated)
        warned += sum(
            kind in trail.told and trail.told[kind] <= trail.met[kind] for kind in repeated
        )
        met_before.update(trail.met)
    kinds = before_after(trails)
    return Observed(len(trails), repeats, warned, *_sums(kinds), tuple(kinds[:_LISTED]))


def before_after(trails: Sequence[Trail]) -> list[BeforeAfter]:
    """How often each kind came back after it was first met, before and after its lesson."""
    first_met: dict[str, int] = {}
    first_told: dict[str, int] = {}
    texts: dict[str, str] = {}
    for at, trail in enumerate(trails):
        for kind in trail.met:
            first_met.setdefault(kind, at)
        for kind in trail.told:
            first_told.setdefault(kind, at)
        texts.update(trail.texts)
    kinds = [
        _parted(texts[kind], trails[first_met[kind] + 1 :], kind, at - first_met[kind] - 1)
        for kind, at in first_told.items()
        if first_met.get(kind, at) < at
    ]
    comparable = [change for change in kinds if change.runs_before and change.runs_after]
    return sorted(
        comparable, key=lambda change: (-change.runs_before - change.runs_after, change.text)
    )


def _parted(text: str, trails: Sequence[Trail], kind: str, first_told: int) -> BeforeAfter:
    """The counts of the runs since a kind was met; run `first_told` first saw its lesson."""
    trail = trails[first_told]
    # Whether the failure came before the lesson
    is_before = kind in trail.met and trail.met[kind] < trail.told[kind]
    first = first_told + is_before
    before, after = trails[:first], trails[first:]
    counts = [sum(kind in trail.met for trail in part) for part in (before, after)]
    return BeforeAfter(text, len(before), counts[0], len(after), counts[1])


def _sums(kinds: Sequence[BeforeAfter]) -> tuple[int, int, int, int]:
    """Runs, and runs that met the kind, before and after; a run counts once per kind."""
    return (
        sum(kind.runs_before for kind in kinds),
        sum(kind.met_before for kind in kinds),
        sum(kind.runs_after for kind in kinds),
        sum(kind.met_after for kind in kinds),
    )
