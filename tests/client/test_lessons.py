"""Lessons of a server are looked after as those here are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput, NotFound
from tests.client.faces import Face


@pytest.mark.parametrize("text", ["", "   ", "\x00", "\u202e\u200b", "x" * 4097], ids=ascii)
def test_a_lesson_that_says_nothing_or_too_much_is_refused(face: Face, text: str) -> None:
    with pytest.raises(InvalidInput):
        face.hw.agent("coder").learn(text)
    assert not face.hw.agent("coder").lessons.list()


def test_lessons_are_looked_after(face: Face, tmp_path: Path) -> None:
    lessons = face.hw.agent("coder", project="acme/api").lessons
    first = lessons.add("using tabs", "use spaces", tags=["Style"], importance=0.9)
    second = lessons.add("deploying on a Friday", "wait until Monday")

    assert (first.tags, first.importance) == (("style",), 0.9)
    assert {one.id for one in lessons.list()} == {first.id, second.id}
    assert [one.id for one in lessons.list(limit=1)] == [lessons.list()[0].id]
    assert [one.id for one in lessons.search("friday")] == [second.id]
    edited = lessons.edit(correction="use four spaces", tags=["style", "python"], number=first.id)
    assert lessons.get(first.id) == edited
    assert [one.act for one in lessons.history(first.id)] == ["edit"]
    assert lessons.history()[0].before.correction == "use spaces"
    assert lessons.undo().correction == "use spaces"
    assert lessons.verdict(first.id) is None
    assert lessons.exposures(first.id) == []
    assert lessons.guard(second.id, call="deploy now").guard
    assert face.hw.agent("coder", project="acme/api").before_action("bash", "deploy now").denied
    lessons.delete(first.id)
    with pytest.raises(NotFound):
        lessons.get(first.id)
    again = lessons.undo(first.id)
    assert (again.situation, again.correction) == ("using tabs", "use spaces")
    with pytest.raises(InvalidInput):
        lessons.edit(second.id, id=7)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput):
        lessons.list(limit=0)


def test_a_long_history_is_read_to_its_end(face: Face) -> None:
    lessons = face.hw.agent("coder").lessons
    lesson = lessons.add("using tabs", "use spaces")
    for number in range(60):
        lessons.edit(lesson.id, correction=f"use {number} spaces")

    assert len(lessons.history()) == len(lessons.history(lesson.id)) == 60
    assert lessons.history()[-1].before.correction == "use spaces"


def test_a_pack_moves_from_one_agent_to_another(face: Face, tmp_path: Path) -> None:
    giver, taker = face.hw.agent("giver").lessons, face.hw.agent("taker").lessons
    giver.add("deploying", "drain the node first")
    (tmp_path / "pack.jsonl").write_text(giver.export())
    (tmp_path / "pack.md").write_text(giver.export(form="markdown"))

    (held,) = taker.import_from(str(tmp_path / "pack.jsonl"))
    assert held.status == "quarantined"
    assert taker.approve(held.id).status == "proven"
    assert [one.id for one in taker.revoke(held.origin)] == [held.id]
    (own,) = taker.import_from(str(tmp_path / "pack.md"), trust=True)
    assert own.status == "proven"


def test_a_search_is_explained(face: Face) -> None:
    coder = face.hw.agent("coder")
    lesson = coder.learn("make the nightly folder with `mkdir -p`")

    (judged,) = coder.explain("turn", "make the nightly folder")

    assert judged.match.lesson.id == lesson.id
    assert judged.verdict == ""
    assert judged.score > 0
    assert "mkdir -p" in coder.digest() or coder.digest() == ""
