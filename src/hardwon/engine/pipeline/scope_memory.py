"""The lessons of one scope, for the stages that read and change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import LIVE, Lesson
from hardwon.knowledge.ranking.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from hardwon.core.values.run import Failure
    from hardwon.core.values.scope import Scope
    from hardwon.storage.ports import LessonStore

_NEAREST = 8


class Memory(NamedTuple):
    """The lessons of one scope. A changed lesson is screened before it is stored."""

    scope: Scope
    lessons: LessonStore
    screen: Callable[[Lesson], Lesson]
    now: datetime

    def about(self, failure: Failure) -> Lesson | None:
        """The best lesson of exactly this scope about a failure kind; None if there is none."""
        query = Query("error", "", signature=failure.exact, kind=failure.kind)
        matches = self.lessons.match(self.scope, query, now=self.now, limit=_NEAREST)
        own = [match for match in matches if match.lesson.scope == self.scope]
        own.sort(key=lambda match: (match.is_same_kind, *standing(match.lesson)), reverse=True)
        return own[0].lesson if own and own[0].is_same_kind else None

    def shown(self, numbers: Iterable[int]) -> list[Lesson]:
        """The lessons of this scope with these ids that have fixes."""
        lessons = (self.get(number) for number in sorted(numbers))
        return [
            lesson for lesson in lessons if lesson and lesson.scope == self.scope and lesson.fixes
        ]

    def get(self, number: int) -> Lesson | None:
        """The lesson with this id; None if it does not exist."""
        try:
            return self.lessons.get(self.scope, number)
        except NotFound:
            return None

    def keep(self, lesson: Lesson) -> None:
        """Store a changed lesson, screened and dated; a past run does not make it older."""
        dated = lesson._replace(updated_at=max(lesson.updated_at, self.now))
        self.lessons.update(self.screen(dated))


def standing(lesson: Lesson) -> tuple[int, int, int]:
    """The sort key of lessons about one kind: status, runs that met it, age."""
    return LIVE.index(lesson.status), lesson.met, -lesson.id
