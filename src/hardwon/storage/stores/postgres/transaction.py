"""Several calls as one transaction that locks the scopes it touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.storage.stores.postgres import scopes

if TYPE_CHECKING:
    from hardwon.storage.postgres.database import Database


class LockingTransaction:
    """A transaction that locks the scopes it uses, so that no count is lost."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def __enter__(self) -> None:
        self._db.__enter__()
        scopes.serialize(self._db)

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        self._db.__exit__(kind, *details)
