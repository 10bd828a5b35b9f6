"""Whether the dictionary counts what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.postgres.database import Tenancy

# What a row claims and what is held against it sum up to nothing. One pass over each table: a join
# may be planned as a loop over both, and takes the square of the time.
_TERMS = """
SELECT count(*) FROM (
    SELECT id FROM (
        SELECT id, holders AS claimed FROM hardwon.terms WHERE tenant = %(tenant)s
        UNION ALL
        SELECT term, -length(lessons) / 5 FROM hardwon.postings WHERE tenant = %(tenant)s
    ) AS counts GROUP BY id HAVING sum(claimed) <> 0
) AS wrong
"""
_ENTRIES = """
SELECT (
    SELECT coalesce(sum(length(terms) / 5), 0)::bigint FROM hardwon.indexed
    WHERE tenant = %(tenant)s
) - (
    SELECT coalesce(sum(length(lessons) / 5), 0)::bigint FROM hardwon.postings
    WHERE tenant = %(tenant)s
)
"""
_SHELVES = """
SELECT count(*) FROM (
    SELECT id FROM (
        SELECT id, active AS claimed FROM hardwon.shelves WHERE tenant = %(tenant)s
        UNION ALL
        SELECT shelf, -1 FROM hardwon.indexed WHERE tenant = %(tenant)s
    ) AS counts GROUP BY id HAVING sum(claimed) <> 0
) AS wrong
"""


def miscounted(tenancy: Tenancy) -> list[str]:
    """What is wrong with a tenant's index, in words."""
    with tenancy.database.snapshot():
        terms, entries, shelves = (
            int(tenancy.rows(sql)[0][0]) for sql in (_TERMS, _ENTRIES, _SHELVES)
        )
    problems = {
        f"{terms} keys of the index count wrongly": terms,
        f"the index lacks {entries} entries": entries,
        f"{shelves} shelves count their lessons wrongly": shelves,
    }
    return [f"tenant {tenancy.tenant!r}: {text}" for text, count in problems.items() if count]
