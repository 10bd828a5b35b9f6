"""Calls by their keys in SQLite: how often each was made, how often it failed."""

from __future__ import annotations

from collections import Counter

from hardwon.failures.call_keys import EXACT, Key
from hardwon.stores.sqlite import scopes
from hardwon.stores.sqlite.database import marks
from hardwon.values.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hardwon.stores.sqlite.database import Database
    from hardwon.stores.sqlite.journal import Journal


class SqliteCalls:
    """Counts are noted in the journal; a very call gets a row only when it fails."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal

    def made(self, scope: Scope, keys: tuple[str, ...], failed: tuple[str, ...]) -> None:
        self._journal.note("call", *scope, keys, failed)
        if failed:  # a failure is written anyway; what was noted goes along
            self._journal.fold()

    def odds(self, scope: Scope, keys: tuple[str, ...]) -> dict[str, tuple[int, int]]:
        seen = scopes.Visible(self._db, scope)
        rows = self._db.rows(
            "SELECT call, sum(made), sum(failed) FROM calls"
            f" WHERE shelf IN ({seen.marks}) AND call IN ({marks(keys)})"
            " GROUP BY call",
            (*seen.ids, *keys),
        )
        return {call: (made, failed) for call, made, failed in rows}

    def fold(self, records: list[list[Any]]) -> None:
        """Add up what the journal noted."""
        made: Counter[tuple[Scope, str]] = Counter()
        failed: Counter[tuple[Scope, str]] = Counter()
        for tenant, agent, project, keys, blamed in records:
            scope = Scope(tenant, agent, project)
            made.update((scope, key) for key in {*keys, *blamed})
            failed.update((scope, key) for key in blamed)
        numbers = {scope: scopes.ensure(self._db, scope) for scope, _ in made}
        for (scope, key), count in made.items():
            self._add(numbers[scope], key, count, failed[scope, key])

    def _add(self, shelf: int, key: str, made: int, failed: int) -> None:
        if failed or Key(key).grain != EXACT:
            self._db.run(
                "INSERT INTO calls VALUES (?, ?, ?, ?) ON CONFLICT (shelf, call) DO UPDATE"
                " SET made = made + excluded.made, failed = failed + excluded.failed",
                (shelf, key, made, failed),
            )
        else:
            self._db.run(
                "UPDATE calls SET made = made + ? WHERE shelf = ? AND call = ?", (made, shelf, key)
            )
