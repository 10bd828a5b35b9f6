"""A store for many machines: everything in PostgreSQL, a spool in the home.

Its index, which recall reads, is the dictionary in blocks and the memtable beside it.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hardwon.core import time_limits
from hardwon.core.errors import Unavailable
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import BLOCK, RANKS
from hardwon.knowledge.ranking.query import (
    LEAST_READ,
    MOST_READ,
    MatchTally,
    Query,
    keys,
    tally_matches,
)
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.connection import patient
from hardwon.storage.postgres.database import POOL, Database, Transaction
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, Statement, Tenancy, bind, read_queries
from hardwon.storage.sql.dictionary import Dictionary, Places
from hardwon.storage.sql.journal import Journal, server_spool
from hardwon.storage.sql.lessons import LessonIndex, SqlLessons
from hardwon.storage.sql.rows import COLUMNS, lesson_of
from hardwon.storage.sql.scopes import Shelf, Visible
from hardwon.storage.sql.store import SqlStore

Postings = dict[str, list[tuple[int, int]]]
Ahead = dict[tuple[object, ...], list[Row]]

_SHELF_ROW, _WAITING_ROW = -1, -2  # in the last column, which is the room for a key otherwise
_SQL = read_queries(
    __file__,
    LEAST_READ=LEAST_READ,
    MOST_READ=MOST_READ,
    SHELF_ROW=_SHELF_ROW,
    WAITING_ROW=_WAITING_ROW,
    BLOCK=BLOCK,
    RANKS=RANKS,
    COLUMNS=COLUMNS,
)
_VERSIONS = "versions"  # key of the shelves that a transaction has changed
_AHEAD = "ahead"  # key of what a transaction has read before it was asked for


def touch(transaction: Transaction, tenancy: Tenancy, shelf: int, *, active: int = 0) -> None:
    """Raise the version of a shelf, and add `active` to its count of indexed lessons.

    This is written just before the commit, so that no other writer waits for the row.
    """
    touched: dict[tuple[str, int], int] = transaction.notes.setdefault(_VERSIONS, {})
    touched[tenancy.tenant, shelf] = touched.get((tenancy.tenant, shelf), 0) + active

    def write() -> None:  # in the same order everywhere, so that transactions do not deadlock
        for (tenant, number), added in sorted(transaction.notes.pop(_VERSIONS).items()):
            tenancy.database.of(tenant).run(_SQL["raise"], shelf=number, more=added)

    transaction.before_commit(_VERSIONS, write)


def pending(transaction: Transaction | None, tenant: str, shelves: Iterable[int]) -> int:
    """How many more lessons of these shelves the open transaction has indexed."""
    touched = transaction.notes.get(_VERSIONS, {}) if transaction else {}
    return sum(touched.get((tenant, shelf), 0) for shelf in shelves)


_OWN = "fresh"  # a transaction's view of the memtable, with its own rows


class Waiting(NamedTuple):
    """The waiting rows of one shelf: by number, and the last one of each lesson."""

    version: int
    rows: dict[int, tuple[int, dict[str, int]]]
    lessons: dict[int, dict[str, int]]


_NOTHING = Waiting(-1, {}, {})


class Memtable:
    """The rows of `fresh`, read once by this process and kept up to date."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._shared: dict[int, Waiting] = {}
        self._noted: Counter[int] = Counter()  # rows that this process wrote since it merged them

    def cached(self, shelves: Iterable[int]) -> dict[int, Waiting]:
        """What this process knows of these shelves; another thread may learn more meanwhile."""
        view = self._view()
        return {shelf: view[shelf] for shelf in shelves if shelf in view}

    def look(
        self, shelves: Sequence[Shelf], fetched: Iterable[Row], cached: Mapping[int, Waiting]
    ) -> list[Waiting]:
        """The waiting rows of these shelves: what was fetched, else what was cached before.

        Those of other commits count once they raise the version.
        """
        stale = {
            shelf.id: Waiting(shelf.version, {}, {})
            for shelf in shelves
            if shelf.id not in cached or cached[shelf.id].version != shelf.version
        }
        for number, entries, lesson, shelf in sorted(fetched):
            row = cached[shelf].rows[number] if entries is None else (lesson, json.loads(entries))
            stale[shelf].rows[number] = row
            stale[shelf].lessons[lesson] = row[1]
        self._view().update(stale)
        return [stale.get(shelf.id) or cached[shelf.id] for shelf in shelves]

    def note(self, shelf: int, lesson: int, entries: dict[str, int]) -> int:
        """Let the open transaction find a row that it has just written; how many wait."""
        view = self._view()
        self._noted[shelf] += 1
        if shelf not in view:
            return self._noted[shelf]
        waiting = view[shelf]
        if waiting.lessons is self._shared.get(shelf, _NOTHING).lessons:
            waiting = view[shelf] = waiting._replace(lessons=dict(waiting.lessons))
        waiting.lessons[lesson] = entries
        return len(waiting.lessons)

    def forget(self, shelf: int) -> None:
        """Read the rows of a shelf again: they were merged."""
        self._view().pop(shelf, None)
        self._noted.pop(shelf, None)

    def _view(self) -> dict[int, Waiting]:
        """What is cached; a transaction that writes has a view of its own, with its own rows."""
        transaction = self._db.open
        if transaction is None or not transaction.is_writing:
            return self._shared
        view: dict[int, Waiting] = transaction.notes.setdefault(_OWN, dict(self._shared))
        return view


def holding(waiting: Iterable[Waiting], asked: Iterable[str]) -> Postings:
    """The waiting lessons that hold each key, with impacts."""
    by_key: Postings = {}
    asked_keys = frozenset(asked)
    for shelf in waiting:
        for lesson, entries in shelf.lessons.items():
            for key in asked_keys & entries.keys():
                by_key.setdefault(key, []).append((lesson, entries[key]))
    return by_key


_LOCK = 0x736574  # first half of the lock's key; the shelf is the second
_AT_ONCE = 4096  # rows merged together: each block is written once


def merge(tenancy: Tenancy, shelf: int) -> int:
    """Merge the waiting rows of a shelf; how many. 0 while another process merges them."""
    moved = 0
    with tenancy.database as transaction:
        if tenancy.rows(_SQL["try"], kind=_LOCK, shelf=shelf)[0][0]:
            while rows := tenancy.rows(_SQL["take"], shelf=shelf, limit=_AT_ONCE):
                added: dict[int, dict[str, int]] = {}
                changed: dict[int, dict[str, int]] = {}
                for _, lesson, entries, is_new in rows:
                    kind = added if is_new or lesson in added else changed
                    kind[lesson] = json.loads(entries)
                more = _DICTIONARY.write(tenancy, shelf, added=added, changed=changed)
                touch(transaction, tenancy, shelf, active=more)
                tenancy.run(_SQL["remove"], shelf=shelf, rows=[row[0] for row in rows])
                moved += len(rows)
    return moved


def _around(tenancy: Tenancy, places: Places) -> list[Row]:
    """The block of each term-and-rank that has room for the lesson beside it."""
    if not places:
        return []
    of_places, of_lessons = zip(*places, strict=True)
    return tenancy.rows(_SQL["around"], places=list(of_places), lessons=list(of_lessons))


_DICTIONARY = Dictionary(_around, _SQL["index"])
FRESH = 256  # waiting rows of a shelf that start a merge
_KEYS_ASKED = 400


class Index(LessonIndex):
    """The index of lessons by key. Anyone adds; one process per shelf merges."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._db = database
        self._limit = fresh
        self._memtable = Memtable(database)
        self._seen: dict[Scope, list[int]] = {}  # the shelves at the last look

    def note(
        self, tenancy: Tenancy, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool
    ) -> None:
        with self._db as transaction:
            values = {"shelf": shelf, "lesson": lesson, "is_new": is_new}
            tenancy.run(_SQL["note"], entries=json.dumps(entries), **values)
            touch(transaction, tenancy, shelf)
            waiting = self._memtable.note(shelf, lesson, entries)
            is_due = waiting > self._limit and time_limits.time_left() is None
            if is_due and not transaction.notes.get(_AHEAD):
                self.settle(tenancy, shelf)

    def touch(self, tenancy: Tenancy, shelf: int) -> None:
        with self._db as transaction:
            touch(transaction, tenancy, shelf)

    def settle(self, tenancy: Tenancy, shelf: int) -> None:
        """Merge the waiting rows of a shelf, unless another process does."""
        merge(tenancy, shelf)
        self._memtable.forget(shelf)
        if self._db.open is not None:
            self._db.open.notes.pop(_AHEAD, None)

    def settle_all(self, least: int = 1) -> int:
        """Merge the memtables with at least `least` rows; returns the number of rows."""
        return sum(
            merge(self._db.of(tenant), shelf)
            for tenant in self._db.tenants()
            for (shelf,) in self._db.of(tenant).rows(_SQL["waiting"], least=least)
        )

    def look_ahead(self, scope: Scope, queries: Sequence[Query]) -> None:
        """Read what `tally` needs for all these queries in one round trip.

        It is kept until the next call or the end of the open transaction. No rows are merged
        while some of it was not asked for.
        """
        if (transaction := self._db.open) is None or not queries:
            return
        transaction.notes.pop(_AHEAD, None)
        scopes.ensure(self._db, scope)  # a shelf added later would not be among what was read
        for shelf, waiting in self._memtable.cached(self._seen.get(scope, ())).items():
            if len(waiting.lessons) > self._limit:
                self.settle(self._db.of(scope.tenant), shelf)
        self.tally(scope, queries[0])  # so that waiting rows are read only once
        wanted = {_ahead_key(scope, query): query for query in queries}
        cached = self._memtable.cached(self._seen.get(scope, ()))
        groups = self._db.of(scope.tenant).ask(
            *(_reading(scope, query, cached) for query in wanted.values())
        )
        transaction.notes[_AHEAD] = dict(zip(wanted, groups, strict=True))

    def tally(self, scope: Scope, query: Query) -> tuple[Visible, MatchTally]:
        # One statement reads the whole index. Lessons that are newer do no harm.
        tenancy, query_keys = self._db.of(scope.tenant), list(keys(query)[:_KEYS_ASKED])
        cached = self._memtable.cached(self._seen.get(scope, ()))
        self._db.touch(scope)
        ahead: Ahead = self._db.open.notes.get(_AHEAD, {}) if self._db.open else {}
        every = ahead.pop(_ahead_key(scope, query), None) if ahead else None
        if every is None or not _is_current(every, cached):
            every = tenancy.ask(_reading(scope, query, cached))[0]
        visible = scopes.Visible(scope, sorted(r[:5] for r in every if r[6] == _SHELF_ROW))
        self._seen[scope] = visible.ids
        self._db.note_shelves(visible)
        fetched = (row[:4] for row in every if row[6] == _WAITING_ROW)
        waiting = self._memtable.look(visible.shelves, fetched, cached)
        rows = [row for row in every if row[6] >= 0]
        return visible, tally_matches(
            query,
            _read(tenancy, rows),
            known=[(term, holders) for _, term, holders, *_ in rows],
            total=visible.total + pending(self._db.open, scope.tenant, visible.ids),
            fresh=holding(waiting, query_keys),
            changed=(lesson for shelf in waiting for lesson in shelf.lessons),
        )


def _reading(scope: Scope, query: Query, cached: Mapping[int, Waiting]) -> Statement:
    """The statement that reads all that a recall needs of the index and is not cached."""
    return bind(
        _SQL["blocks"],
        keys=list(keys(query)[:_KEYS_ASKED]),
        reach=query.reach,
        agent=scope.agent,
        projects=[one.project or "" for one in scope.visible()],
        known_shelves=list(cached),
        known_versions=[waiting.version for waiting in cached.values()],
        known_rows=[number for waiting in cached.values() for number in waiting.rows],
    )


def _ahead_key(scope: Scope, query: Query) -> tuple[object, ...]:
    return scope, keys(query), query.reach


def _is_current(ahead: list[Row], cached: Mapping[int, Waiting]) -> bool:
    """Whether rows that were read ahead show the state that is cached, and not another one."""
    versions = {row[0]: row[3] for row in ahead if row[6] == _SHELF_ROW}
    is_known = versions == {shelf: waiting.version for shelf, waiting in cached.items()}
    return is_known and all(row[6] != _WAITING_ROW for row in ahead)


def _read(tenancy: Tenancy, rows: list[Row]) -> Iterator[tuple[str, Iterable[tuple[int, int]]]]:
    """Keys and the lessons that hold them; for the key at the limit the strongest."""
    cut = sorted((row[3], row[4], row) for row in rows if row[6])
    for _, term, _, _, _, block, room in rows:
        if block is not None and not room:
            yield term, postings.pairs(block)
    if cut:
        number, term, *_, room = cut[0][2]
        first = [(row[5],) for *_, row in cut]
        yield (
            term,
            postings.strongest(
                lambda most: (
                    first
                    if most == room // BLOCK + RANKS
                    else tenancy.rows(_SQL["strongest"], term=number, most=most)
                ),
                room,
            ),
        )


log = logging.getLogger("hardwon")
_FORGOTTEN = "forgotten "  # among the names of batches: the mark of a tenant follows


class PostgresStore(SqlStore):
    """Everything in one database; records of the agent's path wait in a file of the home."""

    database: Database

    def __init__(
        self,
        url: str,
        home: str,
        *,
        migrate: str = schema.AUTO,
        pool: int = POOL,
        fresh: int = FRESH,
    ) -> None:
        database = Database(
            url, pool=pool, prepare=lambda database: schema.ensure(database, migrate)
        )
        journal = Journal(
            database,
            server_spool(home, url),
            lambda batch: bool(database.rows(_SQL["due"], batch=batch)),
        )
        super().__init__(database, journal)
        self.index = Index(database, fresh)
        self.lessons = SqlLessons(database, self.index)
        try:
            database.ready()
        except Unavailable as error:  # the tables are made at first use
            log.warning("%s; lessons wait here until it answers", error)
        except BaseException:
            database.close()
            raise

    def fold(self) -> int:
        """Move records of the agents' path into the database."""
        return self._journal.fold()

    @property
    def is_told(self) -> bool:
        """Whether the database has all records of this machine."""
        return self._journal.is_empty

    def tend(self) -> int:
        return self.fold() + self.index.settle_all()

    @patient()
    def move(self, scope: Scope, target: Scope) -> None:
        super().move(scope, target)

    @patient()
    def forget(self, tenant: str) -> None:
        super().forget(tenant)

    def note_forgotten(self, mark: str) -> None:
        self.database.rows(_SQL["note_forgotten"], batch=f"{_FORGOTTEN}{mark}")

    def forgotten(self) -> dict[str, float]:
        rows = self.database.rows(_SQL["forgotten"], batch=f"{_FORGOTTEN}%")
        return {batch.removeprefix(_FORGOTTEN): at for batch, at in rows}

    @patient()
    def check(self) -> list[str]:
        self.fold()
        return [
            problem
            for tenant in self.database.tenants()
            for problem in (
                *find_miscounts(self.database.of(tenant)),
                *self.lessons.quarantine_damaged(tenant),
            )
        ]


def find_miscounts(tenancy: Tenancy) -> list[str]:
    """Problems of a tenant's index, in words."""
    with tenancy.database.snapshot():
        terms, entries, shelves = (
            int(tenancy.rows(sql)[0][0])
            for sql in (_SQL["terms"], _SQL["entries"], _SQL["shelves"])
        )
    problems = {
        f"{terms} keys of the index have wrong counts": terms,
        f"the index lacks {entries} entries": entries,
        f"{shelves} shelves have a wrong count of lessons": shelves,
    }
    return [f"tenant {tenancy.tenant!r}: {text}" for text, count in problems.items() if count]


class ShelfReader:
    """Reads whole shelves, part by part; changes meanwhile are read the next time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def salt(self) -> str:
        """The salt of the hold-out, shared by all machines."""
        return str(self._db.rows(_SQL["salt"])[0][0])

    def states(self, scopes: Sequence[Scope]) -> dict[Scope, int]:
        """The version of each scope, raised by every change of a lesson."""
        states = dict.fromkeys(scopes, 0)
        agents = list({scope.agent for scope in scopes})
        projects = list({scope.project or "" for scope in scopes})
        for tenant in {scope.tenant for scope in scopes}:
            values = {"agents": agents, "projects": projects}
            for agent, project, version in self._db.of(tenant).rows(_SQL["states"], **values):
                scope = Scope(tenant, agent, project or None)
                if scope in states:
                    states[scope] = version
        return states

    def marks(self, scope: Scope) -> dict[int, int]:
        """A mark for every lesson of the scope, which changes with the lesson."""
        return dict(self._rows(_SQL["marks"], scope))

    def lessons(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        """These lessons, without those that are gone."""
        rows = self._rows(_SQL["lessons"], scope, ids=list(numbers))
        return [lesson_of(row, {row[1]: scope}) for row in rows]

    def vectors(
        self, scope: Scope, *, after: int, lessons: Sequence[int]
    ) -> list[tuple[int, int, str, bytes]]:
        """The vectors with a number over `after`, and those of these lessons."""
        rows = self._rows(_SQL["vectors"], scope, after=after, lessons=list(lessons))
        return [(number, lesson, name, bytes(vector)) for number, lesson, name, vector in rows]

    def share(self, tenant: str) -> float | None:
        """The share of runs from which lessons are withheld, if the proof has set one."""
        row = self._db.of(tenant).row(_SQL["share"])
        return float(row[0]) if row else None

    def _rows(self, sql: str, scope: Scope, **values: object) -> list[Row]:
        place = {"agent": scope.agent, "project": scope.project or ""}
        return self._db.of(scope.tenant).rows(sql, **place, **values)
