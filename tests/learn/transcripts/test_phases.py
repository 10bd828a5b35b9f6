"""The phases of mining are told."""

from __future__ import annotations

from hardwon.learn.transcripts.mining import PHASES
from tests.learn.transcripts.mined import Desk, typical


def test_each_phase_is_in_progress_exactly_once(desk: Desk) -> None:
    typical(desk).write(desk.home)
    begun: list[str] = []

    desk.mine(watch=lambda phase: begun.append(PHASES[phase]))

    assert begun == [
        "Detecting session context",
        "Extracting insights",
        "Guiding insight selection",
        "Integrating insights",
        "Verifying completion",
    ]
