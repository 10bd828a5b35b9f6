"""What is believed about single lessons, and which are retired."""

import random
from fractions import Fraction
from math import comb, isclose

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

from hardwon import Scope
from hardwon.knowledge.proof.effect import Arms, Treatment, total
from hardwon.knowledge.proof.verdicts import (
    RATES,
    RATIOS,
    REAL_CUT,
    Prior,
    believe,
    fit,
    to_retire,
    verdicts,
)


def _exact(arms: Arms, prior: Prior) -> list[float]:
    """The posterior of the ratios in exact arithmetic."""
    rows = []
    for ratio, weight in zip(RATIOS, prior.ratios, strict=True):
        row = Fraction(0)
        for rate, common in zip(RATES, prior.rates, strict=True):
            shown, withheld = Fraction(min(rate * ratio, 0.99)), Fraction(rate)
            chance = comb(arms.shown, arms.shown_repeats) * shown**arms.shown_repeats
            chance *= (1 - shown) ** (arms.shown - arms.shown_repeats)
            chance *= comb(arms.withheld, arms.withheld_repeats) * withheld**arms.withheld_repeats
            chance *= (1 - withheld) ** (arms.withheld - arms.withheld_repeats)
            row += Fraction(weight) * Fraction(common) * chance
        rows.append(row)
    return [float(row / sum(rows)) for row in rows]


def test_the_posterior_equals_exact_arithmetic() -> None:
    chance = random.Random(7)
    for _ in range(40):
        shown, withheld = chance.randrange(13), chance.randrange(8)
        arms = Arms(shown, chance.randint(0, shown), withheld, chance.randint(0, withheld))

        belief = believe([arms])

        expected = _exact(arms, Prior())
        assert all(
            isclose(a, b, rel_tol=1e-9) for a, b in zip(belief.ratios, expected, strict=True)
        )


def test_the_posterior_equals_scipys() -> None:
    chance = random.Random(3)
    rates = np.array(RATES)
    for _ in range(200):
        shown, withheld = chance.randrange(900), chance.randrange(200)
        arms = Arms(shown, chance.randint(0, shown), withheld, chance.randint(0, withheld))

        belief = believe([arms])

        logs = np.array(
            [
                binom.logpmf(arms.shown_repeats, shown, np.minimum(rates * ratio, 0.99))
                + binom.logpmf(arms.withheld_repeats, withheld, rates)
                for ratio in RATIOS
            ]
        )
        logs += np.log(Prior().ratios)[:, None] + np.log(Prior().rates)
        expected = np.exp(logs - logsumexp(logs))
        assert np.allclose(belief.ratios, expected.sum(axis=1), atol=1e-9)
        assert np.allclose(belief.rates, expected.sum(axis=0), atol=1e-9)


def test_nothing_seen_leaves_the_prior() -> None:
    belief = believe([])

    assert belief.helps == pytest.approx(sum(Prior().ratios[:6]))
    assert belief.harms == pytest.approx(0.05)


def test_a_store_of_useless_lessons_makes_the_prior_doubt() -> None:
    prior = fit([[Arms(300, 60, 100, 20)]] * 100)

    few = [Arms(20, 2, 5, 1)]
    assert believe(few, prior).helps < believe(few).helps


@pytest.mark.parametrize(
    ("arms", "words"),
    [
        (Arms(3, 0, 0, 0), "too few (3 of about 100)"),
        (Arms(900, 30, 100, 30), "probably helps"),
        (Arms(900, 230, 300, 75), "probably not"),
        (Arms(900, 400, 300, 60), "harms"),
    ],
)
def test_a_verdict_in_words(arms: Arms, words: str) -> None:
    (verdict,) = verdicts([_treatment(1, arms)], Prior())

    assert verdict.words == words


def test_each_stratum_has_its_own_rate() -> None:
    """A lesson without effect whose failure became rarer, while it was shown less."""
    strata = [Arms(900, 360, 100, 40), Arms(100, 5, 900, 45)]

    assert believe(strata).helps < 0.1
    assert believe([total(strata)]).harms > 0.9  # all in one, the rates would lie


def test_a_retired_lesson_hardly_helps_and_was_withheld() -> None:
    arms = {1: Arms(900, 230, 300, 75), 2: Arms(900, 230, 0, 0), 3: Arms(900, 30, 300, 90)}
    found = verdicts([_treatment(number, one) for number, one in arms.items()], Prior())

    assert to_retire(found).lessons == (1,)


def test_few_of_the_retired_were_useful() -> None:
    chance = random.Random(11)
    retired = wrong = 0
    for _ in range(6):
        truth = {n: chance.choices(RATIOS, Prior().ratios)[0] for n in range(60)}
        store = [_treatment(name, _drawn(chance, ratio)) for name, ratio in truth.items()]

        chosen = to_retire(verdicts(store, fit([one.strata for one in store], rounds=6)))

        assert chosen.expected_wrong <= 0.05
        retired += len(chosen.lessons)
        wrong += sum(truth[name] <= REAL_CUT for name in chosen.lessons)
    assert retired >= 20
    assert wrong / retired <= 0.1


def _treatment(lesson: int, *strata: Arms) -> Treatment:
    return Treatment(Scope("acme", "coder", None), lesson, "words", strata)


def _drawn(chance: random.Random, ratio: float) -> Arms:
    rate = chance.betavariate(1.5, 6)
    shown, withheld = chance.randint(50, 800), chance.randint(20, 200)
    hits = sum(chance.random() < min(rate * ratio, 0.99) for _ in range(shown))
    return Arms(shown, hits, withheld, sum(chance.random() < rate for _ in range(withheld)))
