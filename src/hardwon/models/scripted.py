"""A model that answers from a list: for tests of yours and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.ports import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.ports import Request


class Scripted:
    """Gives the answers in order and raises those that are exceptions; remembers what was asked."""

    name = "scripted"

    def __init__(self, answers: Iterable[str | Exception]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, model=self.name)
