"""Loops are begun once, by their own agent."""

from __future__ import annotations

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, NotFound
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42


@pytest.mark.parametrize("loop_id", ["a/b", "..", "", "x" * 200, "a\0b", "ü"])
def test_a_loop_id_that_is_no_file_name_is_refused(coder: hardwon.Agent, loop_id: str) -> None:
    with pytest.raises(InvalidInput):
        coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id=loop_id)
    with pytest.raises(InvalidInput):
        coder.loops.get(loop_id)


def test_an_id_is_used_once(coder: hardwon.Agent) -> None:
    coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id="mine")

    with pytest.raises(InvalidInput, match="exists"):
        coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id="mine")


def test_no_other_agent_sees_the_loop(hw: hardwon.Hardwon, coder: hardwon.Agent) -> None:
    coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42, loop_id="mine")

    for stranger in (
        hw.agent("writer", project="acme"),
        hw.agent("coder", project="acme", tenant="other"),
        hw.agent("coder", project="web"),
    ):
        assert stranger.loops.list() == []
        assert stranger.loops.search() == []
        assert stranger.loops.analyze().loops == 0
        with pytest.raises(NotFound):
            stranger.loops.get("mine")
    assert len(hw.agent("coder").loops.list()) == 1  # the agent without a project sees all its own
