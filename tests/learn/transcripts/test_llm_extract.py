"""A model words insights, and must quote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hardwon.core.errors import TransientError
from hardwon.models.scripted import Scripted
from tests.learn.transcripts.mined import Desk, typical
from tests.learn.transcripts.transcripts import SESSION


def test_a_model_words_the_insights_and_must_quote_what_is_there(tmp_path: Path) -> None:
    real = {"line": 1, "quote": "Add a nightly report"}
    reply = {
        "summary": "It was asked. It was done.",
        "main_task": "A report",
        "insights": [
            {"title": "Real", "type": "content", "insight": "Do it", "evidence": [real]},
            {"title": "No quote", "type": "content", "insight": "Lie", "evidence": []},
            {
                "title": "False quote",
                "type": "content",
                "insight": "Lie",
                "evidence": [{"line": 1, "quote": "words that nobody said"}],
            },
            {
                "title": "Other line",
                "type": "content",
                "insight": "Lie",
                "evidence": [{**real, "line": 999}],
            },
        ],
    }
    desk = Desk(tmp_path, Scripted([f"```json\n{json.dumps(reply)}\n```"]))
    typical(desk).write(desk.home)

    _, delta = desk.agent.sessions.preview(desk.agent.sessions.choose(SESSION))

    by_model = [one.title for one in delta.insights if one.author == "scripted"]
    assert by_model == ["Real"]
    assert [one.title for one in delta.insights if one.author == "rules"]
    assert delta.summary.task == "A report"


def test_a_model_that_fails_twice_leaves_the_rules_words(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Scripted([TransientError("busy")] * 4))
    typical(desk).write(desk.home)

    _, delta = desk.agent.sessions.preview(desk.agent.sessions.choose(SESSION))

    assert delta.insights
    assert any("busy" in note for note in delta.notes)


@pytest.mark.parametrize(
    "reply", [None, "", "garbage", "{}", '{"insights": null}', '{"summary": null, "insights": 3}']
)
def test_a_reply_outside_the_form_leaves_the_rules_words(tmp_path: Path, reply: Any) -> None:
    desk = Desk(tmp_path, Scripted([str(reply)] * 4))
    typical(desk).write(desk.home)

    _, delta = desk.agent.sessions.preview(desk.agent.sessions.choose(SESSION))

    assert {one.author for one in delta.insights} == {"rules"}
    assert any("Reply lacks" in note for note in delta.notes)
