"""The verdict on a lesson, and which lessons are retired because they do not help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import exp, log
from operator import mul
from typing import NamedTuple

from hardwon.knowledge.proof.effect import Arms, Treatment, total

ENOUGH = 100  # exposures after which most lessons can be judged
TOO_FEW, OPEN = "too few", "open"
HELPS, HELPS_NOT, HARMS = "probably helps", "probably not", "harms"
_LIKELY = 0.8
_UNLIKELY = 0.1  # a real cut less likely than this is no reason to show a lesson
_WRONG = 0.05  # the expected share of retired lessons that are useful after all, at most
_LEAST = 30  # exposures before anything but "too few" is said


class Verdict(NamedTuple):
    """The belief about one lesson in one wording."""

    treatment: Treatment
    belief: Belief

    @property
    def units(self) -> int:
        """How many runs with a known outcome there are."""
        return self.treatment.arms.units

    @property
    def name(self) -> str:
        """One of TOO_FEW, OPEN, HELPS, HELPS_NOT and HARMS."""
        if self.units < _LEAST:
            return TOO_FEW
        if self.belief.harms >= _LIKELY:
            return HARMS
        if self.belief.helps >= _LIKELY:
            return HELPS
        return HELPS_NOT if self.belief.helps <= 1 - _LIKELY else OPEN

    @property
    def words(self) -> str:
        """The verdict as it is shown to people."""
        is_early = self.name in (TOO_FEW, OPEN)
        return f"{self.name} ({self.units} of about {ENOUGH})" if is_early else self.name


class Retirement(NamedTuple):
    """Lessons to retire, and the share of them that is expected to be useful after all."""

    lessons: tuple[int, ...]
    expected_wrong: float


def verdicts(treatments: Iterable[Treatment], prior: Prior) -> Iterator[Verdict]:
    """The verdict on each treatment, computed on demand."""
    return (Verdict(treatment, believe(treatment.strata, prior)) for treatment in treatments)


def prior_of(treatments: Sequence[Treatment]) -> Prior:
    """How common helpful and useless lessons are in a store."""
    return fit([treatment.strata for treatment in treatments])


def to_retire(verdicts: Iterable[Verdict]) -> Retirement:
    """The lessons to retire because they hardly help.

    The least helpful come first, as long as the expected share of wrong retirements stays
    within its limit.
    """
    chances = sorted(
        (verdict.belief.helps, verdict.treatment.lesson)
        for verdict in verdicts
        if verdict.units >= _LEAST and verdict.treatment.arms.withheld
    )
    retired: list[int] = []
    wrong = 0.0
    for helps, lesson in chances:
        if helps >= _UNLIKELY or wrong + helps > _WRONG * (len(retired) + 1):
            break
        retired.append(lesson)
        wrong += helps
    return Retirement(tuple(retired), wrong / len(retired) if retired else 0.0)


Table = list[list[float]]  # a row for each ratio, a column for each rate

RATIOS = (0.1, 0.2, 0.35, 0.5, 0.65, 0.75, 1.0, 1.3, 1.8)
RATES = tuple(1 / (1 + exp(4.6 - 0.22 * step)) for step in range(30))  # 0.01 … 0.86
_HIGHEST = 0.99
REAL_CUT = 0.75  # a ratio up to this is worth its tokens
# Where the fit begins: four lessons in ten do nothing, many cut a little, few do harm. With less
# weight on small cuts, lessons that help a little were retired more often than expected.
_FIRST_RATIOS = (0.05, 0.06, 0.06, 0.08, 0.10, 0.18, 0.42, 0.03, 0.02)
_FITTED_ROUNDS = 20
_FITTED = 300  # lessons that a fit reads at most
_LEAST_CHANCE = 1e-300  # of a likelihood: its log is taken
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


def believe(strata: Sequence[Arms], prior: Prior = Prior()) -> Belief:
    """The posterior of a lesson with these counts.

    The failure rate may differ between strata; the risk ratio is the same in all.
    """
    return _posterior([_likelihood(arms) for arms in strata or [Arms()]], prior)


def fit(lessons: Sequence[Sequence[Arms]], *, rounds: int = _FITTED_ROUNDS) -> Prior:
    """The prior under which the store's lessons are most likely, by expectation maximisation.

    The first prior counts as much as some lessons, so a small store hardly moves it. In a large
    store only the lessons with most units are read.
    """
    first, prior = Prior(), Prior()
    counted = [strata for strata in map(tuple, lessons) if total(strata).units]
    counted.sort(key=lambda strata: -total(strata).units)
    grouped = Counter(counted[:_FITTED]).items()
    tables = [(times, [_likelihood(arms) for arms in strata]) for strata, times in grouped]
    for _ in range(rounds if counted else 0):
        beliefs = [(times, _posterior(likelihoods, prior)) for times, likelihoods in tables]
        prior = Prior(
            _mix(first.ratios, [(times, belief.ratios) for times, belief in beliefs]),
            _mix(first.rates, [(times, belief.rates) for times, belief in beliefs]),
        )
    return prior


def _mix(
    first: Sequence[float], posteriors: Sequence[tuple[int, Sequence[float]]]
) -> tuple[float, ...]:
    """The weighted mean of the posteriors and the first prior."""
    count = _FIRST_WEIGHT + sum(times for times, _ in posteriors)
    weighed = [[times * share for share in belief] for times, belief in posteriors]
    sums = map(sum, zip(*weighed, strict=True))
    return tuple(
        (_FIRST_WEIGHT * start + added) / count for start, added in zip(first, sums, strict=True)
    )


def _posterior(tables: Sequence[Table], prior: Prior) -> Belief:
    """The posterior, given the likelihood of each stratum."""
    chances = [[max(_LEAST_CHANCE, _dot(row, prior.rates)) for row in table] for table in tables]
    logs = [log(weight) for weight in prior.ratios]
    for stratum in chances:
        logs = [
            value_so_far + log(chance) for value_so_far, chance in zip(logs, stratum, strict=True)
        ]
    ratios = _normal([exp(value - max(logs)) for value in logs])
    rates = [0.0] * len(RATES)
    for table, stratum in zip(tables, chances, strict=True):
        weights = [ratio / chance for ratio, chance in zip(ratios, stratum, strict=True)]
        columns = (_dot(column, weights) for column in zip(*table, strict=True))
        rates = [
            value_so_far + weight * column
            for value_so_far, weight, column in zip(rates, prior.rates, columns, strict=True)
        ]
    return Belief(ratios, _normal(rates))


def _likelihood(arms: Arms) -> Table:
    """How likely the counts are under each ratio and rate; the likeliest cell is 1."""
    base = [_log_chance(arms.withheld_repeats, arms.withheld, logs) for logs in _WITHHELD]
    values = [
        [
            start + _log_chance(arms.shown_repeats, arms.shown, logs)
            for start, logs in zip(base, row, strict=True)
        ]
        for row in _SHOWN
    ]
    most = max(map(max, values))
    return [[exp(value - most) for value in row] for row in values]


def _dot(values: Sequence[float], weights: Sequence[float]) -> float:
    return float(sum(map(mul, values, weights)))


def _normal(values: Sequence[float]) -> list[float]:
    """The values as shares of their sum."""
    total = sum(values)
    return [value / total for value in values]


def _log_chance(hits: int, tries: int, logs: tuple[float, float]) -> float:
    """The log of the chance of these counts, without the factor that all cells share."""
    return hits * logs[0] + (tries - hits) * logs[1]


def _logs(rate: float) -> tuple[float, float]:
    return log(rate), log(1 - rate)


# The logs of all rates in the grid, since a fit reads each of them many times.
_WITHHELD = tuple(_logs(rate) for rate in RATES)
_SHOWN = tuple(tuple(_logs(min(rate * ratio, _HIGHEST)) for rate in RATES) for ratio in RATIOS)
