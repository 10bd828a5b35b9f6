"""An integration can be taken back."""

from __future__ import annotations

import pytest

from hardwon.core.errors import NotFound
from tests.learn.transcripts.mined import Desk, typical


def test_undo_takes_everything_back(desk: Desk) -> None:
    typical(desk).write(desk.home)
    before = desk.files()
    desk.mine()

    desk.agent.sessions.undo()

    assert desk.files() == before
    assert not desk.lessons()
    with pytest.raises(NotFound):
        desk.agent.sessions.undo()


def test_undo_leaves_what_a_person_wrote_since(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.mine()
    desk.memory.write_text(
        desk.memory.read_text(encoding="utf-8") + "- my own line\n", encoding="utf-8"
    )
    (note,) = desk.insights.glob("*.md")
    note.write_text(note.read_text(encoding="utf-8") + "\n## Mine\nwords\n", encoding="utf-8")

    desk.agent.sessions.undo()

    left = desk.memory.read_text(encoding="utf-8")
    assert "- my own line\n" in left
    assert "pnpm" not in left
    kept = note.read_text(encoding="utf-8")
    assert "## Mine\nwords\n" in kept
    assert "mkdir -p" not in kept
