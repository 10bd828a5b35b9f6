"""What is said about a lesson, and which lessons are retired because they do not help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hardwon.proof.arms import Arms
from hardwon.proof.posterior import Belief, Prior, believe

ENOUGH = 100  # exposures at which most lessons can be told apart
_LIKELY = 0.8
_UNLIKELY = 0.1  # a real cut less likely than this is no reason to show a lesson
_WRONG = 0.05  # of the retired, how many may be useful after all
_LEAST = 30  # exposures before anything but "too few" is said


class Retirement(NamedTuple):
    """Lessons to retire, and the share of them that is expected to be useful after all."""

    lessons: tuple[str, ...]
    expected_wrong: float


def in_words(arms: Arms, belief: Belief) -> str:
    """The verdict on a lesson, as it is shown to people."""
    if arms.units < _LEAST:
        return f"too few ({arms.units} of about {ENOUGH})"
    if belief.harms >= _LIKELY:
        return "harms"
    if belief.helps >= _LIKELY:
        return "probably helps"
    if belief.helps <= 1 - _LIKELY:
        return "probably not"
    return f"open ({arms.units} of about {ENOUGH})"


def to_retire(lessons: Mapping[str, Arms], prior: Prior, *, costly: frozenset[str]) -> Retirement:
    """The lessons that hardly help and cost tokens or needless warnings.

    They are taken from the surest on, as long as the expected share of wrong retirements stays
    within its bound.
    """
    chances = sorted(
        (believe(arms, prior).helps, name)
        for name, arms in lessons.items()
        if name in costly and arms.units >= _LEAST and arms.withheld
    )
    retired: list[str] = []
    wrong = 0.0
    for helps, name in chances:
        if helps >= _UNLIKELY or wrong + helps > _WRONG * (len(retired) + 1):
            break
        retired.append(name)
        wrong += helps
    return Retirement(tuple(retired), wrong / len(retired) if retired else 0.0)
