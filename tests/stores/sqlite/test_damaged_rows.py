"""A damaged row costs nobody anything but itself, and `doctor` finds it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.values.lesson import Status, evidence_of

FAR = -62135650800.0  # before the year 1
DAMAGE: dict[str, list[object]] = {
    "expires_at": [FAR, 1e300],
    "created_at": [FAR, 9e99],
    "updated_at": [FAR],
    "last_seen_at": [1e18],
    "tags": ["{", "[1, 2]", "7", "[" * 5000 + "]" * 5000],
    "signatures": ["", "null"],
    "calls": ['{"a": 1}', '[["x"]]'],
    "kinds": ["[null]"],
    "evidence": ["[1]", '[["met"]]', "oops", '[["met", 7, 0]]'],
    "fixes": ['[["call"]]', "[[]]", "{"],
    "status": ["owner", ""],
    "confidence": [1e9, -1.0, 9e999],
    "importance": [-1e9],
    "met_count": [-5],
    "hit_count": [-(2**63)],
    "correction": [b"\xff\xfe not text", "a\0b", "x" * 100_000],
    "situation": [b"\xc3"],
}
CASES = [(column, value) for column, values in DAMAGE.items() for value in values]


def damage(home: Path, column: str, value: object) -> None:
    """Write into the file as another program might."""
    db = sqlite3.connect(home / "hardwon.db", isolation_level=None)
    raw = isinstance(value, bytes)
    place = "CAST(? AS TEXT)" if raw else "?"
    db.execute(f"UPDATE lessons SET {column} = {place} WHERE id = 1", (value,))
    db.close()


@pytest.mark.parametrize(("column", "value"), CASES, ids=lambda value: repr(value)[:24])
def test_everything_goes_on_beside_a_damaged_lesson(
    tmp_path: Path, column: str, value: object
) -> None:
    with hardwon.open(tmp_path) as hw:
        coder = hw.agent("coder")
        coder.lessons.add("when deploying", "use blue", tags=("deploy",))
        coder.lessons.add("when releasing", "tag it first")
    damage(tmp_path, column, value)

    with hardwon.open(tmp_path) as hw:
        coder = hw.agent("coder")
        troubles: list[BaseException] = []
        hw.on_trouble(troubles.append)

        assert coder.before_turn("when releasing, what to do first?")
        coder.before_turn("when deploying")
        coder.digest()
        assert "tag it first" in [one.correction for one in coder.lessons.list()]
        assert coder.lessons.search("tag it")
        assert "tag it first" in coder.lessons.export()
        coder.lessons.get(1)
        coder.learn("keep this as well")
        assert troubles == []


@pytest.mark.parametrize(("column", "value"), CASES, ids=lambda value: repr(value)[:24])
def test_doctor_finds_it_and_sets_it_apart(tmp_path: Path, column: str, value: object) -> None:
    with hardwon.open(tmp_path) as hw:
        hw.agent("coder").lessons.add("when deploying", "use blue", tags=("deploy",))
    damage(tmp_path, column, value)

    with hardwon.open(tmp_path) as hw:
        coder = hw.agent("coder")
        (found,) = hw.check()
        assert "lesson 1 was damaged" in found
        assert hw.check() == []

        (apart,) = coder.lessons.list(status=Status.QUARANTINED)
        assert any("damaged" in reason for reason in evidence_of(apart, "quarantined"))
        assert not coder.before_turn("when deploying")
        coder.lessons.delete(apart.id)
        assert coder.lessons.list(status=Status.QUARANTINED) == []


def test_a_damaged_lesson_can_be_deleted_and_revoked(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        coder = hw.agent("coder")
        coder.lessons.add("when deploying", "use blue")
        coder.lessons.add("when releasing", "tag it first")
    damage(tmp_path, "expires_at", FAR)

    with hardwon.open(tmp_path) as hw:
        coder = hw.agent("coder")
        coder.lessons.delete(1)
        assert [one.id for one in coder.lessons.revoke("manual")] == [2]


@pytest.mark.parametrize("place", ["memory:", "disk"])
@pytest.mark.parametrize(
    "more",
    [
        {"importance": float("nan")},
        {"confidence": 2.0},
        {"importance": "high"},
        {"tags": "abc"},
        {"tags": (1, 2)},
        {"expires_at": "tomorrow"},
        {"mistake": 10**5000},
    ],
    ids=lambda more: next(iter(more)),
)
def test_no_store_takes_a_field_of_the_wrong_kind(
    tmp_path: Path, place: str, more: dict[str, Any]
) -> None:
    with hardwon.open(tmp_path if place == "disk" else place) as hw:
        coder = hw.agent("coder")

        with pytest.raises(hardwon.HardwonError):
            coder.lessons.add("when deploying", "use blue", **more)

        assert coder.lessons.list() == []
