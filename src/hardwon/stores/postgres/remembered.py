"""Answers that hold as long as the versions of the shelves that they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

    from hardwon.stores.postgres.scopes import Visible

T = TypeVar("T")

_MOST = 512  # answers; the oldest are forgotten first


class Remembered(Generic[T]):
    """What this process has read, by question. Every change of a lesson gives another version."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[tuple[tuple[int, int], ...], T]] = {}

    def look(self, question: Hashable, seen: Visible | None) -> T | None:
        """The answer, if it was read from shelves as they are seen now."""
        versions, answer = self._answers.get(question, ((), None))
        return answer if seen is not None and seen.versions == versions else None

    def keep(self, question: Hashable, seen: Visible, answer: T) -> T:
        """Remember an answer, and give it back."""
        self._answers[question] = seen.versions, answer
        while len(self._answers) > _MOST:
            self._answers.pop(next(iter(self._answers)), None)
        return answer
