"""Whether the dictionary counts what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.postgres.database import Tenancy

_TERMS = """
SELECT count(*) FROM hardwon.terms AS t LEFT JOIN (
    SELECT term, sum(length(lessons) / 5)::bigint AS held FROM hardwon.postings
    WHERE tenant = %(tenant)s GROUP BY term
) AS p ON p.term = t.id
WHERE t.tenant = %(tenant)s AND t.holders <> coalesce(p.held, 0)
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
SELECT count(*) FROM hardwon.shelves AS s WHERE tenant = %(tenant)s AND active <> (
    SELECT count(*) FROM hardwon.indexed AS i WHERE i.tenant = s.tenant AND i.shelf = s.id
)
"""


def miscounted(tenancy: Tenancy) -> list[str]:
    """What is wrong with a tenant's index, in words."""
    with tenancy.database.snapshot():
        terms, entries, shelves = (
            int(tenancy.rows(sql)[0][0]) for sql in (_TERMS, _ENTRIES, _SHELVES)
        )
    found = {
        f"{terms} keys of the index count wrongly": terms,
        f"the index lacks {entries} entries": entries,
        f"{shelves} shelves count their lessons wrongly": shelves,
    }
    return [f"tenant {tenancy.tenant!r}: {text}" for text, count in found.items() if count]
