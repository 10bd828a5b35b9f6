"""Which session is meant, and where its memory is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput, NotFound
from hardwon.engine.trust import project_for
from hardwon.learn.transcripts.agents import KINDS
from hardwon.learn.transcripts.catalog import Ambiguous, find
from tests.learn.transcripts.mined import Desk, typical
from tests.learn.transcripts.one_session import write
from tests.learn.transcripts.transcripts import SESSION, Claude


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


def test_the_older_place_and_the_sub_agents_are_found_too(tmp_path: Path) -> None:
    Claude().says("old").write(tmp_path, session="old", older=True)
    base = tmp_path / ".claude"
    write(base / "projects" / "-p" / SESSION / "subagents" / "agent-1.jsonl", [])
    write(base / "sessions" / "user-level.jsonl", [])

    found = {one.id: one for one in KINDS["claude"].find(str(tmp_path))}

    assert set(found) == {"old", "agent-1", "user-level"}
    assert found["agent-1"].is_subagent
    assert found["user-level"].folder == ""


def test_a_link_that_leads_out_of_the_tree_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    outside = tmp_path / "outside.jsonl"
    outside.write_text("{}\n", encoding="utf-8")
    folder = tmp_path / "home" / ".claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    (folder / "leak.jsonl").symlink_to(outside)

    assert not find()


def test_a_session_in_an_unconfirmed_folder_teaches_apart(desk: Desk, tmp_path: Path) -> None:
    for folder in (tmp_path / "real", desk.project):
        (folder / ".git").mkdir(parents=True)
        config = '[remote "origin"]\n\turl = https://host.example/acme/shop\n'
        (folder / ".git" / "config").write_text(config, encoding="utf-8")
    project_for(str(tmp_path / "real"), desk.hw.settings.home, tenant="default")
    typical(desk).write(desk.home)

    desk.mine()

    own = desk.hw.agent("coder", project="acme/shop")
    assert own.lessons.list() == []
    desk.hw.projects.trust(desk.project)
    assert len(own.lessons.list()) == 2


def test_a_user_level_session_never_touches_a_memory_md(desk: Desk) -> None:
    talk = typical(desk)
    path = desk.home / ".claude" / "sessions" / "user.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(talk.text(), encoding="utf-8")

    desk.mine("user")

    assert not list(desk.home.rglob("MEMORY.md"))
    assert list((desk.home / ".claude" / ".insights").glob("*.md"))


def test_the_domain_of_an_insight_is_that_of_its_program(desk: Desk) -> None:
    talk = desk.talk().says("Install the packages")
    talk.run("npm install left", "npm error code ERESOLVE could not resolve", failed=True)
    talk.run("npm install --legacy-peer-deps left").agent("Done.").write(desk.home)
    sessions = desk.agent.sessions
    asked = sessions.ask(sessions.choose(""))

    sessions.answer(asked.run, {"Q1": "skip", "Q2": "1", "Q5.1": "B", "Q5b.1": "domain"})

    (written,) = (desk.home / ".claude" / ".insights" / "domain").rglob("*.md")
    assert written.parent.name == "javascript"
