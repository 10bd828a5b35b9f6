"""The effect of lessons by door, by project and by author, with jointly valid intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hardwon.core.values.report import PartEffect
from hardwon.knowledge.proof.arms import Stratum, alike, total
from hardwon.knowledge.proof.effect import ALPHA, effect
from hardwon.knowledge.proof.words import repeats

TOO_FEW = "too few to tell"
NO_EFFECT = "no effect beyond chance"


def parts(strata: Sequence[Stratum]) -> Iterator[PartEffect]:
    """The effect of each part of the lessons, the part with most units first.

    The intervals are widened so that all hold at once with 95 %: many parts and repeated checks do
    not produce false effects.
    """
    groups = [group for by in ("door", "project", "origin") for group in _groups(strata, by)]
    for by, name, members in groups:
        yield _part(by, name, members, alpha=ALPHA / len(groups))


def _groups(strata: Iterable[Stratum], by: str) -> list[tuple[str, str, list[Stratum]]]:
    """The strata grouped by one attribute; [] if all have the same value."""
    members: dict[str, list[Stratum]] = {}
    for stratum in strata:
        members.setdefault(getattr(stratum, by), []).append(stratum)
    order = sorted(members, key=lambda name: (-total(s.arms for s in members[name]).units, name))
    return [(by, name, members[name]) for name in order] if len(members) > 1 else []


def _part(by: str, name: str, members: Sequence[Stratum], *, alpha: float) -> PartEffect:
    counts = total(stratum.arms for stratum in members)
    measured = effect(alike(members), alpha=alpha)
    if measured is None:
        return PartEffect(by, name, *counts[:4], words=TOO_FEW)
    words = repeats(measured) if measured.is_proven or measured.is_harmful else NO_EFFECT
    return PartEffect(by, name, *counts[:4], measured.prevented, measured.low, measured.high, words)
