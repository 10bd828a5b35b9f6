"""The version of a shelf: raised by every change of a lesson on it, in the same commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.storage.postgres.database import Transaction
    from hardwon.storage.sql.dialect import Tenancy

_NOTE = "versions"
_RAISE = """
UPDATE hardwon.shelves SET version = version + 1, active = active + :more
WHERE tenant = :tenant AND id = :shelf
"""


def touch(transaction: Transaction, tenancy: Tenancy, shelf: int, *, active: int = 0) -> None:
    """Raise the version of a shelf, and add `active` to its count of indexed lessons.

    This is written just before the commit, so that no other writer waits for the row.
    """
    touched: dict[tuple[str, int], int] = transaction.notes.setdefault(_NOTE, {})
    touched[tenancy.tenant, shelf] = touched.get((tenancy.tenant, shelf), 0) + active
    transaction.before_commit(_NOTE, lambda: _write(transaction, tenancy))


def pending(transaction: Transaction | None, tenant: str, shelves: Iterable[int]) -> int:
    """How many more lessons of these shelves the open transaction has indexed."""
    touched = transaction.notes.get(_NOTE, {}) if transaction else {}
    return sum(touched.get((tenant, shelf), 0) for shelf in shelves)


def _write(transaction: Transaction, tenancy: Tenancy) -> None:
    """Write all versions in the same order, so that transactions do not deadlock."""
    for (tenant, shelf), added in sorted(transaction.notes.pop(_NOTE).items()):
        tenancy.database.of(tenant).run(_RAISE, shelf=shelf, more=added)
