"""A cache of answers, valid while the versions of their shelves do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

    from hardwon.storage.stores.postgres.scopes import Visible

T = TypeVar("T")

_MOST = 512  # answers; the oldest are dropped first


class AnswerCache(Generic[T]):
    """Answers that this process has read. Every change of a lesson gives a new version."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[tuple[tuple[int, int], ...], T]] = {}

    def look(self, question: Hashable, visible: Visible | None) -> T | None:
        """The cached answer, if the shelves have not changed since."""
        versions, answer = self._answers.get(question, ((), None))
        return answer if visible is not None and visible.versions == versions else None

    def keep(self, question: Hashable, visible: Visible, answer: T) -> T:
        """Cache an answer; returns it."""
        self._answers[question] = visible.versions, answer
        while len(self._answers) > _MOST:
            self._answers.pop(next(iter(self._answers)), None)
        return answer
