"""What is believed about one lesson: a risk ratio, shrunk towards what the whole store shows.

Most lessons are met too rarely for a verdict of their own. So a lesson's counts are weighed
against a prior that is fitted to all lessons of the store. The model is a grid: a lesson cuts its
failure's rate by one of nine ratios, and that rate is one of thirty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import exp, log
from typing import NamedTuple

from hardwon.proof.arms import Arms

RATIOS = (0.1, 0.2, 0.35, 0.5, 0.65, 0.75, 1.0, 1.3, 1.8)
RATES = tuple(1 / (1 + exp(4.6 - 0.22 * step)) for step in range(30))  # 0.01 … 0.86
_HIGHEST = 0.99
REAL_CUT = 0.75  # a ratio up to this is worth its tokens
# Half of all lessons do nothing, nearly half help, few do harm: where the fit begins.
_FIRST_RATIOS = (0.05, 0.08, 0.08, 0.08, 0.08, 0.08, 0.50, 0.03, 0.02)
_FITTED_ROUNDS = 20
_FIRST_WEIGHT = 20.0  # lessons that the first prior counts for in the fit


class Prior(NamedTuple):
    """How common each ratio and each rate is among lessons."""

    ratios: tuple[float, ...] = _FIRST_RATIOS
    rates: tuple[float, ...] = (1 / len(RATES),) * len(RATES)


class Belief:
    """The posterior of one lesson."""

    def __init__(self, ratios: Sequence[float], rates: Sequence[float]) -> None:
        self.ratios = tuple(ratios)
        self.rates = tuple(rates)

    @cached_property
    def helps(self) -> float:
        """The chance that the lesson makes a real cut."""
        return sum(p for p, ratio in zip(self.ratios, RATIOS, strict=True) if ratio <= REAL_CUT)

    @cached_property
    def harms(self) -> float:
        """The chance that the failure comes back more often with the lesson."""
        return sum(p for p, ratio in zip(self.ratios, RATIOS, strict=True) if ratio > 1)

    @cached_property
    def ratio(self) -> float:
        """The expected risk ratio."""
        return sum(p * ratio for p, ratio in zip(self.ratios, RATIOS, strict=True))


def believe(arms: Arms, prior: Prior = Prior()) -> Belief:
    """The posterior of a lesson with these counts."""
    cells = _cells(arms, prior)
    ratios = [sum(row) for row in cells]
    rates = [sum(column) for column in zip(*cells, strict=True)]
    return Belief(ratios, rates)


def fit(lessons: Sequence[Arms], *, rounds: int = _FITTED_ROUNDS) -> Prior:
    """The prior under which the store's lessons are most likely, by expectation maximisation.

    The first prior counts as some lessons of its own, so a small store hardly moves it.
    """
    first, prior = Prior(), Prior()
    known = [arms for arms in lessons if arms.units]
    for _ in range(rounds if known else 0):
        beliefs = [believe(arms, prior) for arms in known]
        prior = Prior(
            _mixed(first.ratios, [belief.ratios for belief in beliefs]),
            _mixed(first.rates, [belief.rates for belief in beliefs]),
        )
    return prior


def _mixed(first: Sequence[float], posteriors: Sequence[Sequence[float]]) -> tuple[float, ...]:
    total = _FIRST_WEIGHT + len(posteriors)
    sums = map(sum, zip(*posteriors, strict=True))
    return tuple(
        (_FIRST_WEIGHT * start + added) / total for start, added in zip(first, sums, strict=True)
    )


def _cells(arms: Arms, prior: Prior) -> list[list[float]]:
    """The probability of each ratio and rate, given the counts."""
    base = [
        log(weight) + _log_chance(arms.withheld_repeats, arms.withheld, logs)
        for weight, logs in zip(prior.rates, _WITHHELD, strict=True)
    ]
    values = [
        [
            log(weight) + start + _log_chance(arms.shown_repeats, arms.shown, logs)
            for start, logs in zip(base, row, strict=True)
        ]
        for weight, row in zip(prior.ratios, _SHOWN, strict=True)
    ]
    most = max(map(max, values))
    raw = [[exp(value - most) for value in row] for row in values]
    total = sum(map(sum, raw))
    return [[value / total for value in row] for row in raw]


def _log_chance(hits: int, tries: int, logs: tuple[float, float]) -> float:
    """The log of the chance of these counts, without the factor that all cells share."""
    return hits * logs[0] + (tries - hits) * logs[1]


def _logs(rate: float) -> tuple[float, float]:
    return log(rate), log(1 - rate)


# The logs of all rates in the grid, since a fit reads each of them many times.
_WITHHELD = tuple(_logs(rate) for rate in RATES)
_SHOWN = tuple(tuple(_logs(min(rate * ratio, _HIGHEST)) for rate in RATES) for ratio in RATIOS)
