"""The index that recall reads: the dictionary in blocks, and the memtable beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core import time_limits
from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import BLOCK, RANKS
from hardwon.knowledge.ranking.query import LEAST_READ, MOST_READ, MatchTally, Query, keys, tallied
from hardwon.storage.postgres.database import uncounted
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Statement
from hardwon.storage.stores.postgres import versions
from hardwon.storage.stores.postgres.memtable import Memtable, holding, packed
from hardwon.storage.stores.postgres.merge import merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database
    from hardwon.storage.sql.dialect import Row, Tenancy
    from hardwon.storage.sql.scopes import Visible

FRESH = 256  # waiting rows of a shelf that start a merge
_KEYS_ASKED = 400
_NOTE = """
WITH noted AS (
    INSERT INTO hardwon.fresh (tenant, shelf, lesson, is_new, entries)
    VALUES (:tenant, :shelf, :lesson, :is_new, :entries)
)
SELECT count(*) FROM hardwon.fresh WHERE tenant = :tenant AND shelf = :shelf
"""
# Keys from the rarest, with running sums of their holders: keys within the limit are read whole;
# of the first key beyond it, only the strongest blocks.
_BLOCKS = f"""
WITH seen AS MATERIALIZED (
    SELECT id, active FROM hardwon.shelves
    WHERE tenant = :tenant AND agent_id = :agent AND project = ANY(:projects::text[])
),
total AS MATERIALIZED (
    SELECT coalesce(sum(active), 0) + (
        SELECT count(*) FROM hardwon.fresh
        WHERE tenant = :tenant AND shelf IN (SELECT id FROM seen) AND is_new
    ) AS n FROM seen
),
most AS MATERIALIZED (
    SELECT CASE WHEN :reach > 0 THEN :reach ELSE
        greatest({LEAST_READ}, least({MOST_READ}, 3 * floor(sqrt(n::double precision))::int))
    END AS n FROM total
),
known AS MATERIALIZED (
    SELECT id, term, holders, sum(holders) OVER (
        ORDER BY holders, term, shelf ROWS UNBOUNDED PRECEDING
    ) AS upto
    FROM hardwon.terms
    WHERE tenant = :tenant AND shelf IN (SELECT id FROM seen)
    AND term = {uncounted("keys", "text")}
),
cut AS MATERIALIZED (
    SELECT k.id, k.term, (most.n - (k.upto - k.holders))::int AS room
    FROM known AS k, most WHERE k.upto > most.n ORDER BY k.upto LIMIT 1
)
SELECT id, term, holders, 0, 0, NULL::bytea, 0 FROM known
UNION ALL
SELECT k.id, k.term, 0, p.rank::int, p.first, p.lessons, 0
FROM most, known AS k JOIN hardwon.postings AS p ON p.tenant = :tenant AND p.term = k.id
WHERE k.upto <= most.n
UNION ALL
SELECT c.id, c.term, 0, p.rank::int, p.first, p.lessons, c.room FROM cut AS c, LATERAL (
    SELECT rank, first, lessons FROM hardwon.postings
    WHERE tenant = :tenant AND term = c.id AND c.room > 0
    ORDER BY rank, first LIMIT c.room / {BLOCK} + {RANKS}
) AS p
"""
_STRONGEST = """
SELECT lessons FROM hardwon.postings WHERE tenant = :tenant AND term = :term
ORDER BY rank, first LIMIT :most
"""
_WAITING = """
SELECT shelf FROM hardwon.fresh WHERE tenant = :tenant
GROUP BY shelf HAVING count(*) >= :least ORDER BY shelf
"""


class Index:
    """The index of lessons by key. Anyone adds; one process per shelf merges."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._db = database
        self._limit = fresh
        self._memtable = Memtable(database)

    def note(
        self, tenancy: Tenancy, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool
    ) -> None:
        """Set the keys by which a lesson is found."""
        with self._db as transaction:
            values = {"shelf": shelf, "lesson": lesson, "is_new": is_new}
            (count,) = tenancy.rows(_NOTE, entries=packed(entries), **values)[0]
            versions.touch(transaction, tenancy, shelf)
            if count >= self._limit and time_limits.left() is None:
                merge(tenancy, shelf)

    def touch(self, tenancy: Tenancy, shelf: int) -> None:
        """Raise the version of a shelf: a lesson there has changed."""
        with self._db as transaction:
            versions.touch(transaction, tenancy, shelf)

    def settle(self, tenancy: Tenancy, shelf: int) -> None:
        """Merge the waiting rows of a shelf, unless another process does."""
        merge(tenancy, shelf)

    def settle_all(self, least: int = 1) -> int:
        """Merge the memtables with at least `least` rows; returns the number of rows."""
        return sum(
            merge(self._db.of(tenant), shelf)
            for tenant in self._db.tenants()
            for (shelf,) in self._db.of(tenant).rows(_WAITING, least=least)
        )

    def tally(self, scope: Scope, query: Query) -> tuple[Visible, MatchTally]:
        """The shelves visible from a scope, and the scores of each lesson there."""
        tenancy, query_keys = self._db.of(scope.tenant), list(keys(query)[:_KEYS_ASKED])
        shelves = scopes.asked(self._db, scope)
        values = {**shelves.values, "keys": query_keys, "reach": query.reach}
        self._db.touch(scope)
        shelf_rows, rows = tenancy.ask(shelves, Statement(_BLOCKS, values))
        visible = scopes.Visible(scope, shelf_rows)
        waiting = self._memtable.look(tenancy, visible.shelves)
        return visible, tallied(
            query,
            _read(tenancy, rows),
            known=[(term, holders) for _, term, holders, *_ in rows],
            total=visible.total + versions.pending(self._db.open, scope.tenant, visible.ids),
            fresh=holding(waiting, query_keys),
            changed=(lesson for shelf in waiting for lesson in shelf.lessons),
        )


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
                    else tenancy.rows(_STRONGEST, term=number, most=most)
                ),
                room,
            ),
        )
