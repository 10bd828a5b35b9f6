"""What recall and reflections should answer, computed over all values without an index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hardwon.core.values.lesson import LIVE, MINED, Lesson, Status
from hardwon.core.values.reflection import Likeness, Reflection, is_known, surplus_reflections
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import Match, MatchTally, Query, index, keys, rarity
from hardwon.knowledge.ranking.reflections import CANDIDATES, best_held, by_relevance, words_of
from hardwon.storage.stores.sqlite import MemoryStore, SqliteLessons

EVERY = 1_000_000


class PlainStore(MemoryStore):
    """A store that reads every lesson for each recall, and every reflection."""

    def __init__(self) -> None:
        super().__init__()
        self.lessons = PlainLessons(self._db)
        self.reflections = PlainReflections()


class PlainLessons(SqliteLessons):
    """Lessons without an index."""

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        every = self.recent(scope, status=Status.ALL, limit=EVERY)
        live = {one.id: one for one in sorted(every, key=lambda one: one.id) if one.status in LIVE}
        indexes = {number: index(lesson) for number, lesson in live.items()}
        near = tuple(pair for pair in query.near if pair[0] in live)
        total = sum(map(bool, indexes.values()))  # lessons without keys are not in the index
        tally = MatchTally(near, total=total)
        for key in keys(query):
            postings = [(n, entries[key]) for n, entries in indexes.items() if key in entries]
            if postings:
                tally.add(key, postings, rarity(len(postings), total))
        best = list(dict.fromkeys((*tally.best(limit), *usual(live)[: query.usual])))
        mined = tally.mined_ids(query, best)
        unexpired = (n for n in best if (until := live[n].expires_at) is None or until > now)
        return [tally.match(live[n]) for n in unexpired if live[n].origin != MINED or n in mined]


def usual(live: dict[int, Lesson]) -> list[int]:
    """The proven lessons that runs met again, the most frequent first."""
    proven = (lesson for lesson in live.values() if lesson.status == Status.PROVEN)
    met_again = [lesson.id for lesson in proven if lesson.met > 1]
    return sorted(met_again, key=lambda n: (live[n].met, live[n].updated_at, n), reverse=True)


class PlainReflections:
    """Reflections in a list."""

    is_shared = False

    def __init__(self) -> None:
        self.all: list[Reflection] = []

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        about = reflection.scope, reflection.subject
        stored = [one for one in self.all if (one.scope, one.subject) == about]
        if is_known(stored, reflection):
            return False
        dropped = {id(stored[at]) for at in surplus_reflections(stored, reflection, keep=keep)}
        self.all = [one for one in self.all if id(one) not in dropped] + [reflection]
        return True

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        return [one for one in self._visible(scope) if one.subject == subject]

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        return _newest(self._visible(scope), now)[:limit]

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        agent = scope.everywhere()
        return _newest([one for one in self.all if one.scope.everywhere() == agent], now)[:limit]

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        living = [one for one in self._visible(scope) if one.is_alive(now)]
        word_sets = [set(words_of(one)) for one in living]
        postings = {
            word: [at for at, held in enumerate(word_sets) if word in held] for word in words
        }
        shares = best_held(postings, limit=CANDIDATES)
        return by_relevance(Likeness(living[at], share) for at, share in shares.items())[:limit]

    def _visible(self, scope: Scope) -> list[Reflection]:
        return [one for one in self.all if one.scope in scope.visible()]


def _newest(reflections: list[Reflection], now: datetime) -> list[Reflection]:
    oldest_first = sorted(reflections, key=lambda one: one.created_at)
    return [one for one in reversed(oldest_first) if one.is_alive(now)]
