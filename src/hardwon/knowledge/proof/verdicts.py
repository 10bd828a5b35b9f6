"""The verdict on a lesson, and which lessons are retired because they do not help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hardwon.knowledge.proof.arms import Treatment
from hardwon.knowledge.proof.posterior import Belief, Prior, believe, fit

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
