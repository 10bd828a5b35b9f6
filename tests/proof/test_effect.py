"""The pooled claim and its interval."""

import random

import pytest

from hardwon.knowledge.proof.effect import Arms, effect, total

DOORS = ((2.8, 0.213), (4.0, 0.072))  # units a run and repeat rate, by door, as measured


def _units(chance: random.Random, runs: int, rate: float) -> int:
    expected = rate * runs
    return max(0, round(chance.gauss(expected, expected**0.5)))


def _hits(chance: random.Random, units: int, rate: float) -> int:
    return sum(chance.random() < rate for _ in range(units))


def _grown(arms: Arms, chance: random.Random, runs: int, door: int, ratio: float) -> Arms:
    rate, repeats = DOORS[door]
    units = _units(chance, runs, rate)
    withheld = _hits(chance, units, 0.1)
    shown = units - withheld
    return arms + Arms(
        shown,
        _hits(chance, shown, repeats * ratio),
        withheld,
        _hits(chance, withheld, repeats),
    )


def _claims(ratio: float, *, looks: int, runs: int, seed: int) -> bool:
    """Whether any of the looks claims an effect."""
    chance = random.Random(seed)
    strata = [Arms(), Arms()]
    for _ in range(looks):
        strata = [_grown(arms, chance, runs, door, ratio) for door, arms in enumerate(strata)]
        claim = effect(strata)
        if claim and (claim.is_proven or claim.is_harmful):
            return True
    return False


def test_many_looks_at_lessons_without_effect_claim_nothing() -> None:
    claimed = sum(_claims(1.0, looks=60, runs=10, seed=seed) for seed in range(60))

    assert claimed <= 4  # a look that promised 5 % each time would claim about 12


def test_a_strong_effect_is_found() -> None:
    assert all(_claims(0.4, looks=10, runs=200, seed=seed) for seed in range(10))


def test_too_few_withheld_units_claim_nothing() -> None:
    assert effect([Arms(500, 0, 29, 29)]) is None
    assert effect([Arms(500, 0, 30, 30)]) is not None


def test_rates_are_compared_within_a_stratum() -> None:
    """Two strata without any effect differ in rate and in share; pooled rates would lie."""
    strata = [Arms(900, 90, 100, 10), Arms(100, 50, 900, 450)]

    claim = effect(strata)

    assert claim is not None
    assert claim.prevented == 0


def test_the_estimate_counts_repeats_over_what_was_shown() -> None:
    claim = effect([Arms(1000, 70, 500, 65)])

    assert claim is not None
    assert round(claim.prevented) == 60
    assert claim.low < 60 < claim.high


def test_the_interval_for_all_looks_is_wider_than_for_one() -> None:
    strata = [Arms(1000, 70, 500, 65)]

    every, single = effect(strata), effect(strata, always_valid=False)

    assert every is not None
    assert single is not None
    wider = (every.high - every.low) / (single.high - single.low)
    assert wider == pytest.approx(1.549, abs=0.002)


def test_unknown_outcomes_are_counted_and_in_no_arm() -> None:
    arms = Arms(shown=1, shown_repeats=1, withheld=1, withheld_repeats=0, unknown=1)

    assert total([arms, arms]) == Arms(2, 2, 2, 0, 2)
    assert arms.units == 2
