"""Records noted on the agent's path, in a file for many, are moved into the database once."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hardwon.core.errors import SetupError, StorageError
from hardwon.storage.sql.journal import SPOOL_LIMIT, Journal, Spool, notes_for


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.spool"


def taken(spool: Spool) -> list[object]:
    with spool.take() as (_, records):
        return records


def test_what_was_appended_is_taken_once_in_its_order(path: Path) -> None:
    spool = Spool(str(path))
    spool.append(["a", 1], ["b", "é"])
    spool.append(["c", None])

    assert spool.size() == path.stat().st_size > 0
    assert taken(spool) == [["a", 1], ["b", "é"], ["c", None]]
    assert (spool.size(), taken(spool), os.listdir(path.parent)) == (0, [], ["notes.spool.lock"])


def test_what_was_not_kept_comes_again_before_what_is_new(path: Path) -> None:
    spool = Spool(str(path))
    spool.append(["a"])
    with pytest.raises(ZeroDivisionError), spool.take() as (first, _):
        raise ZeroDivisionError
    spool.append(["b"])

    assert spool.size() == len('["a"]\n["b"]\n')
    with spool.take() as (again, records):
        assert (again, records) == (first, [["a"]])
    assert taken(spool) == [["b"]]


def test_each_batch_has_a_name_of_its_own(path: Path) -> None:
    spool, names = Spool(str(path)), []
    for _ in range(2):
        spool.append(["a"])
        with spool.take() as (name, _):
            names.append(name)

    assert names[0] != names[1]
    with spool.take() as nothing:
        assert nothing == ("", [])


def test_while_one_takes_another_gets_nothing(path: Path) -> None:
    spool = Spool(str(path))
    spool.append(["a"])
    with spool.take() as (_, first), Spool(str(path)).take() as second:
        assert (first, second) == ([["a"]], ("", []))

    assert spool.size() == 0


def test_a_torn_line_is_passed_over(path: Path) -> None:
    path.write_text('["a"]\n["torn\n["b"]\n')

    assert taken(Spool(str(path))) == [["a"], ["b"]]


def test_a_folder_that_is_not_there_is_an_error_of_the_storage(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="gone"):
        Spool(str(tmp_path / "gone" / "x.spool")).append(["a"])


T = TypeVar("T")


class Database:
    """A database that only knows whether its transaction ended well."""

    def __enter__(self) -> Database:
        self._held = ExitStack()
        return self

    def __exit__(self, *error: Any) -> None:
        self._held.__exit__(*error)

    def hold(self, resource: AbstractContextManager[T]) -> T:
        return self._held.enter_context(resource)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(str(tmp_path / "a.spool"))


def folding(spool: Spool, **more: Any) -> tuple[Journal, list[list[list[Any]]]]:
    folded: list[list[list[Any]]] = []
    journal = Journal(Database(), spool, **more)
    journal.on("made", folded.append)
    return journal, folded


def test_records_are_folded_by_their_kind_and_only_once(spool: Spool) -> None:
    journal, folded = folding(spool)
    journal.note("made", 1, "x")
    journal.note("other", 2)
    journal.note_all("made", [(3,), (4,)])

    assert not journal.is_empty
    assert journal.fold() == 4
    assert folded == [[[1, "x"], [3], [4]]]
    assert (journal.fold(), journal.is_empty) == (0, True)


def test_a_batch_that_counted_already_is_not_folded_again(spool: Spool) -> None:
    journal, folded = folding(spool, is_due=lambda batch: False)
    journal.note("made", 1)

    assert (journal.fold(), folded, journal.is_empty) == (0, [], True)


def test_what_could_not_be_folded_waits_on(spool: Spool) -> None:
    journal = Journal(Database(), spool)

    def fail(rows: list[list[Any]]) -> None:
        raise ZeroDivisionError

    journal.on("made", fail)
    journal.note("made", 1)
    with pytest.raises(ZeroDivisionError):
        journal.fold()

    again, folded = folding(spool)
    assert (again.fold(), folded) == (1, [[[1]]])


def test_what_has_another_form_is_left_to_the_build_that_noted_it(spool: Spool) -> None:
    journal = Journal(Database(), spool)

    def read_two(rows: list[list[Any]]) -> None:
        for _first, _second in rows:
            pass

    journal.on("made", read_two)
    journal.note("made", 1, 2, 3)
    with pytest.raises(SetupError, match="of a newer hardwon"):
        journal.fold()

    newer, folded = folding(spool)
    assert (newer.fold(), folded) == (1, [[[1, 2, 3]]])


def test_a_copy_gets_every_record(spool: Spool, tmp_path: Path) -> None:
    copy = Spool(str(tmp_path / "copy.spool"))
    journal, _ = folding(spool, copy=copy)
    journal.note("made", 1)
    journal.fold()

    with copy.take() as (_, records):
        assert records == [["made", 1]]


def test_a_journal_is_full_beyond_its_limit(spool: Spool) -> None:
    journal, _ = folding(spool)
    line = len('["made",""]\n')
    journal.note("made", "x" * (SPOOL_LIMIT - line))

    assert not journal.is_full
    journal.note("made")
    assert journal.is_full


def test_the_notes_of_each_server_have_a_file_of_their_own() -> None:
    assert notes_for("/h", "postgresql://a") != notes_for("/h", "postgresql://b")
    assert notes_for("/h", "postgresql://a") == notes_for("/h", "postgresql://a")
    assert "postgresql" not in notes_for("/h", "postgresql://a")
