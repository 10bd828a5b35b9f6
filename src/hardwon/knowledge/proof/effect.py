"""How many repeats were prevented, with an interval that stays valid when checked repeatedly.

The estimate is the stratified difference of the two arms' repeat rates, times the units that were
shown. The interval is an asymptotic confidence sequence (a normal mixture): its promise holds for
all looks together, so a look a day does not invent an effect. It is 1.5 to 1.7 times as wide as
the interval of a single look.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log, sqrt
from typing import NamedTuple

from hardwon.knowledge.proof.arms import Arms, total

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
    prevented = sum(arms.shown * _difference(arms) for arms in usable)
    error = sqrt(sum(arms.shown**2 * _variance(arms) for arms in usable))
    margin = error * (_width(_effective(pooled), alpha) if always_valid else _FIXED)
    return Effect(prevented, prevented - margin, prevented + margin, pooled)


def _difference(arms: Arms) -> float:
    return arms.withheld_repeats / arms.withheld - arms.shown_repeats / arms.shown


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


def _effective(arms: Arms) -> float:
    """The number of units that would give the same information with an even split."""
    return 4 * arms.shown * arms.withheld / arms.units


def _width(units: float, alpha: float) -> float:
    """The half-width in standard errors at this many units, valid for all checks together."""
    log_alpha = -2 * log(alpha)
    tuning = (log_alpha + log(log_alpha) + 1) / _TUNED_AT
    scaled = units * tuning
    return sqrt(2 * (scaled + 1) / scaled * log(sqrt(scaled + 1) / alpha))
