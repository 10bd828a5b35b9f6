"""The embedded default: one SQLite file in the home directory, a spool beside it; or no file.

The inverted index, which recall reads, is the dictionary in blocks and the memtable beside it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from hardwon.core._fork import ForkLock
from hardwon.core.values.lesson import EPOCH, SHELVED, Lesson, statuses
from hardwon.core.values.report import ListQuery
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import RANKS
from hardwon.knowledge.ranking.query import (
    MatchTally,
    Query,
    entries_read,
    index,
    keys,
    tally_matches,
)
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, Statement, Tenancy, read_queries
from hardwon.storage.sql.dictionary import Dictionary, Places
from hardwon.storage.sql.journal import Journal, MemorySpool, Spool
from hardwon.storage.sql.lessons import LessonIndex, SqlLessons
from hardwon.storage.sql.reports import ORDERS, SqlListing, quoted_tag
from hardwon.storage.sql.rows import ALL_TEXT, COLUMNS, NAMES, damage, lesson_of, values_of
from hardwon.storage.sql.scopes import Visible
from hardwon.storage.sql.store import SqlStore
from hardwon.storage.stores import guard_file
from hardwon.storage.stores.sqlite.database import Database, connect, marks, migrate

Postings = dict[str, list[tuple[int, int]]]
Lessons = dict[int, dict[str, int]]  # the keys of each, with impacts
Terms = list[tuple[int, str, int, int]]

_SQL = read_queries(
    __file__,
    RANKS=RANKS,
    COLUMNS=COLUMNS,
    MARKS=marks(NAMES),
    ALL_TEXT=ALL_TEXT,
)
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
        self.added: Counter[int] = Counter()  # new ones of each shelf, not in the dictionary yet
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

    def _enter(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> None:
        if is_new:
            self.added[shelf] += 1
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
        total = visible.total + sum(map(self._fresh.added.__getitem__, visible.ids))
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


_FEW = 2_000  # candidates for a text: up to this many are sorted, more are read in order


class SqliteLessons(SqlLessons):
    """The lesson store of the embedded default."""

    index: Index

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._file = database
        super().__init__(database, Index(database, fresh))
        self._illegible: set[int] = set()

    def place(self, lesson: Lesson) -> None:
        """Store a lesson under the number that another store gave it.

        `index.settle_all` must follow. A lesson of the same job under another number is replaced.
        """
        db, shelf = self._file, scopes.ensure(self._file, lesson.scope)
        rows = db.rows(_SQL["by_id"], (lesson.id,))
        if lesson.job:
            rows += db.rows(_SQL["of_job"], (shelf, lesson.job))
        replaced = {row[:2] for row in rows} - {(lesson.id, shelf)}
        for number, old_shelf in replaced:
            self.delete(scopes.every(db)[old_shelf], number)
        if len(rows) > len(replaced):
            self.update(lesson)
            return
        db.run(_SQL["insert"], (lesson.id, shelf, *values_of(lesson).values()))
        self.index.place(shelf, lesson.id, index(lesson))
        if lesson.guard:
            self.publish_guards()

    def publish_guards(self) -> None:
        """Rewrite the file of forbidden calls. Call inside `with database:`."""
        if not self._file.is_file:
            return
        owners, rows = (
            scopes.every(self._file),
            self._file.rows(_SQL["guards"].format(marks(SHELVED)), SHELVED),
        )
        home = os.path.dirname(self._file.path)
        guard_file.write(home, [lesson_of(row, owners) for row in rows])

    def quarantine_damaged(self, tenant: str) -> list[str]:
        rows = self._file.rows(_SQL["bytes"])
        self._illegible = {at for at, raw in rows if raw.decode(errors="ignore").encode() != raw}
        return super().quarantine_damaged(tenant)

    def _damage(self, row: Row, owners: dict[int, Scope]) -> str:
        return "not UTF-8" if row[0] in self._illegible else damage(row, owners)


class SqliteListing(SqlListing):
    """Lists that use the index of trigrams while it names few lessons."""

    def _first_ids(self, query: ListQuery, shelves: list[int], condition: Statement) -> list[Row]:
        tenancy, (where, values) = self._db.of(query.place.tenant), condition
        few = _SQL["count"].format(where, _FEW + 1)
        if not (query.text or query.tag) or tenancy.rows(few, **values)[0][0] > _FEW:
            return super()._first_ids(query, shelves, condition._replace(sql="TRUE"))
        place, number = query.after or (float("inf"), "0")
        places = {"shelves": shelves, "statuses": statuses(query.status), "limit": query.limit}
        sql = _SQL["candidates"].format(where, ORDERS[query.order])
        wanted = {"at": place, "id": int(number), "tag": quoted_tag(query)}
        return tenancy.rows(sql, **wanted, **places, **values)


_REMEMBERED = 30 * 86_400  # seconds in which a batch may be sent again


class SqliteStore(SqlStore):
    """Everything in `<home>/hardwon.db`, or in the local copy of a server."""

    lessons: SqliteLessons

    def __init__(self, home: str, *, fresh: int = FRESH, copy_of: str = "") -> None:
        self._db, journal = self._open(home, copy_of)
        super().__init__(self._db, journal)
        self.listing: SqlListing = SqliteListing(self._db, journal)
        self.lessons = SqliteLessons(self._db, fresh)
        journal.on("made", lambda _: None)  # notes of older builds
        if self._db.was_migrated:
            with self._db:
                self.lessons.publish_guards()
                self.lessons.index.settle_all()  # now, not at the next recall

    def _open(self, home: str, copy_of: str) -> tuple[Database, Journal]:
        if copy_of:
            from hardwon.storage.stores.sqlite import mirror

            return mirror.open_copy(home, copy_of)
        database = Database(os.path.join(home, "hardwon.db"))
        spool = Spool(os.path.join(home, "deliveries.spool"))
        return database, Journal(database, spool, is_new=self._is_new)

    def tend(self) -> int:
        self.lessons.index.tend()
        return super().tend()

    def forget(self, tenant: str) -> None:
        with self._db:
            super().forget(tenant)
            self.lessons.publish_guards()

    def check(self) -> list[str]:
        self._journal.fold()
        with self._db:  # a home that was copied may lack the file
            self.lessons.publish_guards()
        messages = [row[0] for row in self._db.rows("PRAGMA quick_check(5)")]
        orphans = self._db.rows("PRAGMA foreign_key_check")
        problems = [text for text in messages if text != "ok"]
        problems += [f"orphan in {row[0]}" for row in orphans[:5]]
        if problems:
            return problems
        tenants = self._db.tenants()
        return [text for tenant in tenants for text in self.lessons.quarantine_damaged(tenant)]

    def _is_new(self, batch: str) -> bool:
        """Whether a batch of another machine was not folded in before; it is noted as such."""
        for statement in (_SQL["table_folded"], _SQL["index_folded"]):
            self._db.run(statement)
        self._db.run(_SQL["forget_folded"], (_REMEMBERED,))
        return bool(self._db.rows(_SQL["note_folded"], (batch,)))


_NO_FILE = ":memory:"
_MOST_RUNS = 1_000  # ended runs that a process remembers of a tenant
_copying = ForkLock()


class MemoryStore(SqliteStore):
    """A store that ends with the process. A forked process goes on with a copy."""

    def __init__(self) -> None:
        super().__init__("")
        self.on("ended run", self._fold_runs)

    def _open(self, home: str, copy_of: str) -> tuple[Database, Journal]:
        database = MemoryDatabase(_NO_FILE)
        journal = Journal(database, MemorySpool(lambda: journal.fold()), is_new=self._is_new)
        return database, journal

    def _fold_runs(self, records: list[list[Any]]) -> None:
        self.ended_runs.fold(records)
        for tenant in {scope[0] for scope, *_ in records}:
            self.ended_runs.prune(tenant, before=EPOCH, most=_MOST_RUNS)

    def close(self) -> None:
        """Nothing to release: the memory is freed with the last reference."""


class MemoryDatabase(Database):
    """A database that lives as long as its connection."""

    is_file = False

    def _open_to_write(self) -> None:
        self._connection = connect(self.path)
        self._owner = os.getpid()
        with _copying:
            _empty().backup(self._connection)
        self._connection.execute("UPDATE proof_salt SET salt = lower(hex(randomblob(16)))")

    def close(self) -> None:
        """Nothing: what is stored would be lost."""

    def _in_child(self) -> None:
        """Go on with the connection: there is no file that parent and child could both change."""
        self._depth, self._owner = 0, os.getpid()
        self._end(is_kept=False)


@lru_cache(maxsize=1)
def _empty() -> sqlite3.Connection:
    """A database with all tables and no rows: copying it costs a tenth of migrating again."""
    connection = connect(_NO_FILE)
    migrate(connection, _NO_FILE)
    return connection
