"""When a loop ends."""

from __future__ import annotations

import hardwon
from tests.learn.trials.looped import TASK


def test_a_plateau_ends_the_loop(coder: hardwon.Agent) -> None:
    answers = iter([0.2, 0.5, 0.4, 0.5, 0.3, 0.9])
    done = coder.loops.run(
        TASK, actor=lambda p: "x", evaluate=lambda said: next(answers), max_trials=9, repeats=0
    )

    assert done.rewards == [0.2, 0.5, 0.4, 0.5, 0.3]
    assert done.reason == "plateau: no reward gain in 3 trials"
    assert done.best
    assert (done.best.number, done.best.reward) == (1, 0.5)


def test_a_loop_goes_on_while_it_gains(coder: hardwon.Agent) -> None:
    answers = iter([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0])
    done = coder.loops.run(
        TASK, actor=lambda p: "x", evaluate=lambda said: next(answers), max_trials=9, patience=2
    )

    assert done.passed
    assert [t.delta.is_improvement for t in done.trials if t.delta] == [True] * 7
