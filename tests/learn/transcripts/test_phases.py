"""The phases of mining are told."""

from __future__ import annotations

from hardwon.learn.transcripts.mining import IN_PROGRESS, Phase
from tests.learn.transcripts.mined import Desk, typical


def test_each_phase_is_in_progress_exactly_once(desk: Desk) -> None:
    typical(desk).write(desk.home)
    seen: list[list[str]] = []

    def watch(phases: tuple[Phase, ...]) -> None:
        seen.append([phase.active for phase in phases if phase.status == IN_PROGRESS])

    desk.mine(watch=watch)

    assert seen == [
        ["Detecting session context"],
        ["Extracting insights"],
        ["Guiding insight selection"],
        ["Integrating insights"],
        ["Verifying completion"],
        [],
    ]
