"""Recall: how many lessons a door shows."""

from __future__ import annotations

import hardwon
from hardwon.settings import load

CURES = (
    "use mkdir with -p",
    "ask the operator for rights",
    "write below /var/lib instead",
    "delete yesterday's link first",
    "wait until the disk is mounted",
    "run it as another user",
)


def test_a_turn_shows_as_many_lessons_as_are_set_and_no_more() -> None:
    usual = load()
    settings = usual._replace(recall=usual.recall._replace(turn_lessons=2, turn_tokens=5000))
    with hardwon.open("memory:", settings=settings) as hw:
        coder = hw.agent("coder")
        for cure in CURES:
            coder.learn(cure, situation="when the nightly report folder is made")

        told = coder.before_turn("make the nightly report folder")

    assert len(told.lessons) == 2
