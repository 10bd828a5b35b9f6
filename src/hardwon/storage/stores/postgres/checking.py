"""Check that the counts in the index are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.storage.sql.dialect import Tenancy

# Stored counts minus actual counts must be 0. One pass over each table: a join may be planned as
# a nested loop and take quadratic time.
_TERMS = """
SELECT count(*) FROM (
    SELECT id FROM (
        SELECT id, holders AS claimed FROM hardwon.terms WHERE tenant = :tenant
        UNION ALL
        SELECT term, -length(lessons) / 5 FROM hardwon.postings WHERE tenant = :tenant
    ) AS counts GROUP BY id HAVING sum(claimed) <> 0
) AS wrong
"""
_ENTRIES = """
SELECT (
    SELECT coalesce(sum(length(terms) / 5), 0)::bigint FROM hardwon.indexed
    WHERE tenant = :tenant
) - (
    SELECT coalesce(sum(length(lessons) / 5), 0)::bigint FROM hardwon.postings
    WHERE tenant = :tenant
)
"""
_SHELVES = """
SELECT count(*) FROM (
    SELECT id FROM (
        SELECT id, active AS claimed FROM hardwon.shelves WHERE tenant = :tenant
        UNION ALL
        SELECT shelf, -1 FROM hardwon.indexed WHERE tenant = :tenant
    ) AS counts GROUP BY id HAVING sum(claimed) <> 0
) AS wrong
"""


def find_miscounts(tenancy: Tenancy) -> list[str]:
    """Problems of a tenant's index, in words."""
    with tenancy.database.snapshot():
        terms, entries, shelves = (
            int(tenancy.rows(sql)[0][0]) for sql in (_TERMS, _ENTRIES, _SHELVES)
        )
    problems = {
        f"{terms} keys of the index have wrong counts": terms,
        f"the index lacks {entries} entries": entries,
        f"{shelves} shelves have a wrong count of lessons": shelves,
    }
    return [f"tenant {tenancy.tenant!r}: {text}" for text, count in problems.items() if count]
