"""The keys and entries of reflections in Redis, and how the store is opened."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from hardwon import Scope
from hardwon.core.errors import Unavailable
from hardwon.core.values.lesson import EPOCH
from hardwon.core.values.reflection import Reflection
from hardwon.storage.stores import redis
from hardwon.storage.stores.redis import (
    Keys,
    RedisReflections,
    Unreadable,
    decode,
    encode,
    entry_of,
    patterns,
    reflection_of,
    visible,
    with_redis,
)
from hardwon.storage.stores.sqlite import MemoryStore
from tests.redis_server import DURABLE, RedisServer
from tests.samples import CODER, LATER, NOW

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def read(**fields: Any) -> Reflection:
    return reflection_of(fields, CODER, "g1")


def test_what_is_written_is_read_again() -> None:
    kept = Reflection(
        CODER,
        "g1",
        insight="für alle",
        created_at=NOW,
        title="Übersicht",
        state="failed",
        importance=0.7,
        expires_at=LATER,
        job="j1",
    )
    value = encode([entry_of(kept)])

    assert [reflection_of(fields, CODER, "g1") for fields in decode(value)] == [
        kept._replace(detail="{}")
    ]
    assert "für alle".encode() in value, "people read it with redis-cli"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-15T12:00:00", NOON),
        ("2026-11-15T12:00:00+00:00", NOON),
        ("2026-11-15T14:00:00+02:00", NOON),
        ("yesterday", EPOCH),
        (None, EPOCH),
    ],
)
def test_a_time_without_a_zone_is_utc(text: str | None, moment: datetime) -> None:
    found = read(created_at=text)

    assert found.created_at == moment
    assert found.created_at.utcoffset() in (timedelta(0), timedelta(hours=2))
    assert read(timestamp=text).created_at == moment
    assert read(expires_at=text).expires_at == (None if moment == EPOCH else moment)


def test_the_fields_of_the_published_program_are_read() -> None:
    found = read(reflection="ask for a range", outcome="success", importance="2")

    assert (found.insight, found.importance) == ("ask for a range", 1.0)
    assert read(insight="ours", reflection="theirs").insight == "ours"
    assert (found.state, read(outcome="failure").state, read().state) == (
        "completed",
        "failed",
        "failed",
    )
    assert (read().importance, read(importance="much").importance, read().title) == (0.5, 0.5, "")


@pytest.mark.parametrize("value", [b"no json", b"{}", b"[1]", b"[" * 100_000])
def test_a_foreign_value_is_unreadable(value: bytes) -> None:
    with pytest.raises(Unreadable):
        decode(value)


def test_no_value_is_no_entry() -> None:
    assert decode(None) == decode(b"") == []


PUBLISHED = Scope()


@pytest.mark.parametrize(
    ("scope", "place"),
    [
        (PUBLISHED, "app:"),
        (Scope("acme", "coder", "api"), "app:hardwon:acme:coder:api:"),
        (Scope("acme", "coder"), "app:hardwon:acme:coder::"),
        (Scope("default", "default", "api"), "app:hardwon:default:default:api:"),
        (Scope("a:b", "c/d", "e*"), "app:hardwon:a%3Ab:c%2Fd:e%2A:"),
    ],
)
def test_the_default_scope_has_the_published_keys_and_others_a_prefix(
    scope: Scope, place: str
) -> None:
    keys = Keys("app:", scope)

    assert keys.place == place
    assert keys.goal("g1") == f"{place}reflection:g1"
    assert keys.recent == f"{place}reflection:recent_goals"
    assert keys.words == f"{place}hardwon-words:"


@pytest.mark.parametrize(
    ("goal", "key"),
    [("recent_goals", "%recent_goals"), ("%g1", "%%g1"), ("g%1", "g%1"), ("recent", "recent")],
)
def test_a_goal_never_has_the_key_of_the_list_or_of_another_goal(goal: str, key: str) -> None:
    assert Keys("", PUBLISHED).goal(goal) == f"reflection:{key}"


def test_what_is_visible_is_looked_up_nearest_first() -> None:
    scope = Scope("acme", "coder", "api")

    assert visible("p:", scope) == [Keys("p:", scope), Keys("p:", scope.everywhere())]


def found(prefix: str, tenant: str, key: str) -> bool:
    return any(
        fnmatchcase(key, pattern.replace("\\*", "[*]")) for pattern in patterns(prefix, tenant)
    )


@pytest.mark.parametrize(
    ("tenant", "scope", "is_found"),
    [
        ("acme", Scope("acme", "coder", "api"), True),
        ("acme", Scope("acme2", "coder"), False),
        ("acme", PUBLISHED, False),
        ("default", PUBLISHED, True),
        ("default", Scope("default", "coder"), True),
        ("default", Scope("acme", "coder"), False),
    ],
)
def test_the_patterns_of_a_tenant_find_its_keys_and_no_others(
    tenant: str, scope: Scope, is_found: bool
) -> None:
    keys = Keys("app*:", scope)

    for key in (keys.goal("g1"), keys.recent, f"{keys.words}build"):
        assert found("app*:", tenant, key) is is_found
        assert not found("app*:", tenant, key.replace("app*", "apple"))


HANGING = 30.0  # seconds: a guard against hanging, generous for a loaded machine


@pytest.fixture
def silent() -> Iterator[str]:
    """The URL of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    started = RedisServer(tmp_path, *DURABLE)
    yield started
    started.stop()


def test_an_agents_turn_waits_only_for_its_own_patience(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis, "_WRITE_PATIENCE", 2 * HANGING)
    reflections = RedisReflections(silent, patience=0.05)

    began = time.monotonic()
    with pytest.raises(Unavailable, match=r"timed out|no answer"):
        reflections.about(CODER, "g1")

    assert time.monotonic() - began < HANGING
    reflections.close()


def test_a_process_may_end_while_a_server_is_still_checked(silent: str) -> None:
    reflections = RedisReflections(silent, patience=0.05)
    checks = [thread for thread in threading.enumerate() if thread.name == "hardwon-redis"]

    assert checks
    assert all(thread.daemon for thread in checks)
    reflections.close()


def test_a_closed_store_leaves_no_connection(server: RedisServer) -> None:
    store = with_redis(MemoryStore(), server.url, patience=HANGING)
    store.reflections.about(CODER, "g1")
    assert store.check() == []
    for thread in threading.enumerate():
        if thread.name == "hardwon-redis":
            thread.join(HANGING)
    assert len(server.client.client_list()) == 3  # one reads, one writes, one is this question's

    store.close()

    assert len(server.client.client_list()) == 1
