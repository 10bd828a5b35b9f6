"""An import that is killed or interrupted leaves nothing half done, and can be repeated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
from hardwon.api.lessons import Lessons
from hardwon.core.values.lesson_formats import to_lines
from tests.samples import lesson

COUNT = 150  # more than wait beside the index
KILLED = """
import os, sqlite3, sys
import hardwon
home, pack, statement = sys.argv[1:]
opened, connect = [], sqlite3.connect
def kill(sql):
    if sql.lstrip().startswith(statement):
        os.kill(os.getpid(), 9)
def heard(*args, **how):
    opened.append(connect(*args, **how))
    return opened[-1]
sqlite3.connect = heard
with hardwon.open(home) as hw:
    lessons = hw.agent("coder", project="api", tenant="acme").lessons
    lessons.list()
    for connection in opened:
        connection.set_trace_callback(kill)
    lessons.import_from(pack, trust=True)
"""


def words(number: int) -> str:
    return f"zebra{number}x stripes"


@pytest.fixture
def pack(tmp_path: Path) -> str:
    path = tmp_path / "pack.jsonl"
    path.write_text(to_lines([lesson(words(number)) for number in range(COUNT)]), encoding="utf-8")
    return str(path)


def lessons_of(hw: hardwon.Hardwon) -> Lessons:
    return hw.agent("coder", project="api", tenant="acme").lessons


def assert_every_lesson_is_found(hw: hardwon.Hardwon) -> None:
    agent, lessons = hw.agent("coder", project="api", tenant="acme"), lessons_of(hw)
    for number in range(COUNT):
        text = words(number)
        candidates = agent.explain("turn", text)
        assert text in [judged.match.lesson.correction for judged in candidates]
        assert [found.correction for found in lessons.search(f"bra{number}x")] == [text]
    assert len(lessons.list(limit=1000)) == COUNT
    assert hw.check() == []


@pytest.mark.parametrize(
    "statement",
    [
        *("INSERT INTO lessons", "INSERT INTO terms", "INSERT INTO indexed"),
        *("INSERT INTO postings", "INSERT INTO lesson_text", "UPDATE lesson_text_reach", "COMMIT"),
    ],
)
def test_recall_finds_every_lesson_when_a_killed_import_is_repeated(
    tmp_path: Path, pack: str, statement: str
) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "home"), pack, statement]
    assert subprocess.run(command, check=False).returncode == -9

    with hardwon.open(tmp_path / "home") as hw:
        assert lessons_of(hw).list() == []
        lessons_of(hw).import_from(pack, trust=True)
        assert_every_lesson_is_found(hw)


@pytest.mark.parametrize("at", [0, 64, 65, COUNT - 1])
def test_recall_finds_every_lesson_when_an_interrupted_import_is_repeated(
    tmp_path: Path, pack: str, at: int
) -> None:
    def interrupt(done: int, _: int) -> None:
        if done == at:
            raise KeyboardInterrupt

    with hardwon.open(tmp_path / "home") as hw:
        with pytest.raises(KeyboardInterrupt):
            lessons_of(hw).import_from(pack, trust=True, tell=interrupt)
        assert lessons_of(hw).list() == []
        lessons_of(hw).import_from(pack, trust=True)
        assert_every_lesson_is_found(hw)
