"""Figures over many loops."""

from __future__ import annotations

import pytest

from hardwon.learn.trials.analytics import analyze, correlation
from tests.learn.trials.judged import loop


def test_an_analysis_counts_rates_curves_and_reuse() -> None:
    found = analyze(
        [
            loop("l1", [0.0, 0.5, 1.0], confidence=0.9),
            loop("l2", [0.2, 0.2], confidence=0.1),
            loop("l3", [1.0], lessons=2),
        ]
    )

    assert (found.loops, found.succeeded, found.trials) == (3, 2, 6)
    assert found.success_rate == 0.6667
    assert found.trials_to_success == 2.0
    assert found.seconds_to_success == 4.0
    assert found.learning_rate == pytest.approx((1 / 3) / 3, abs=1e-3)
    assert found.breakthroughs == 2
    assert found.reward_curve == (0.4, 0.35, 1.0)
    assert found.categories == (("logic_error", 4),)
    assert found.confidence_correlation == 1.0
    assert found.lesson_reuse_rate == 0.3333
    assert (found.success_with_lessons, found.success_without_lessons) == (1.0, 0.5)
    assert [(t.loops, t.first_trials, t.last_trials) for t in found.repeated] == [(3, 3.0, 1.0)]


def test_a_correlation_without_meaning_is_none() -> None:
    assert correlation([]) is None
    assert correlation([(0.5, True)] * 9) is None
