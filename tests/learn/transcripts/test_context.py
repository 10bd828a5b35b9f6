"""Which session is meant."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput, NotFound
from hardwon.learn.transcripts.catalog import Ambiguous
from tests.learn.transcripts.mined import Desk, typical
from tests.learn.transcripts.transcripts import Claude


def test_the_newest_session_of_the_directory_is_meant(desk: Desk) -> None:
    old = typical(desk).write(desk.home, session="old")
    other = Claude(cwd="/elsewhere").says("x").write(desk.home, session="other")
    os.utime(old, (time.time() - 4000,) * 2)
    os.utime(other, (time.time() - 5000,) * 2)

    chosen = desk.agent.sessions.choose(cwd=str(desk.project))

    assert chosen.id == "old"


def test_live_sessions_of_other_directories_do_not_count(desk: Desk) -> None:
    own = typical(desk).write(desk.home, session="own")
    os.utime(own, (time.time() - 4000,) * 2)
    for name in ("other", "third"):
        Claude(cwd="/elsewhere").says("x").write(desk.home, session=name)

    chosen = desk.agent.sessions.choose(cwd=str(desk.project))

    assert chosen.id == "own"


def test_a_session_of_the_work_tree_above_is_meant(desk: Desk) -> None:
    own = typical(desk).write(desk.home, session="own")
    os.utime(own, (time.time() - 4000,) * 2)
    Claude(cwd="/elsewhere").says("x").write(desk.home, session="other")
    (desk.project / ".git").mkdir()
    below = desk.project / "src" / "deep"
    below.mkdir(parents=True)

    assert desk.agent.sessions.choose(cwd=str(below)).id == "own"


def test_two_sessions_that_are_going_on_must_be_told_apart(desk: Desk) -> None:
    for name in ("one", "two"):
        typical(desk).write(desk.home, session=name)

    with pytest.raises(Ambiguous, match="2 sessions may be meant"):
        desk.agent.sessions.choose(cwd=str(desk.project))


def test_no_session_a_directory_and_a_missing_file_are_told(desk: Desk, tmp_path: Path) -> None:
    sessions = desk.agent.sessions

    with pytest.raises(NotFound):
        sessions.choose()
    with pytest.raises(InvalidInput, match="is a directory"):
        sessions.choose(str(tmp_path) + "/")
    with pytest.raises(NotFound):
        sessions.choose(str(tmp_path / "none.jsonl"))
    with pytest.raises(InvalidInput, match="unknown agent"):
        sessions.find(agents=["clippy"])
