"""What is noted at once is one commit; writers queue for it, and indexes answer."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import NotFound
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.database import WriterLock
from tests.samples import CODER, FAILED, WORKED, lesson


class Commits(list[str]):
    """The transactions that were committed since the last look."""

    def new(self) -> int:
        number = len(self)
        self.clear()
        return number


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> Commits:
    """Hears every connection that is opened from now on."""
    seen, connect = Commits(), sqlite3.connect

    def traced(*args: Any, **how: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **how)
        connection.set_trace_callback(lambda sql: seen.append(sql) if sql == "COMMIT" else None)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    return seen


def test_a_failing_step_is_one_commit_and_one_that_works_is_none(
    tmp_path: Path, commits: Commits
) -> None:
    with hardwon.open(tmp_path) as hw:
        agent = hw.agent("coder")
        commits.new()
        for _ in range(3):
            agent.after_action("bash", FAILED.args, output=FAILED.output, failed=True)
            assert commits.new() == 1

        hw.agent("coder").after_action("bash", "ls", output="out")
        assert commits.new() == 0


def test_the_steps_of_a_run_are_one_commit(tmp_path: Path, commits: Commits) -> None:
    with hardwon.open(tmp_path) as hw:
        commits.new()

        hw.agent("coder").after_run(task="make the folder", steps=[FAILED, WORKED, FAILED])

        assert commits.new() == 1


def test_a_lesson_that_words_a_mined_one_replaces_it_in_one_commit(
    tmp_path: Path, commits: Commits
) -> None:
    with hardwon.open(tmp_path) as hw:
        agent = hw.agent("coder")
        agent.after_action("bash", FAILED.args, output=FAILED.output, failed=True)
        (mined,) = agent.lessons.list(status="seen")
        commits.new()

        agent.lessons.add("when a folder is made", "say `mkdir -p`", kinds=mined.kinds)

        assert commits.new() == 1
        assert [one.correction for one in agent.lessons.list()] == ["say `mkdir -p`"]


def test_a_lesson_that_was_read_is_read_again_after_any_change(tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path))) as one, closing(SqliteStore(str(tmp_path))) as other:
        first = one.lessons.add(lesson())
        assert one.lessons.get(CODER, first.id) == first

        other.lessons.update(second := first._replace(correction="elsewhere"))
        assert one.lessons.get(CODER, first.id) == second

        one.lessons.update(third := first._replace(correction="here"))
        assert one.lessons.get(CODER, first.id) == third

        with suppress(KeyError), one.together():
            one.lessons.update(first._replace(correction="taken back"))
            assert one.lessons.get(CODER, first.id).correction == "taken back"
            raise KeyError
        assert one.lessons.get(CODER, first.id) == third

        other.lessons.delete(CODER, first.id)
        with pytest.raises(NotFound):
            one.lessons.get(CODER, first.id)


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


def test_guards_are_found_by_their_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, connect = list[str](), sqlite3.connect

    def connect_traced(*args: Any, **how: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **how)
        connection.set_trace_callback(asked.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_traced)
    with hardwon.open(tmp_path) as hw:
        agent = hw.agent("coder", project="acme/api")
        agent.lessons.add("deploying", "run `make deploy`")
        asked.clear()
        agent.before_action("bash", {"command": "make ship"})
        guards = [sql for sql in asked if "AND guard" in sql]

    connection = connect(tmp_path / "hardwon.db")
    plans = [connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() for sql in guards]
    connection.close()

    assert plans
    assert all("INDEX lessons_guard" in str(plan) for plan in plans)
