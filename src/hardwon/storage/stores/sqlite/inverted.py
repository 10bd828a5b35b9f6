"""The inverted index that recall reads: the dictionary in blocks, and the memtable beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.query import MatchTally, Query, entries_read, keys, tally_matches
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import read_queries
from hardwon.storage.stores.sqlite import merge
from hardwon.storage.stores.sqlite.database import marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.core.values.scope import Scope
    from hardwon.storage.sql.dialect import Tenancy
    from hardwon.storage.sql.scopes import Visible
    from hardwon.storage.stores.sqlite.database import Database

    Postings = dict[str, list[tuple[int, int]]]
    Waiting = tuple[int, int, bool, dict[str, int]]  # shelf, lesson, whether it is new, its keys
    Terms = list[tuple[int, str, int, int]]

_SQL = read_queries(__file__)
_AT_ONCE = 512  # rows moved together


class Memtable:
    """The rows of `fresh`, read once by this process and kept up to date."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._base = 0, 0  # transactions undone, and the first row: another one means a new start
        self._last = 0  # the last row that was read
        self._entries: dict[int, tuple[int, dict[str, int]]] = {}  # by lesson: shelf, impacts
        self._holders: dict[str, dict[int, int]] = {}  # by key: lessons and impacts
        self._added: dict[int, int] = {}  # lessons not counted in the dictionary yet, by shelf
        self._unwritten: list[Waiting] = []  # rows of the open transaction
        self._seen = -1, -1  # the changes by others and the undone ones that `look` has seen
        self._own_entries: dict[int, tuple[int, dict[str, int]]] = {}
        self._own_added: dict[int, int] = {}

    def add(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> int:
        """Set the keys of a lesson; returns the number of notes of this transaction."""
        self._unwritten.append((shelf, lesson, is_new, entries))
        self._own_entries[lesson] = shelf, entries
        self._own_added[shelf] = self._own_added.get(shelf, 0) + is_new
        return len(self._unwritten)

    def write(self) -> None:
        """Write the notes of this transaction as rows. Call inside `with database:`."""
        self.look()
        for shelf, lesson, is_new, entries in self._unwritten:
            row = shelf, lesson, is_new, json.dumps(entries)
            self._last = self._db.run(_SQL["add"], row)
            if not self._base[1]:
                self._base = self._db.undone, self._last
            self._enter(shelf, lesson, entries, is_new=is_new)
        self._drop_unwritten()

    def forget(self) -> None:
        """Drop the unwritten notes; the rows may have changed."""
        self._seen = -1, -1
        self._drop_unwritten()

    def _drop_unwritten(self) -> None:
        self._unwritten.clear()
        self._own_entries.clear()
        self._own_added.clear()

    @property
    def has_unwritten(self) -> bool:
        """Whether notes of this transaction were not written."""
        return bool(self._unwritten)

    def take_all(self) -> Iterator[list[Waiting]]:
        """Take all waiting rows, oldest first, in batches; they are removed."""
        while rows := self._db.rows(_SQL["oldest"], (_AT_ONCE,)):
            yield [(*row, json.loads(entries)) for *row, entries, _ in rows]
            self._db.run(_SQL["remove"], (rows[-1][-1],))
        if self._unwritten:
            yield self._unwritten
        self.forget()

    def waiting(self) -> int:
        """How many notes wait."""
        self.look()
        return len(self._unwritten) + (self._last - self._base[1] + 1 if self._last else 0)

    def look(self) -> None:
        """Read the changes since the last call. Call inside a transaction or snapshot."""
        seen = self._db.changed, self._db.undone
        if self._seen == seen:
            return
        self._seen = seen
        first, last = self._db.rows(_SQL["span"])[0]
        base, newest = (self._db.undone, first or 0), last or 0
        if base != self._base or newest < self._last:
            self._base, self._last = base, 0
            self._entries.clear()
            self._holders.clear()
            self._added.clear()
        if newest > self._last:
            self._read(self._last)
            self._last = newest

    def postings(self, shelves: Iterable[int], query_keys: tuple[str, ...]) -> Postings:
        """The lessons of these shelves that hold each key, with impacts."""
        by_key: Postings = {}
        distinct, visible = dict.fromkeys(query_keys), frozenset(shelves)
        for key in filter(self._holders.__contains__, distinct):
            pairs = [
                (lesson, impact)
                for lesson, impact in self._holders[key].items()
                if self._entries[lesson][0] in visible and lesson not in self._own_entries
            ]
            if pairs:
                by_key[key] = pairs
        has_none = distinct.keys().isdisjoint
        for lesson, (shelf, entries) in self._own_entries.items():
            if shelf in visible and not has_none(entries.keys()):
                for key in filter(entries.__contains__, distinct):
                    by_key.setdefault(key, []).append((lesson, entries[key]))
        return by_key

    def count_added(self, shelves: Iterable[int]) -> int:
        """How many lessons of these shelves are not counted in the dictionary yet."""
        return sum(self._added.get(shelf, 0) + self._own_added.get(shelf, 0) for shelf in shelves)

    def lessons(self) -> Iterable[int]:
        """Lessons whose postings in the dictionary may be outdated."""
        return self._entries | self._own_entries if self._own_entries else self._entries

    def _enter(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> None:
        """Set the keys of a lesson whose row is written."""
        _, before = self._entries.get(lesson, (shelf, {}))
        for key in before:
            del self._holders[key][lesson]
        self._entries[lesson] = shelf, entries
        self._added[shelf] = self._added.get(shelf, 0) + is_new
        for key, impact in entries.items():
            self._holders.setdefault(key, {})[lesson] = impact

    def _read(self, after: int) -> None:
        rows = self._db.rows(_SQL["later"], (after,))
        for shelf, lesson, is_new, entries in rows:
            self._enter(shelf, lesson, json.loads(entries), is_new=is_new)


FRESH = 512  # waiting lessons that a writer merges; usually a worker has done it before
_TENDED = 64  # waiting lessons that a worker merges, and those of one transaction that are gathered
_MOST_KEYS = 400  # SQLite allows 999 values in a query


class Index:
    """The inverted index of lessons. Additions of a transaction stay in memory until it ends."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._db = database
        self._limit = fresh
        self._fresh = Memtable(database)
        self.snapshot = database.snapshot
        self._pending: merge.PostingBuffer | None = None
        self._is_writing = False
        database.before_commit = self._before_commit

    def note(
        self, tenancy: Tenancy, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool
    ) -> None:
        """Set the keys by which a lesson is found. Call inside `with database:`."""
        self._note(shelf, lesson, entries, is_new=is_new)

    def touch(self, tenancy: Tenancy, shelf: int) -> None:
        """Nothing: only the keys of a lesson are kept in memory."""

    def _note(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> None:
        if not self._is_writing:
            self._db.hold(self)
        if self._pending and is_new:
            self._pending.add(shelf, lesson, entries)
        elif self._fresh.add(shelf, lesson, entries, is_new=is_new) > _TENDED:
            self._gather()

    def place(self, shelf: int, lesson: int, entries: dict[str, int], *, is_highest: bool) -> None:
        """The same for a lesson that another store has numbered."""
        self._note(shelf, lesson, entries, is_new=is_highest)
        merge.enter_text(self._db, lesson)

    def settle(self, tenancy: Tenancy, shelf: int) -> None:
        """Merge the waiting rows of all shelves. Call inside `with database:`."""
        self.settle_all()

    def settle_all(self) -> None:
        """Merge all waiting rows into the tables. Call inside `with database:`."""
        if not self._is_writing:
            self._db.hold(self)
        self._gather().flush()
        merge.settle_texts(self._db)

    def tend(self) -> None:
        """Merge the waiting rows if they are many, so that no writer has to."""
        with self._db.snapshot():
            is_long = self._fresh.waiting() > _TENDED
        if is_long:
            with self._db:
                self.settle_all()

    def __enter__(self) -> None:
        self._is_writing = True

    def __exit__(self, *_: object) -> None:
        """Drop what is in memory: it was written, or the transaction was rolled back."""
        if self._pending:
            self._pending.close()
        if self._pending or self._fresh.has_unwritten:
            self._fresh.forget()
        self._is_writing, self._pending = False, None

    def _before_commit(self) -> None:
        if not self._is_writing:
            return
        if self._pending or self._fresh.waiting() > self._limit:
            self.settle_all()
        else:
            self._fresh.write()

    def _gather(self) -> merge.PostingBuffer:
        """Move the memtable to the buffer."""
        if self._pending is None:
            self._pending = merge.PostingBuffer(self._db)
        for waiting in self._fresh.take_all():
            merge.settle(self._db, self._pending, waiting)
        return self._pending

    def tally(self, scope: Scope, query: Query) -> tuple[Visible, MatchTally]:
        """The shelves visible from a scope, and the scores of the lessons there."""
        known = scopes.shelf_notes(self._db)
        if ("visible", scope) not in known:
            known["visible", scope] = scopes.visible(self._db, scope)
        visible: Visible = known["visible", scope]
        return visible, self._tally(visible, query)

    def _tally(self, visible: Visible, query: Query) -> MatchTally:
        """The scores of lessons, from postings of the query's rarest keys, within a limit."""
        query_keys = keys(query)[:_MOST_KEYS]
        self._fresh.look()
        fresh = self._fresh.postings(visible.ids, query_keys)
        pending = self._pending.count_added(visible.ids) if self._pending else 0
        total = visible.total + self._fresh.count_added(visible.ids) + pending
        budget = entries_read(query, total)
        terms, blocks = self._terms(visible, query_keys, budget)
        if not terms and not fresh:  # as for most lessons of a pack
            return MatchTally(query.near, total=total)
        return tally_matches(
            query,
            self._postings(terms, blocks, budget),
            known=[(key, holders) for _, key, holders, _ in terms],
            total=total,
            fresh=fresh,
            changed=self._fresh.lessons(),
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
        written: Terms = list(dict.fromkeys(row[:4] for row in rows))
        if self._pending:
            written = self._pending.add_pending(visible.ids, query_keys, written)
        return written, blocks

    def _postings(
        self, terms: Terms, blocks: dict[int, list[bytes]], budget: int
    ) -> Iterator[tuple[str, Iterable[tuple[int, int]]]]:
        """Keys and the lessons that hold them, within the limit; rare keys in full."""
        rare: Terms = []
        for term in terms:
            if term[2] > budget:
                break
            rare.append(term)
            budget -= term[2]
        unread = {number: key for number, key, _, _ in rare if number not in blocks}
        sql = _SQL["postings"].format(marks(unread))
        for number, block in self._db.rows(sql, tuple(unread)) if unread else ():
            yield unread[number], postings.pairs(block)
        for number, key, _, _ in rare:
            for block in blocks.get(number, ()):
                yield key, postings.pairs(block)
        if self._pending:
            for _, key, _, shelf in rare:
                yield key, self._pending.pairs(shelf, key, merge.MOST)
        if budget and len(rare) < len(terms):
            common = terms[len(rare)]
            yield common[1], self._strongest(common, budget)

    def _strongest(self, term: tuple[int, str, int, int], limit: int) -> list[tuple[int, int]]:
        """The strongest postings of a common key, at most `limit`."""
        number, key, _, shelf = term
        pairs = postings.strongest(
            lambda most: self._db.rows(
                _SQL["strongest"],
                (number, most),
            ),
            limit,
        )
        if self._pending and len(pairs) < limit:
            pairs += self._pending.pairs(shelf, key, limit)
        return pairs[:limit]
