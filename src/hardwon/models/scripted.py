"""A model that answers from a list, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from hardwon.core.errors import InvalidInput, PermanentError
from hardwon.storage.ports import Reply, Request

_SEPARATOR = "\n---\n"


def open(kind: str, path: str, *, key: str, timeout: timedelta) -> Scripted:
    """A file of answers, separated by lines of three dashes."""
    if not path:
        return Scripted([])
    try:
        return Scripted(Path(path).read_text("utf-8").split(_SEPARATOR))
    except OSError as error:
        raise InvalidInput(f"model {kind}:{path}: {error.strerror}") from error


class Scripted:
    """Gives the answers in order, raises those that are exceptions, and records requests."""

    name = "scripted"

    def __init__(self, answers: Iterable[str | Exception]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        if not self._answers:
            raise PermanentError("the script has no more answers; add one per request")
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, model=self.name)
