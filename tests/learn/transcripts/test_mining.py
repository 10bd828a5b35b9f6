"""Mining: phases, hand-off files, what was mined, undo."""

from __future__ import annotations

import stat
from datetime import timedelta
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.learn.transcripts.mining import PHASES
from hardwon.learn.transcripts.questions import Question
from tests.learn.transcripts.mined import Desk, typical
from tests.learn.transcripts.transcripts import SESSION, Claude


def test_a_session_that_fails_does_not_stop_the_others(desk: Desk) -> None:
    typical(desk).write(desk.home)
    elsewhere = Claude(cwd=str(desk.project / "gone")).agent("x").says("Never use npm, use pnpm.")
    path = elsewhere.write(desk.home, session="odd")
    locked = path.parent / "memory"
    locked.mkdir()
    (locked / "MEMORY.md").write_bytes(b"\xff")

    sessions = desk.agent.sessions
    results = {one.place.id: one.problem for one in sessions.mine_all(sessions.find())}

    assert results[SESSION] == ""
    assert "not UTF-8" in results["odd"]


def test_each_phase_is_in_progress_exactly_once(desk: Desk) -> None:
    typical(desk).write(desk.home)
    begun: list[str] = []

    desk.mine(watch=lambda phase: begun.append(PHASES[phase]))

    assert begun == [
        "Detecting session context",
        "Extracting insights",
        "Guiding insight selection",
        "Integrating insights",
        "Verifying completion",
    ]


def test_the_hand_off_is_private_and_gone_after_ctrl_c(desk: Desk, tmp_path: Path) -> None:
    typical(desk).write(desk.home)
    runs = tmp_path / "hw" / "sessions" / "runs"
    seen: dict[str, int] = {}

    def interrupt(question: Question) -> tuple[str, ...]:
        (run,) = runs.iterdir()
        seen.update({path.name: stat.S_IMODE(path.stat().st_mode) for path in run.iterdir()})
        seen["run"] = stat.S_IMODE(run.stat().st_mode)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.mine(answerer=lambda *_: interrupt)

    assert seen.pop("run") == 0o700
    assert set(seen.values()) == {0o600}
    assert {"session-context.json", "session-summary.md", "extracted-insights.md"} <= set(seen)
    assert not list(runs.iterdir())


def test_questions_and_answers_may_be_two_processes(desk: Desk, tmp_path: Path) -> None:
    typical(desk).write(desk.home)
    sessions = desk.agent.sessions
    waiting = sessions.ask(sessions.choose(SESSION))
    texts = [one.text for one in waiting.delta.insights]
    number = str(texts.index("Don't use npm here, use pnpm instead") + 1)

    with pytest.raises(InvalidInput, match=r"Q2"):
        sessions.answer(waiting.run, {"Q2": ["77"]})
    with hardwon.open(tmp_path / "hw") as other:
        answers = {"Q2": [number], f"Q5.{number}": "B", f"Q5b.{number}": "domain"}
        other.agent("coder").sessions.answer(waiting.run, answers)

    domain = desk.home / ".claude" / ".insights" / "domain" / "javascript"
    assert [path.name for path in domain.iterdir()] == ["javascript.md"]
    assert not desk.memory.exists()
    with pytest.raises(NotFound):
        sessions.answer(waiting.run, {})


def test_mining_the_same_session_twice_adds_nothing(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.mine()
    before, lessons = desk.files(), desk.lessons()

    again = desk.mine()

    assert not again.report.id
    assert desk.files() == before
    assert desk.lessons() == lessons


def test_a_history_is_mined_once_and_goes_on_where_it_stopped(desk: Desk) -> None:
    for name in ("one", "two", "three"):
        typical(desk).write(desk.home, session=name)
    sessions = desk.agent.sessions
    places = sessions.find(since=timedelta(days=7))

    first = next(sessions.mine_all(places))
    rest = [result.place.id for result in sessions.mine_all(places)]

    assert len(rest) == 2
    assert first.place.id not in rest
    assert not list(sessions.mine_all(places))


def test_a_session_that_grew_is_mined_again(desk: Desk) -> None:
    talk = typical(desk)
    talk.write(desk.home)
    sessions = desk.agent.sessions
    list(sessions.mine_all(sessions.find()))
    talk.says("Never push to the main branch.").write(desk.home)

    results = list(sessions.mine_all(sessions.find()))

    assert [len(result.report.lessons) for result in results] == [1]


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
