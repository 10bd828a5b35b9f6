"""The options of a loop are checked."""

from __future__ import annotations

import pytest

import hardwon
from hardwon.core.errors import InvalidInput
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_trials": 0},
        {"omega": 11},
        {"omega": "many"},
        {"policy": "random"},
        {"no_such_option": 1},
        {"cwd": "/nonexistent"},
        {"window_tokens": 0},
    ],
)
def test_options_without_sense_are_refused(coder: hardwon.Agent, wrong: dict) -> None:
    with pytest.raises(InvalidInput):
        coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, **wrong)
    with pytest.raises(InvalidInput):
        coder.loops.run("", actor=reads_the_prompt, evaluate=wants_42)
