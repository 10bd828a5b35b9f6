"""What one process hands to the next."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.learn.transcripts.questions import Question
from tests.learn.transcripts.mined import Desk, typical
from tests.learn.transcripts.transcripts import SESSION


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
