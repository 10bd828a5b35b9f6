"""Counts of the two arms: runs that were shown a lesson, and runs from which it was withheld."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hardwon.core.values.scope import Scope

REPEATED, NOT_MET = "repeated", "not met"  # every other outcome is unknown


class Arms(NamedTuple):
    """Counts of units. A unit is one run and one lesson family, from its first exposure."""

    shown: int = 0
    shown_repeats: int = 0
    withheld: int = 0
    withheld_repeats: int = 0
    unknown: int = 0  # the run never ended, or saw the lesson elsewhere; counted in no arm

    def __add__(self, other: object) -> Arms:
        if not isinstance(other, Arms):
            return NotImplemented
        return Arms(*(count + other_count for count, other_count in zip(self, other, strict=True)))

    def with_unit(self, outcome: str, *, withheld: bool) -> Arms:
        """These counts and one unit more."""
        if outcome not in (REPEATED, NOT_MET):
            return self._replace(unknown=self.unknown + 1)
        repeats = int(outcome == REPEATED)
        unit = Arms(withheld=1, withheld_repeats=repeats) if withheld else Arms(1, repeats)
        return self + unit

    @property
    def units(self) -> int:
        """Units with a known outcome."""
        return self.shown + self.withheld


class Stratum(NamedTuple):
    """Units that were exposed in the same way."""

    project: str
    door: str
    author: str  # of the lesson: the model, `rules`, `person`; "" when it is gone
    share: float  # the hold-out share in force
    arms: Arms

    @property
    def origin(self) -> str:
        """Who worded the lesson: rules, a model, a person."""
        if not self.author:
            return "no longer there"
        return self.author if self.author in ("rules", "person") else "model"


class Treatment(NamedTuple):
    """One lesson in one wording, with its counts for each share that was in force."""

    scope: Scope  # of a run that was exposed to it
    lesson: int
    wording: str
    strata: tuple[Arms, ...]

    @property
    def arms(self) -> Arms:
        """All its units."""
        return total(self.strata)


def total(arms: Iterable[Arms]) -> Arms:
    """The sum of the counts."""
    return sum(arms, start=Arms())


def alike(strata: Iterable[Stratum]) -> list[Arms]:
    """The counts for each door and each share that was in force."""
    counts: dict[tuple[str, float], Arms] = {}
    for stratum in strata:
        key = stratum.door, stratum.share
        counts[key] = counts.get(key, Arms()) + stratum.arms
    return [counts[key] for key in sorted(counts)]


def treatments(rows: Iterable[tuple[Any, ...]], scopes: Mapping[int, Scope]) -> list[Treatment]:
    """The treatments in rows of (shelf, lesson, wording, counts), with a row for each share."""
    strata: dict[tuple[int, str], list[Arms]] = {}
    shelves: dict[int, int] = {}
    for shelf, lesson, wording, *arms in rows:
        strata.setdefault((lesson, wording), []).append(Arms(*arms))
        shelves[lesson] = shelf
    return [
        Treatment(scopes[shelves[lesson]], lesson, wording, tuple(arms))
        for (lesson, wording), arms in strata.items()
        if lesson
    ]
