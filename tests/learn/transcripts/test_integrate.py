"""Chosen insights go into memory, insights and lessons, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardwon.core.errors import HardwonError, InvalidInput, StorageError
from hardwon.storage.stores.markdown import insights as notes
from hardwon.storage.stores.markdown import memory
from tests.learn.transcripts.mined import Desk, failing, two_fixes, typical
from tests.learn.transcripts.test_findings import DIFFERENT
from tests.learn.transcripts.transcripts import SESSION


def test_mining_writes_memory_insights_and_lessons(desk: Desk) -> None:
    typical(desk).write(desk.home)

    result = desk.mine()

    assert "Don't use npm here, use pnpm instead" in desk.memory.read_text(encoding="utf-8")
    (note,) = desk.insights.glob("*.md")
    document = notes.parse(note.read_text(encoding="utf-8"))
    assert document.front["session"] == [SESSION]
    assert "mkdir -p out/nightly" in document.body
    assert len(desk.lessons()) == 2
    assert not result.report.problems


def test_an_index_gets_a_line_and_a_memory_file(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.memory.parent.mkdir(parents=True)
    desk.memory.write_text("- [Build](build.md) — how to build\n", encoding="utf-8")

    desk.mine()

    lines = desk.memory.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "- [Build](build.md) — how to build"
    assert "](don-t-use-npm-here-use-pnpm-instead.md) — Don't use npm" in lines[1]
    file = desk.memory.parent / "don-t-use-npm-here-use-pnpm-instead.md"
    front = notes.parse(file.read_text(encoding="utf-8")).front
    assert front["metadata"] == {"type": "feedback"}
    assert front["name"]
    assert front["description"]


def test_a_full_memory_sends_its_oldest_entries_to_the_insights(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.memory.parent.mkdir(parents=True)
    mine = "# Memory\n" + "- a line of mine\n" * 190
    for number in range(6):
        entry = memory.Entry(f"{number:012x}", f"2026-01-0{number + 1}", "Tools", f"old {number}")
        mine = memory.with_entry(mine, entry)
    desk.memory.write_text(mine, encoding="utf-8")
    assert mine.count("\n") == 200

    result = desk.mine()

    text = desk.memory.read_text(encoding="utf-8")
    assert memory.fits(text)
    assert text.count("- a line of mine") == 190
    assert "use pnpm instead" in text
    assert result.report.moved == 4
    archive = (desk.insights / "memory-archive.md").read_text(encoding="utf-8")
    assert "old 0" in archive
    assert "old 0" not in text
    assert "old 5" in text


def test_a_memory_full_of_a_persons_lines_is_left_alone(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.memory.parent.mkdir(parents=True)
    mine = "- a line of mine\n" * 200
    desk.memory.write_text(mine, encoding="utf-8")

    report = desk.mine().report

    assert desk.memory.read_text(encoding="utf-8") == mine
    (told,) = report.notes
    assert told.startswith(f"MEMORY.md is full; this went to {desk.insights}")
    assert any("pnpm" in path.read_text(encoding="utf-8") for path in desk.insights.glob("*.md"))


@pytest.mark.parametrize("trouble", ["read-only", "not UTF-8", "leads out of"])
def test_a_memory_that_cannot_be_written_changes_nothing_at_all(desk: Desk, trouble: str) -> None:
    typical(desk).write(desk.home)
    desk.memory.parent.mkdir(parents=True)
    if trouble == "read-only":
        desk.memory.write_text("# Mine\n", encoding="utf-8")
        desk.memory.chmod(0o444)
    elif trouble == "not UTF-8":
        desk.memory.write_bytes(b"caf\xe9\n")
    else:
        (desk.project / "elsewhere.md").write_text("# Mine\n", encoding="utf-8")
        desk.memory.symlink_to(desk.project / "elsewhere.md")
    before = desk.files()

    with pytest.raises(HardwonError, match=trouble):
        desk.mine()

    assert desk.files() == before
    assert not desk.lessons()


def test_a_merge_adds_to_the_file_that_a_person_wrote(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.insights.mkdir(parents=True)
    known = desk.insights / "npm.md"
    known.write_text("---\ntags: [js]\n---\nDon't use npm here, it is slow.\n", encoding="utf-8")
    sessions = desk.agent.sessions
    waiting = sessions.ask(sessions.choose(SESSION))
    number = next(one.id[3:] for one in waiting.questions if one.id.startswith("Q4."))

    sessions.answer(waiting.run, {"Q2": [number], f"Q4.{number}": "merge"})

    document = notes.parse(known.read_text(encoding="utf-8"))
    assert document.front["tags"] == ["js", "javascript"]
    assert document.body.startswith("Don't use npm here, it is slow.\n")
    assert "use pnpm instead" in document.body


def test_merge_revises_body_summary_sections_and_evidence(desk: Desk) -> None:
    waiting = two_fixes(desk)

    done = desk.agent.sessions.answer(waiting.run, {"Q2": ["1"], "Q4.1": "merge"})

    document = notes.parse((desk.insights / "mkdir.md").read_text(encoding="utf-8"))
    for fix in ("What worked: `mkdir -p out/nightly`.", "What worked: `mkdir -m 700 out/nightly`."):
        assert fix in document.body
        assert fix in document.front["summary"]
    assert len(document.front["sections"]) == len(set(document.front["sections"])) == 2
    assert document.front["session"] == [SESSION, "second"]
    assert f"- session {SESSION}, line 3: " in document.body
    assert "- session second, line 3: " in document.body
    assert str(desk.insights / "mkdir.md") in done.report.files
    assert any("mkdir -m 700" in correction for correction in desk.lessons())


def test_create_writes_a_file_of_its_own(desk: Desk) -> None:
    waiting = two_fixes(desk)
    before = (desk.insights / "mkdir.md").read_bytes()

    answers = {"Q1": "skip", "Q2": ["1"], "Q4.1": "create", "Q5.1": "B"}
    report = desk.agent.sessions.answer(waiting.run, answers).report

    (path,) = report.files
    assert "mkdir -m 700" in Path(path).read_text(encoding="utf-8")
    assert (desk.insights / "mkdir.md").read_bytes() == before
    assert len(desk.lessons()) == 2
    assert report.known_lessons == 0


def test_create_of_what_memory_says_already_still_writes_a_file(desk: Desk) -> None:
    failing(desk, "mkdir -p out/nightly").write(desk.home)
    desk.mine()
    failing(desk, "mkdir -p out/nightly").write(desk.home, session="second")
    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose("second"))

    answers = {"Q1": "skip", "Q2": ["1"], "Q4.1": "create", "Q5.1": "B"}
    report = desk.agent.sessions.answer(waiting.run, answers).report

    assert waiting.delta.related[0].relation == "redundant"
    assert [Path(path).parent for path in report.files] == [desk.insights]
    assert report.known_lessons == 1


def test_merging_the_same_insight_adds_its_evidence_and_undo_takes_only_that_back(
    desk: Desk,
) -> None:
    failing(desk, "mkdir -p out/nightly").write(desk.home)
    desk.mine()
    file = desk.insights / "mkdir.md"
    failing(desk, "mkdir -p out/nightly").write(desk.home, session="second")
    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose("second"))

    answers = {"Q1": "skip", "Q2": ["1"], "Q4.1": "merge"}
    desk.agent.sessions.answer(waiting.run, answers)
    grown = file.read_text(encoding="utf-8")
    file.write_text(f"{grown}\n## Mine\n\nMy own words.\n", encoding="utf-8")
    desk.agent.sessions.undo()

    assert "- session second, line 3: " in grown
    assert grown.count("What worked: `mkdir -p out/nightly`.") == 2  # summary and section
    left = file.read_text(encoding="utf-8")
    assert f"- session {SESSION}, line 3: " in left
    assert "session second" not in left
    assert "My own words." in left


def test_the_summary_is_saved_as_the_person_changed_it(desk: Desk) -> None:
    typical(desk).write(desk.home)
    sessions = desk.agent.sessions
    for _ in range(2):  # the second answer replaces the first
        waiting = sessions.ask(sessions.choose(SESSION))
        dropped, *kept = [
            option for question in waiting.questions if question.id == "Q1-changes"
            for option in question.options if option.value.startswith("drop")
        ]  # fmt: skip
        answers = {"Q1": "modify", "Q1-changes": [dropped.value], "Q2": ["1"], "Q5.1": "A"}
        sessions.answer(waiting.run, answers)

    saved = (desk.insights / "session-summaries.md").read_text(encoding="utf-8")
    assert dropped.label.removeprefix("Leave out: ") not in saved
    assert saved.count(kept[0].label.removeprefix("Leave out: ")) == 1


def test_a_skipped_summary_is_not_saved(desk: Desk) -> None:
    typical(desk).write(desk.home)
    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose(SESSION))

    desk.agent.sessions.answer(waiting.run, {"Q1": "skip", "Q2": ["1"]})

    assert not (desk.insights / "session-summaries.md").exists()


def test_front_matter_with_anchors_is_reported_and_left_alone(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.insights.mkdir(parents=True)
    odd = desk.insights / "mkdir.md"
    odd.write_text("---\na: &x [1]\nb: *x\n---\n<!-- hardwon:x\n", encoding="utf-8")

    with pytest.raises(InvalidInput, match="anchors"):
        desk.mine()

    assert odd.read_text(encoding="utf-8").startswith("---\na: &x [1]")
    assert not desk.memory.exists()


def test_a_merge_into_a_full_memory_keeps_its_limit(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.memory.parent.mkdir(parents=True)
    mine = "- Don't use npm here, it is slow: use yarn instead.\n" + "- a line of mine\n" * 199
    desk.memory.write_text(mine, encoding="utf-8")
    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose(SESSION))
    (number,) = [one.id[3:] for one in waiting.questions if one.id.startswith("Q4.")]

    answers = {"Q1": "skip", "Q2": [number], f"Q4.{number}": "merge"}
    report = desk.agent.sessions.answer(waiting.run, answers).report

    assert desk.memory.read_text(encoding="utf-8") == mine
    assert not report.problems
    assert report.notes[0].startswith("MEMORY.md is full; this went to ")


def test_a_full_disk_loses_nothing(desk: Desk, tmp_path: Path) -> None:
    typical(desk).write(desk.home)
    desk.insights.parent.mkdir()
    desk.insights.write_text("a file where the folder should be", encoding="utf-8")
    before = desk.files()

    with pytest.raises(StorageError):
        desk.mine()

    assert desk.files() == before
    assert not desk.lessons()


def test_fourteen_corrections_become_fourteen_lessons(desk: Desk) -> None:
    talk = desk.talk().says("Build it").agent("done")
    for text in DIFFERENT:
        talk.says(text).agent("ok")
    talk.write(desk.home)

    desk.mine()

    assert sorted(text.lower() for text in desk.lessons()) == sorted(DIFFERENT)
