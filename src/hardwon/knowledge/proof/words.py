"""The proof sentence: what the hold-out shows, in words."""

from __future__ import annotations

from collections.abc import Sequence

from hardwon.knowledge.proof.arms import Arms, total
from hardwon.knowledge.proof.effect import Effect, effect

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
        return f"{_rates(measured)}: {repeats(measured)}.{lost}"
    if counts.units < ABOUT:
        return f"Not proven yet: {counts.units:,} of about {ABOUT:,} cases.{lost}"
    return f"Not proven: {counts.units:,} cases show no effect beyond chance.{lost}"


def _rates(measured: Effect) -> str:
    arms = measured.arms
    shown, withheld = arms.shown_repeats / arms.shown, arms.withheld_repeats / arms.withheld
    return (
        f"In {arms.withheld:,} of {arms.units:,} cases, chosen at random, lessons were held back. "
        f"The same failure came back in {shown:.1%} with and {withheld:.1%} without"
    )


def repeats(measured: Effect) -> str:
    """How many repeats lessons prevented, or caused."""
    sign, word = (1, "prevented") if measured.is_proven else (-1, "caused")
    low, high = sorted((sign * measured.low, sign * measured.high))
    return (
        f"about {sign * measured.prevented:,.0f} repeats {word} (95 %: {low:,.0f} to {high:,.0f})"
    )
