"""Lessons in a dictionary: the reference for what a store promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import LIVE, MINED, SHELVED, Lesson, Status, statuses
from hardwon.core.values.lesson_formats import check_lesson
from hardwon.knowledge.ranking.query import Match, MatchTally, index, keys, rarity

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.scope import Scope
    from hardwon.knowledge.ranking.query import Query


class MemoryLessons:
    """Lessons in a dictionary."""

    def __init__(self) -> None:
        self.all: dict[int, Lesson] = {}
        self._last = 0

    def add(self, lesson: Lesson) -> Lesson:
        check_lesson(lesson)
        for stored in self.all.values():
            if lesson.job and (stored.scope, stored.job) == (lesson.scope, lesson.job):
                return stored
        self._last += 1
        self.all[self._last] = lesson._replace(id=self._last)
        return self.all[self._last]

    def get(self, scope: Scope, number: int) -> Lesson:
        lesson = self.all.get(number)
        if lesson is None or lesson.scope not in scope.visible():
            raise NotFound("lesson", number)
        return lesson

    def update(self, lesson: Lesson) -> None:
        if self.get(lesson.scope, check_lesson(lesson).id).scope != lesson.scope:
            raise NotFound("lesson", lesson.id)
        self.all[lesson.id] = lesson

    def delete(self, scope: Scope, number: int) -> None:
        del self.all[self.get(scope, number).id]

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        visible = [lesson for lesson in self._visible(scope) if lesson.status in statuses(status)]
        visible.sort(
            key=lambda lesson: (lesson.last_seen_at, lesson.created_at, lesson.id), reverse=True
        )
        return visible[:limit]

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        matches = [
            lesson
            for lesson in self._visible(scope)
            if lesson.is_active and text.lower() in _full_text(lesson).lower()
        ]
        matches.sort(key=lambda lesson: (lesson.hits, lesson.last_seen_at, lesson.id), reverse=True)
        return matches[:limit]

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        live = {lesson.id: lesson for lesson in self._visible(scope) if lesson.status in LIVE}
        indexes = {number: index(lesson) for number, lesson in live.items()}
        near = tuple(pair for pair in query.near if pair[0] in live)
        total = sum(map(bool, indexes.values()))  # lessons without keys are not in the index
        tally = MatchTally(near, total=total)
        for key in keys(query):
            postings = [(n, entries[key]) for n, entries in indexes.items() if key in entries]
            if postings:
                tally.add(key, postings, rarity(len(postings), total))
        best = list(dict.fromkeys((*tally.best(limit), *_usual(live)[: query.usual])))
        mined = tally.mined(query, best)
        unexpired = (n for n in best if (until := live[n].expires_at) is None or until > now)
        return [tally.match(live[n]) for n in unexpired if live[n].origin != MINED or n in mined]

    def guards(self, scope: Scope) -> list[Lesson]:
        return [
            lesson
            for lesson in self._visible(scope)
            if lesson.guard and lesson.status not in SHELVED
        ]

    def _visible(self, scope: Scope) -> list[Lesson]:
        return [lesson for lesson in self.all.values() if lesson.scope in scope.visible()]


def _usual(live: dict[int, Lesson]) -> list[int]:
    """The proven lessons that runs met again, the most frequent first."""
    proven = (lesson for lesson in live.values() if lesson.status == Status.PROVEN)
    met_again = [lesson.id for lesson in proven if lesson.met > 1]
    return sorted(met_again, key=lambda n: (live[n].met, live[n].updated_at, n), reverse=True)


def _full_text(lesson: Lesson) -> str:
    return " ".join((lesson.situation, lesson.mistake, lesson.correction, *lesson.tags))
