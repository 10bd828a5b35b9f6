"""Where transcripts are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardwon.learn.transcripts.agents import KINDS
from hardwon.learn.transcripts.catalog import find
from tests.learn.transcripts.one_session import write
from tests.learn.transcripts.transcripts import SESSION, Claude


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
