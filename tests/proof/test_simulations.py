"""Short simulations through real stores; `python -m bench proof` has the long ones."""

from __future__ import annotations

from bench.proof import ASSUMED, GOOD, power, retirements, years


def test_looking_every_day_does_not_invent_an_effect() -> None:
    valid, naive = years(8, days=90)

    assert valid <= 1
    assert naive > valid  # an interval for one look would


def test_a_planted_effect_is_found() -> None:
    ((_, one_look, always),) = power(GOOD, 0.2, repetitions=10, looks=(1500,))

    assert one_look >= 0.8
    assert always >= 0.7


def test_as_many_retirements_are_wrong_as_expected() -> None:
    retired, expected, wrong = retirements(12, ASSUMED)

    assert retired >= 40
    assert expected / retired <= 0.05
    assert abs(wrong - expected) <= 4
