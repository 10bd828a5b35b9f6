"""Several calls as one: kept as a whole or not at all, and alone with the scopes they touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.stores.postgres import scopes

if TYPE_CHECKING:
    from hardwon.postgres.database import Database


class Together:
    """A transaction that reads what it is going to change, so that no count is lost."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def __enter__(self) -> None:
        self._db.__enter__()
        scopes.serialize(self._db)

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._db.__exit__(kind, *rest)
