"""The clients of one server: who waits how long, and what is left when they are closed."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.core.errors import Unavailable
from hardwon.storage.stores import redis
from hardwon.storage.stores.redis import RedisReflections, with_redis
from hardwon.storage.stores.sqlite import MemoryStore
from tests.redis_server import DURABLE, RedisServer
from tests.samples import CODER

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
