"""When a dream is due, and how it is stopped."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hardwon import Agent
from tests.learn.maintenance.dreaming import EDIT, keep, texts
from tests.samples import NOW, Clock
from tests.stored import StoredHardwon


def test_a_dream_is_due_after_two_hours_of_rest_and_every_six_hours(
    hw: StoredHardwon, coder: Agent, clock: Clock
) -> None:
    keep(hw, coder, EDIT)
    coder.before_turn("edit the large Go files")
    assert coder.dreams.due() == "the agent was active 0 min ago"
    clock.now = NOW + timedelta(hours=2)
    assert coder.dreams.due() == ""
    coder.dreams.run()
    clock.now = NOW + timedelta(hours=7)
    assert coder.dreams.due() == "the last dream was 5 h 0 min ago"
    clock.now = NOW + timedelta(hours=8)
    assert coder.dreams.due() == ""


def test_a_watch_dreams_when_it_is_due_until_it_is_stopped(
    hw: StoredHardwon, coder: Agent, clock: Clock
) -> None:
    keep(hw, coder, EDIT)
    pauses: list[float] = []

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        clock.now += timedelta(minutes=30 if seconds else 0)
        return clock.now > NOW + timedelta(hours=9)

    dreams: list[Any] = []
    coder.dreams.watch(wait=wait, tell=dreams.append)

    assert [one.started_at.hour for one in dreams] == [14, 20]
    assert set(pauses) == {0.0, 60.0}


def test_a_dream_that_is_stopped_ends_in_good_order(hw: StoredHardwon, coder: Agent) -> None:
    keep(hw, coder, EDIT)
    keep(hw, coder, EDIT)
    row = coder.dreams.run(stop=lambda: True)

    assert row.state == "woken"
    assert "woken before its end" in row.report
    assert texts(coder) == [EDIT, EDIT]
