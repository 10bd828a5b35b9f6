"""Reflections of another system in a real Redis, taken in as lessons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import StorageError
from hardwon.core.values.lesson import Evidence
from tests.redis_server import RedisServer

LATER = {
    "goal_title": "Rotate the certificates",
    "goal_state": "failed",
    "insight": "Restart the proxy after the files were replaced",
    "importance": 0.9,
}
EARLIER = {"objective": "Move the archive", "outcome": "completed", "reflection": "Copy, then cut"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    (tmp_path / "redis").mkdir()
    started = RedisServer(tmp_path / "redis")
    yield started
    started.stop()


@pytest.fixture
def coder(tmp_path: Path) -> Iterator[hardwon.Agent]:
    with hardwon.open(tmp_path / "home") as hw:
        yield hw.agent("coder")


def test_both_published_sets_of_fields_become_lessons(
    server: RedisServer, coder: hardwon.Agent
) -> None:
    server.client.set("reflection:g1", json.dumps([LATER]))
    server.client.set("reflection:g2", json.dumps(EARLIER))

    first, second = coder.lessons.import_from(server.url, trust=True)

    assert first.situation == "When the goal is like “Rotate the certificates”"
    assert (first.mistake, first.correction) == ("the goal ended as failed", LATER["insight"])
    assert (first.importance, first.evidence[0]) == (0.9, Evidence("goal", "g1"))
    assert (second.correction, second.origin) == ("Copy, then cut", "import:wasp:g2")
    assert coder.before_turn("rotate the certificates of the proxy").lessons[0].id == first.id


def test_what_is_no_reflection_is_left_out(server: RedisServer, coder: hardwon.Agent) -> None:
    server.client.set("reflection:broken", "{not json")
    server.client.set("reflection:empty", json.dumps([{"goal_title": "Nothing said"}, 7, None]))
    server.client.set("reflection:numbers", "42")
    server.client.set("reflection:bytes", b"\xff\xfe")
    server.client.set("other:g1", json.dumps([LATER]))
    server.client.lpush("reflection:recent_goals", "g1")

    assert coder.lessons.import_from(server.url, trust=True) == []


def test_an_index_of_another_kind_stops_no_import(
    server: RedisServer, coder: hardwon.Agent
) -> None:
    server.client.set("reflection:g1", json.dumps([LATER]))
    server.client.zadd("reflection:recent_goals", {"g1": 1.0})

    assert [one.correction for one in coder.lessons.import_from(server.url, trust=True)] == [
        LATER["insight"]
    ]


def test_an_import_that_is_repeated_adds_nothing(server: RedisServer, coder: hardwon.Agent) -> None:
    server.client.set("reflection:g1", json.dumps([LATER]))
    coder.lessons.import_from(server.url, trust=True)

    coder.lessons.import_from(server.url, trust=True)

    assert len(coder.lessons.list()) == 1


def test_a_server_that_is_away_is_told_without_its_password(coder: hardwon.Agent) -> None:
    with pytest.raises(StorageError) as told:
        coder.lessons.import_from("redis://:secret@127.0.0.1:1/0", trust=True)

    assert "secret" not in str(told.value)
