"""A model that answers from a list: for tests of yours and ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hardwon.errors import InvalidInput, PermanentError
from hardwon.ports import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

    from hardwon.ports import Request

_PARTED = "\n---\n"


def open(kind: str, rest: str, *, key: str, timeout: timedelta) -> Scripted:
    """A file of answers, parted by lines of three dashes."""
    if not rest:
        return Scripted([])
    try:
        return Scripted(Path(rest).read_text("utf-8").split(_PARTED))
    except OSError as error:
        raise InvalidInput(f"model {kind}:{rest}: {error.strerror}") from error


class Scripted:
    """Gives the answers in order and raises exceptions among them; records the requests."""

    name = "scripted"

    def __init__(self, answers: Iterable[str | Exception]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        if not self._answers:
            raise PermanentError("the script has no more answers")
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, model=self.name)
