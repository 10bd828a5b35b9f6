"""What is noted at once is one commit, and nothing noted beside it is lost when it fails."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import NotFound
from hardwon.storage.stores.sqlite import SqliteStore
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
