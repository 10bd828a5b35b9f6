"""Writers queue before SQLite's lock: one at a time, and nobody waits for ever."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hardwon.storage.stores.sqlite.database import WriterLock

FOR_EVER = 3600.0


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "turn.lock")


def test_the_next_writer_waits_until_the_turn_is_given_back(path: str) -> None:
    first, second = WriterLock(path, FOR_EVER), WriterLock(path, FOR_EVER)
    order: list[str] = []

    def write() -> None:
        with second:
            order.append("second")

    with first:
        waiting = threading.Thread(target=write)
        waiting.start()
        waiting.join(0.05)
        order.append("first")
    waiting.join(60)

    assert order == ["first", "second"]
    first.close()
    second.close()


def test_after_too_long_a_writer_goes_on_without_the_turn(path: str) -> None:
    first, second = WriterLock(path, FOR_EVER), WriterLock(path, 0.0)

    with first, second:
        pass

    first.close()
    second.close()


def test_a_turn_that_was_closed_is_opened_again(path: str) -> None:
    turn, other = WriterLock(path, FOR_EVER), WriterLock(path, FOR_EVER)
    for _ in range(2):
        with turn:
            pass
        turn.close()
        turn.close()

    with other:
        pass
    other.close()


def test_a_folder_that_is_missing_stops_nobody(tmp_path: Path) -> None:
    turn = WriterLock(str(tmp_path / "none" / "turn.lock"), FOR_EVER)

    with turn:
        pass
    turn.close()
