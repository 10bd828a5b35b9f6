"""The index that recall reads: the dictionary in blocks, and the memtable beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.query import MatchTally, Query, entries_read, keys, tallied
from hardwon.storage.sql import scopes
from hardwon.storage.stores.sqlite.database import marks
from hardwon.storage.stores.sqlite.inverted.memtable import Memtable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.core.values.scope import Scope
    from hardwon.storage.sql.dialect import Tenancy
    from hardwon.storage.sql.scopes import Visible
    from hardwon.storage.stores.sqlite.database import Database
    from hardwon.storage.stores.sqlite.inverted import buffer

    # Number (0: not written yet), key, holders and shelf, the rarest first.
    Terms = list[tuple[int, str, int, int]]

FRESH = 64  # most lessons in the memtable
_MOST_KEYS = 400  # SQLite allows 999 values in a query


class Index:
    """The inverted index of lessons. Additions of a transaction stay in memory until it ends."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._db = database
        self._limit = fresh
        self._fresh = Memtable(database)
        self._pending: buffer.PostingBuffer | None = None
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
        elif self._fresh.add(shelf, lesson, entries, is_new=is_new) > FRESH:
            self._gather()

    def place(self, shelf: int, lesson: int, entries: dict[str, int], *, is_highest: bool) -> None:
        """The same for a lesson that another store has numbered."""
        self._note(shelf, lesson, entries, is_new=is_highest)
        from hardwon.storage.stores.sqlite.inverted import merge

        merge.enter_text(self._db, lesson)

    def settle(self, tenancy: Tenancy, shelf: int) -> None:
        """Merge the waiting rows of all shelves. Call inside `with database:`."""
        self.settle_all()

    def settle_all(self) -> None:
        """Merge all waiting rows into the tables. Call inside `with database:`."""
        self._gather().flush()
        from hardwon.storage.stores.sqlite.inverted import merge

        merge.settle_texts(self._db)

    def __enter__(self) -> None:
        self._is_writing = True

    def __exit__(self, *_: object) -> None:
        """Drop what is in memory: it was written, or the transaction was rolled back."""
        if self._pending:
            self._pending.close()
        self._is_writing, self._pending = False, None
        self._fresh.forget()

    def _before_commit(self) -> None:
        if self._pending or self._fresh.waiting() > self._limit:
            self.settle_all()
        else:
            self._fresh.write()

    def _gather(self) -> buffer.PostingBuffer:
        """Move the memtable to the buffer."""
        if self._pending is None:
            from hardwon.storage.stores.sqlite.inverted import buffer

            self._pending = buffer.PostingBuffer(self._db)
        for waiting in self._fresh.taken():
            from hardwon.storage.stores.sqlite.inverted import merge

            merge.settle(self._db, self._pending, waiting)
        return self._pending

    def tally(self, scope: Scope, query: Query) -> tuple[Visible, MatchTally]:
        """The shelves visible from a scope, and the scores of the lessons there."""
        known = scopes.known(self._db)  # during a transaction nobody else changes a count
        if ("visible", scope) not in known:
            known["visible", scope] = scopes.visible(self._db, scope)
        visible: Visible = known["visible", scope]
        return visible, self._tally(visible, query)

    def _tally(self, visible: Visible, query: Query) -> MatchTally:
        """The scores of lessons, from postings of the query's rarest keys, within a limit."""
        query_keys = keys(query)[:_MOST_KEYS]
        self._fresh.look()
        fresh = self._fresh.postings(visible.ids, query_keys)
        pending = self._pending.added(visible.ids) if self._pending else 0
        total = visible.total + self._fresh.added(visible.ids) + pending
        terms = self._terms(visible, query_keys)
        if not terms and not fresh:  # as for most lessons of a pack
            return MatchTally(query.near, total=total)
        return tallied(
            query,
            self._postings(terms, entries_read(query, total)),
            known=[(key, holders) for _, key, holders, _ in terms],
            total=total,
            fresh=fresh,
            changed=self._fresh.lessons(),
        )

    def _terms(self, visible: Visible, query_keys: tuple[str, ...]) -> Terms:
        written = self._db.rows(
            f"SELECT id, term, holders, shelf FROM terms WHERE shelf IN ({marks(visible.ids)})"
            f" AND term IN ({marks(query_keys)}) ORDER BY holders, term, shelf",
            (*visible.ids, *query_keys),
        )
        return self._pending.amended(visible.ids, query_keys, written) if self._pending else written

    def _postings(
        self, terms: Terms, budget: int
    ) -> Iterator[tuple[str, Iterable[tuple[int, int]]]]:
        """Keys and the lessons that hold them, within the limit; rare keys in full."""
        rare: Terms = []
        for term in terms:
            if term[2] > budget:
                break
            rare.append(term)
            budget -= term[2]
        keys_by_number = {number: key for number, key, _, _ in rare}
        sql = f"SELECT term, lessons FROM postings WHERE term IN ({marks(keys_by_number)})"
        for number, block in self._db.rows(sql, tuple(keys_by_number)) if rare else ():
            yield keys_by_number[number], postings.pairs(block)
        if self._pending:
            for _, key, _, shelf in rare:
                from hardwon.storage.stores.sqlite.inverted import buffer

                yield key, self._pending.pairs(shelf, key, buffer.MOST)
        if budget and len(rare) < len(terms):
            common = terms[len(rare)]
            yield common[1], self._strongest(common, budget)

    def _strongest(self, term: tuple[int, str, int, int], limit: int) -> list[tuple[int, int]]:
        """The strongest postings of a common key, at most `limit`."""
        number, key, _, shelf = term
        pairs = postings.strongest(
            lambda most: self._db.rows(
                "SELECT lessons FROM postings WHERE term = ? ORDER BY rank, first LIMIT ?",
                (number, most),
            ),
            limit,
        )
        if self._pending and len(pairs) < limit:
            pairs += self._pending.pairs(shelf, key, limit)
        return pairs[:limit]
