"""When a dream is due, and how it is taken back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from hardwon import Agent
from hardwon.core.errors import InvalidInput
from hardwon.core.values.lesson import Status
from tests.learn.maintenance.dreaming import EDIT, GIT, keep, texts
from tests.samples import NOW, Clock
from tests.stored import StoredHardwon


def test_undo_restores_everything(hw: StoredHardwon, coder: Agent) -> None:
    web = hw.agent("coder", project="web")
    for agent, text in [(coder, EDIT), (coder, EDIT), (coder, GIT), (web, GIT)]:
        keep(hw, agent, text)
    keep(hw, coder, "always run the slow migration tests first")
    keep(hw, coder, "never run the slow migration tests first")
    keep(hw, coder, "outdated", expires_at=NOW)
    before = [*coder.lessons.list(), *web.lessons.list()]
    row = coder.dreams.run()
    assert [*coder.lessons.list(), *web.lessons.list()] != before

    _, restored, left = coder.dreams.undo(row.id[:8])

    assert [*coder.lessons.list(), *web.lessons.list()] == before
    assert (restored, left) == (9, 0)
    assert coder.dreams.get(row.id).state == "undone"
    with pytest.raises(InvalidInput):
        coder.dreams.undo(row.id)


def test_undo_leaves_alone_what_somebody_changed_since(hw: StoredHardwon, coder: Agent) -> None:
    first, second = keep(hw, coder, EDIT), keep(hw, coder, EDIT)
    row = coder.dreams.run()
    coder.lessons.edit(first.id, status=Status.RETIRED)
    coder.lessons.delete(second.id)

    assert coder.dreams.undo(row.id)[1:] == (1, 2)
    assert coder.lessons.get(first.id).status == Status.RETIRED


def test_a_dream_that_runs_is_not_undone(hw: StoredHardwon, coder: Agent) -> None:
    refused = []

    def meanwhile() -> bool:
        row = coder.dreams.list()[0]
        assert row.state == "running"
        with pytest.raises(InvalidInput, match="is running"):
            coder.dreams.undo(row.id)
        refused.append(row.id)
        return False

    assert coder.dreams.run(stop=meanwhile).state == "done"
    assert refused


def test_a_dream_that_died_halfway_can_be_undone(
    hw: StoredHardwon, coder: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.learn.maintenance.consolidation._CHUNK", 20)
    for number in range(100):
        keep(
            hw,
            coder,
            f"restart the service called {'abcdefghij'[number % 10] * (number // 20 + 2)}",
        )
    before = coder.lessons.list(limit=1000)

    def die() -> bool:
        if coder.lessons.list(status=Status.SUPERSEDED):
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        coder.dreams.run(stop=die)
    row = coder.dreams.list()[0]
    superseded = len(coder.lessons.list(status=Status.SUPERSEDED, limit=1000))
    assert 0 < superseded < 100
    assert (row.state, row.memories_consolidated) == ("died", superseded)
    assert f"It had changed {superseded} lessons" in row.report

    coder.dreams.undo(row.id)

    assert coder.lessons.list(limit=1000) == before


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
