"""A function as a model."""

from __future__ import annotations

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.models.function import Function, as_model
from hardwon.storage.ports import Reply, Request
from tests.models.asking import ask, opened


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
