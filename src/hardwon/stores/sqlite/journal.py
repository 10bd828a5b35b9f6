"""What is noted on the agent's path and moved into the database off it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hardwon.stores.sqlite.database import Database
    from hardwon.stores.sqlite.spool import Spool

SPOOL_LIMIT = 1 << 20  # bytes after which a closing process folds the spool in


class Journal:
    """A spool beside the database whose records are folded in by those who wrote them."""

    def __init__(self, database: Database, spool: Spool) -> None:
        self._db = database
        self._spool = spool
        self._folds: dict[str, Callable[[list[list[Any]]], None]] = {}

    def on(self, kind: str, fold: Callable[[list[list[Any]]], None]) -> None:
        """Say who moves the records of a kind into the database."""
        self._folds[kind] = fold

    def note(self, kind: str, *values: object) -> None:
        """Add a record; costs microseconds and waits for nobody."""
        self._spool.append([kind, *values])

    def fold(self) -> int:
        """Move what was noted into the database; how many records there were."""
        if not self._spool.size():
            return 0
        with self._db as db:
            records = db.hold(self._spool.take())
            for kind, fold in self._folds.items():
                if own := [values for found, *values in records if found == kind]:
                    fold(own)
            return len(records)

    @property
    def is_full(self) -> bool:
        """Whether it is time to fold even where no worker ever runs."""
        return self._spool.size() > SPOOL_LIMIT
