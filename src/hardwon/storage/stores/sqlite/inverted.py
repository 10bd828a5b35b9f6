"""The inverted index that recall reads: the dictionary in blocks, and the memtable beside it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager

from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import RANKS
from hardwon.knowledge.ranking.query import MatchTally, Query, entries_read, keys, tally_matches
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, Tenancy, read_queries
from hardwon.storage.sql.dictionary import Dictionary, Places
from hardwon.storage.sql.lessons import LessonIndex
from hardwon.storage.sql.scopes import Visible
from hardwon.storage.stores.sqlite.database import Database, marks

Postings = dict[str, list[tuple[int, int]]]
Lessons = dict[int, dict[str, int]]  # the keys of each, with impacts
Terms = list[tuple[int, str, int, int]]

_SQL = read_queries(__file__, RANKS=RANKS)
_MANY = 1000  # lessons for whose merge the page cache is enlarged
_ROOM, _USUAL_ROOM = -128_000, -2000  # SQLite's page cache, in KiB as a negative number


class Memtable:
    """Keys of lessons that are not in the dictionary yet.

    They are the rows of `fresh`, read once by this process and kept up to date, and what the open
    transaction has added.
    """

    def __init__(self, database: Database) -> None:
        self._db = database
        self._base = 0, 0  # transactions undone, and the first row: another one means a new start
        self._last = -1  # the last row that was read or written
        self._seen = -1, -1  # the changes by others and the undone ones that `look` has seen
        self._unwritten: list[tuple[int, int, bool, dict[str, int]]] = []
        self._clear()

    def _clear(self) -> None:
        self.lessons: dict[int, tuple[int, dict[str, int]]] = {}  # with their shelves
        self.changed = set[int]()  # those that may be in the dictionary with other keys
        self._holders: defaultdict[str, list[int]] = defaultdict(list)  # also former holders
        self._added: Counter[int] = Counter()  # new ones of each shelf
        self._unwritten.clear()

    def add(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> None:
        """Set the keys of a lesson, in the open transaction."""
        self.look()
        self._unwritten.append((shelf, lesson, is_new, entries))
        self._enter(shelf, lesson, entries, is_new=is_new)

    def write(self) -> None:
        """Write what the open transaction has added as rows."""
        for shelf, lesson, is_new, entries in self._unwritten:
            self._last = self._db.run(_SQL["add"], (shelf, lesson, is_new, json.dumps(entries)))
            if not self._base[1]:  # there was none
                self._base = self._db.undone, self._last
        self._unwritten.clear()

    def remove(self) -> None:
        """Remove all rows: they were merged."""
        self._db.run(_SQL["clear"])
        self._base, self._last = (self._db.undone, 0), -1
        self._clear()

    def unwritten(self) -> int:
        """How many notes the open transaction has added."""
        if self._unwritten:
            self.look()  # they may be those of a transaction that was undone
        return len(self._unwritten)

    def waiting(self) -> int:
        """How many notes wait."""
        self.look()
        return len(self._unwritten) + self._last - self._base[1] + 1

    def look(self) -> None:
        """Read the changes since the last call. Call inside a transaction or snapshot."""
        seen = self._db.changed, self._db.undone
        if self._seen == seen:
            return
        self._seen = seen
        first, last = self._db.rows(_SQL["span"])[0]
        base, newest = (self._db.undone, first or 0), last or -1
        if base != self._base or newest < self._last:
            self._base, self._last = base, base[1] - 1
            self._clear()
        if newest > self._last:
            for shelf, lesson, is_new, entries in self._db.rows(_SQL["later"], (self._last,)):
                self._enter(shelf, lesson, json.loads(entries), is_new=is_new)
            self._last = newest

    def held(
        self, shelves: Iterable[int], query_keys: tuple[str, ...]
    ) -> tuple[Postings, Postings]:
        """Which lessons of these shelves hold each key, with impacts: new and changed ones."""
        by_key: tuple[Postings, Postings] = {}, {}
        visible = frozenset(shelves)
        for key in filter(self._holders.__contains__, dict.fromkeys(query_keys)):
            for lesson in dict.fromkeys(self._holders[key]):
                shelf, entries = self.lessons[lesson]
                if shelf in visible and key in entries:
                    pairs = by_key[lesson in self.changed].setdefault(key, [])
                    pairs.append((lesson, entries[key]))
        return by_key

    def count_added(self, shelves: Iterable[int]) -> int:
        """How many lessons of these shelves are not counted in the dictionary yet."""
        return sum(self._added[shelf] for shelf in shelves)

    def _enter(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> None:
        if is_new:
            self._added[shelf] += 1
        elif lesson not in self.lessons:
            self.changed.add(lesson)
        self.lessons[lesson] = shelf, entries
        holders = self._holders
        for key in entries:
            holders[key].append(lesson)


FRESH = 512  # waiting lessons that a writer merges; usually a worker has done it before
_TENDED = 64  # waiting lessons that a worker merges, and a transaction that has added more
_MOST_ADDED = 8_000  # lessons that a transaction keeps in memory; about 100 megabytes
_NEW = 0  # stands for the number of a key that new lessons hold
_MOST_KEYS = 400  # SQLite allows 999 values in a query


class Index(LessonIndex):
    """The inverted index of lessons. Additions of a transaction stay in memory until it ends."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._db = database
        self._limit = fresh
        self._fresh = Memtable(database)
        database.before_commit = self._before_commit

    def snapshot(self) -> AbstractContextManager[None]:
        return self._db.snapshot()

    def note(
        self, tenancy: Tenancy, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool
    ) -> None:
        self._fresh.add(shelf, lesson, entries, is_new=is_new)
        if self._fresh.unwritten() > _MOST_ADDED:
            self._merge()

    def place(self, shelf: int, lesson: int, entries: dict[str, int]) -> None:
        """Set the keys of a new lesson that another store has numbered."""
        self._fresh.add(shelf, lesson, entries, is_new=True)
        self._db.run(_SQL["add_text"], (lesson,))

    def settle(self, tenancy: Tenancy, shelf: int) -> None:
        self.settle_all()

    def settle_all(self) -> None:
        """Merge all waiting rows into the tables. Call inside `with database:`."""
        self._merge()
        self._db.run(_SQL["add_texts"])
        self._db.run(_SQL["note_reach"])

    def tend(self) -> None:
        """Merge the waiting rows if they are many, so that no writer has to."""
        with self._db.snapshot():
            is_long = self._fresh.waiting() > _TENDED
        if is_long:
            with self._db:
                self.settle_all()

    def _before_commit(self) -> None:
        if added := self._fresh.unwritten():
            if added > _TENDED or self._fresh.waiting() > self._limit:
                self.settle_all()
            else:
                self._fresh.write()

    def _merge(self) -> None:
        """Merge the memtable into the dictionary, each table in its own order."""
        self._fresh.look()
        by_shelf: defaultdict[int, tuple[Lessons, Lessons]] = defaultdict(lambda: ({}, {}))
        tenancy = self._db.of("")  # the tables name no tenant
        for lesson, (shelf, entries) in sorted(self._fresh.lessons.items()):
            by_shelf[shelf][lesson in self._fresh.changed][lesson] = entries
        if is_large := len(self._fresh.lessons) > _MANY:
            self._db.rows(f"PRAGMA cache_size = {_ROOM}")
        try:
            for shelf, (added, changed) in by_shelf.items():
                more = _DICTIONARY.write(tenancy, shelf, added=added, changed=changed)
                self._db.run(_SQL["count_lessons"], (more, shelf))
                scopes.forget_notes(self._db)
        finally:
            if is_large:
                self._db.rows(f"PRAGMA cache_size = {_USUAL_ROOM}")
        self._fresh.remove()

    def tally(self, scope: Scope, query: Query) -> tuple[Visible, MatchTally]:
        known = self._db.shelf_notes
        if ("visible", scope) not in known:
            known["visible", scope] = scopes.visible(self._db, scope)
        visible: Visible = known["visible", scope]
        query_keys = keys(query)[:_MOST_KEYS]
        self._fresh.look()
        new, changed = self._fresh.held(visible.ids, query_keys)
        total = visible.total + self._fresh.count_added(visible.ids)
        budget = entries_read(query, total)
        terms, blocks = self._terms(visible, query_keys, budget)
        if not (terms or changed or new):  # as for most lessons of a pack
            return visible, MatchTally(query.near, total=total)
        if new:
            terms += ((_NEW, key, len(pairs), 0) for key, pairs in new.items())
            terms.sort(key=lambda term: (term[2], term[1], term[3]))
        return visible, tally_matches(
            query,
            self._postings(terms, blocks, new, budget),
            known=[(key, holders) for _, key, holders, _ in terms],
            total=total,
            fresh=changed,
            changed=self._fresh.changed,
        )

    def _terms(
        self, visible: Visible, query_keys: tuple[str, ...], budget: int
    ) -> tuple[Terms, dict[int, list[bytes]]]:
        """The terms of the keys, the rarest first, and the blocks of the rare ones."""
        few = budget // max(1, len(query_keys))  # all of these together are within the limit
        rows = self._db.rows(
            _SQL["terms"].format(marks(visible.ids), marks(query_keys)),
            (few, *visible.ids, *query_keys),
        )
        blocks: dict[int, list[bytes]] = {}
        for number, *_, block in rows:
            if block is not None:
                blocks.setdefault(number, []).append(block)
        return list(dict.fromkeys(row[:4] for row in rows)), blocks

    def _postings(
        self, terms: Terms, blocks: dict[int, list[bytes]], new: Postings, budget: int
    ) -> Iterator[tuple[str, Iterable[tuple[int, int]]]]:
        """Keys and the lessons that hold them, within the limit; rare keys in full."""
        rare: Terms = []
        for term in terms:
            if term[2] > budget:
                break
            rare.append(term)
            budget -= term[2]
        unread = {number: key for number, key, _, _ in rare if number not in blocks}
        unread.pop(_NEW, None)
        sql = _SQL["postings"].format(marks(unread))
        for number, block in self._db.rows(sql, tuple(unread)) if unread else ():
            yield unread[number], postings.pairs(block)
        for number, key, _, _ in rare:
            if number == _NEW:
                yield key, new[key]
            for block in blocks.get(number, ()):
                yield key, postings.pairs(block)
        if budget and len(rare) < len(terms):
            number, key, _, _ = terms[len(rare)]
            if number == _NEW:
                yield key, new[key][:budget]
                return

            def read(most: int) -> list[tuple[bytes]]:
                return self._db.rows(_SQL["strongest"], (number, most))

            yield key, postings.strongest(read, budget)


def _around(tenancy: Tenancy, places: Places) -> list[Row]:
    """The block of each term-and-rank that has room for the lesson beside it."""
    targets = json.dumps([at << 32 | lesson for at, lesson in places])
    rows = tenancy.rows(_SQL["around"], targets=targets)
    return [(place >> 32, place & 0xFFFFFFFF, *block) for place, *block in rows]


_DICTIONARY = Dictionary(_around, _SQL["index"])
