"""A file that many append to and one takes away loses no record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hardwon.core.errors import StorageError
from hardwon.storage.sql.journal import Spool


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
