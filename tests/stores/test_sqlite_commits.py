"""What is noted at once is one commit, and nothing noted beside it is lost when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import hardwon
from hardwon.ranking.odds import Call
from hardwon.stores.sqlite import SqliteStore
from tests.samples import CODER, FAILED, WORKED, lesson


@contextmanager
def commits(hw: hardwon.Hardwon) -> Iterator[list[str]]:
    """The transactions that were committed meanwhile."""
    connection = hw._engine.store._db._connection  # type: ignore[attr-defined]
    seen: list[str] = []
    connection.set_trace_callback(lambda sql: seen.append(sql) if sql == "COMMIT" else None)
    yield seen
    connection.set_trace_callback(None)


def test_a_failing_step_is_one_commit_and_one_that_works_is_none(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        agent = hw.agent("coder")
        for _ in range(3):
            with commits(hw) as first:
                agent.after_action("bash", FAILED.args, output=FAILED.output, failed=True)
            assert len(first) == 1

        with commits(hw) as second:
            hw.agent("coder").after_action("bash", "ls", output="out")
        assert second == []


def test_the_steps_of_a_run_are_one_commit(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw, commits(hw) as seen:
        hw.agent("coder").after_run(task="make the folder", steps=[FAILED, WORKED, FAILED])

        assert len(seen) == 1


def test_a_lesson_that_words_a_mined_one_replaces_it_in_one_commit(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        agent = hw.agent("coder")
        agent.after_action("bash", FAILED.args, output=FAILED.output, failed=True)
        (mined,) = agent.lessons.list(status="seen")
        worded = lesson("say `mkdir -p`", agent.scope, signatures=mined.signatures, author="person")

        with commits(hw) as seen:
            hw._engine.keep(worded)

        assert len(seen) == 1
        assert [one.correction for one in agent.lessons.list()] == ["say `mkdir -p`"]


def test_what_was_noted_is_folded_again_when_its_transaction_fails(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    call = Call((7,), "k")

    def fail() -> None:
        with store.together():
            store.calls.made(CODER, call)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert store.calls.counts(CODER, (7,)) == {}

    store.calls.made(CODER, call)  # what an end came over is folded first, the rest next
    store.fold()

    assert store.calls.counts(CODER, (7,))[7].made == 2
    store.close()
