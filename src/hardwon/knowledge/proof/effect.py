"""How many repeats were prevented, with an interval that stays valid when checked repeatedly.

The estimate is the stratified difference of the two arms' repeat rates, times the units that were
shown. The interval is an asymptotic confidence sequence (a normal mixture): its promise holds for
all looks together, so a look a day does not invent an effect. It is 1.5 to 1.7 times as wide as
the interval of a single look.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from math import log, sqrt
from typing import Any, NamedTuple

from hardwon.core.values.report import PartEffect
from hardwon.core.values.scope import Scope

ALPHA = 0.05
_TUNED_AT = 1_500  # units at which the interval is tightest
_LEAST_WITHHELD = 30  # below this the normal approximation is not trusted
_ANCHOR = 40  # the weight of the pooled rate in the rate of each arm, in units
_FIXED = 1.959964  # the 97.5 % point of the normal distribution


class Effect(NamedTuple):
    """What the hold-out shows. All numbers are repeats, over all units that were shown."""

    prevented: float
    low: float
    high: float
    arms: Arms

    @property
    def is_proven(self) -> bool:
        """Whether the lessons helped, beyond what chance explains."""
        return self.low > 0

    @property
    def is_harmful(self) -> bool:
        """Whether the lessons did harm, beyond what chance explains."""
        return self.high < 0


def effect(
    strata: Iterable[Arms], *, always_valid: bool = True, alpha: float = ALPHA
) -> Effect | None:
    """The pooled effect; None while an interval would mean nothing.

    Strata are units that were exposed alike: same door, same share in force. Rates are compared
    within a stratum only, so a share that changes over time does not bias the sum.
    """
    usable = [arms for arms in strata if arms.shown and arms.withheld]
    pooled = total(usable)
    if pooled.withheld < _LEAST_WITHHELD:
        return None
    prevented = sum(
        arms.shown * arms.withheld_repeats / arms.withheld - arms.shown_repeats for arms in usable
    )
    error = sqrt(sum(arms.shown**2 * _variance(arms) for arms in usable))
    # As many units would give the same information with an even split.
    effective = 4 * pooled.shown * pooled.withheld / pooled.units
    margin = error * (_width(effective, alpha) if always_valid else _FIXED)
    return Effect(prevented, prevented - margin, prevented + margin, pooled)


def _variance(arms: Arms) -> float:
    """The variance of the difference.

    An arm with few units says little about its own rate, so the pooled rate is mixed in.
    """
    both = (arms.shown_repeats + arms.withheld_repeats + 1) / (arms.units + 2)
    shown = _spread(arms.shown_repeats, arms.shown, both)
    return shown + _spread(arms.withheld_repeats, arms.withheld, both)


def _spread(repeats: int, units: int, both: float) -> float:
    rate = (repeats + _ANCHOR * both) / (units + _ANCHOR)
    return rate * (1 - rate) / units


def _width(units: float, alpha: float) -> float:
    """The half-width in standard errors at this many units, valid for all checks together."""
    log_alpha = -2 * log(alpha)
    tuning = (log_alpha + log(log_alpha) + 1) / _TUNED_AT
    scaled = units * tuning
    return sqrt(2 * (scaled + 1) / scaled * log(sqrt(scaled + 1) / alpha))


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


_SIDES = 1 << 64


def toss(salt: str, *, tenant: str, run: str, family: str) -> float:
    """A number in 0 … 1 that depends only on these names; below the share means withheld.

    The coin is tossed per run and family, not per delivery. All doors of a run agree, and twins of
    a lesson share one coin; otherwise the twin would show what is withheld.
    """
    name = "\0".join((salt, tenant, run, family)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big") / _SIDES


ABOUT = 1_000  # runs after which the effect of a good store is usually proven
OFF = "Not proven: no hold-out is on. `hardwon config set proof.share 0.1` turns one on."


def sentence(strata: Sequence[Arms], *, share: float) -> str:
    """One or two sentences about the effect of all lessons together."""
    counts = total(strata)
    if not share and not counts.withheld:
        return OFF
    measured = effect(strata)
    lost = f" Of {counts.unknown:,} more it is not known how they ended." if counts.unknown else ""
    if measured and (measured.is_proven or measured.is_harmful):
        arms = measured.arms
        shown, withheld = arms.shown_repeats / arms.shown, arms.withheld_repeats / arms.withheld
        return (
            f"In {arms.withheld:,} of {arms.units:,} cases, chosen at random, lessons were held"
            f" back. The same failure came back in {shown:.1%} with and {withheld:.1%} without:"
            f" {repeats(measured)}.{lost}"
        )
    if counts.units < ABOUT:
        return f"Not proven yet: {counts.units:,} of about {ABOUT:,} cases.{lost}"
    return f"Not proven: {counts.units:,} cases show no effect beyond chance.{lost}"


def repeats(measured: Effect) -> str:
    """How many repeats lessons prevented, or caused."""
    sign, word = (1, "prevented") if measured.is_proven else (-1, "caused")
    low, high = sorted((sign * measured.low, sign * measured.high))
    return (
        f"about {sign * measured.prevented:,.0f} repeats {word} (95 %: {low:,.0f} to {high:,.0f})"
    )


TOO_FEW = "too few to tell"
NO_EFFECT = "no effect beyond chance"


def parts(strata: Sequence[Stratum]) -> Iterator[PartEffect]:
    """The effect of each part of the lessons, the part with most units first.

    The intervals are widened so that all hold at once with 95 %: many parts and repeated checks do
    not produce false effects.
    """
    groups = [group for by in ("door", "project", "origin") for group in _groups(strata, by)]
    for by, name, members in groups:
        counts = total(stratum.arms for stratum in members)
        measured = effect(alike(members), alpha=ALPHA / len(groups))
        if measured is None:
            yield PartEffect(by, name, *counts[:4], words=TOO_FEW)
            continue
        words = repeats(measured) if measured.is_proven or measured.is_harmful else NO_EFFECT
        yield PartEffect(by, name, *counts[:4], *measured[:3], words)


def _groups(strata: Iterable[Stratum], by: str) -> list[tuple[str, str, list[Stratum]]]:
    """The strata grouped by one attribute; [] if all have the same value."""
    members: dict[str, list[Stratum]] = {}
    for stratum in strata:
        members.setdefault(getattr(stratum, by), []).append(stratum)
    order = sorted(members, key=lambda name: (-total(s.arms for s in members[name]).units, name))
    return [(by, name, members[name]) for name in order] if len(members) > 1 else []
