"""Models of the user's program: functions, LiteLLM, scripts, servers on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, PermanentError, SetupError
from hardwon.core.settings import load
from hardwon.models.function import Function, as_model
from hardwon.storage.ports import Reply, Request
from tests.models.asking import ask, opened
from tests.samples import EPISODE


def test_a_function_may_be_plain_or_async_and_give_text_or_a_reply() -> None:
    async def later(request: Request) -> Reply:
        return Reply(request.prompt, "mine")

    assert ask(Function(lambda request: request.prompt)).text == "the question"
    assert ask(as_model(later)).model == "mine"
    assert ask(Function(lambda request: None)).text == ""


def test_a_function_is_found_by_its_name() -> None:
    assert ask(opened("python:tests.models.test_function:answer")).text == "42"
    with pytest.raises(InvalidInput):
        opened("python:tests.models.test_function:no_such")


def answer(request: Request) -> str:
    return "42"


def test_a_script_answers_in_order(tmp_path: Path) -> None:
    script = tmp_path / "answers.txt"
    script.write_text("one\n---\ntwo")
    model = opened(f"scripted:{script}")

    assert [ask(model).text, ask(model).text] == ["one", "two"]
    with pytest.raises(PermanentError):
        ask(model)


def test_litellm_is_asked_for_by_name_only() -> None:
    with pytest.raises(SetupError, match="pip install litellm"):
        opened("litellm:x/y")


NAME = os.environ.get("HARDWON_TEST_MODEL", "")


@pytest.mark.skipif(not NAME, reason="HARDWON_TEST_MODEL names no model")
def test_a_real_model_makes_a_lesson(tmp_path: Path) -> None:
    settings = load(str(tmp_path))
    settings = settings._replace(model=settings.model._replace(name=NAME))
    with hardwon.open(tmp_path, settings=settings) as hw:
        agent = hw.agent("coder")
        agent.after_run(task=EPISODE.task, error=EPISODE.error, steps=EPISODE.steps)

        tally = hw.drain()

        assert tally.done == 1
        assert all(one.author.startswith(NAME.split(":")[0]) for one in agent.lessons.list())
