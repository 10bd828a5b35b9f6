"""Calls in SQLite: counts and outcomes of each feature."""

from __future__ import annotations

from hardwon._cold import json
from hardwon.ranking.odds import EVERY, LIMITS, PRUNE_EVERY, Call, Counts, counted, over, united
from hardwon.stores.journal import CallNotes
from hardwon.stores.sqlite import scopes
from hardwon.stores.sqlite.database import marks
from hardwon.values.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hardwon.ranking.odds import Kinds
    from hardwon.stores.journal import Journal
    from hardwon.stores.sqlite.database import Database

_AT_ONCE = 500  # features per query
_KEEP = """
INSERT OR REPLACE INTO odds (shelf, feature, made, kinds, touched) VALUES (?, ?, ?, ?, ?)
"""
_PRUNE = """
DELETE FROM odds WHERE shelf = ? AND feature IN (
    SELECT feature FROM odds WHERE shelf = ? ORDER BY touched DESC, feature LIMIT -1 OFFSET ?
)
"""


class SqliteCalls(CallNotes):
    """Calls are noted in the journal, and counted in their order when it is folded."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal
        self._written: dict[str, Kinds] = {}  # what was written last, by its text

    def catch_up(self) -> bool:
        return self._journal.holds("made") and bool(self._journal.fold())

    def counts(self, scope: Scope, features: Sequence[int]) -> dict[int, Counts]:
        visible = scopes.Visible(self._db, scope)
        return over(self._read_counts(shelf, features) for shelf in visible.ids)

    def fold(self, records: list[list[Any]]) -> None:
        """Count the calls of the journal, by scope."""
        calls: dict[Scope, list[Call]] = {}
        for tenant, agent, project, features, kind, met in records:
            call = Call(tuple(features), kind, tuple(met))
            calls.setdefault(Scope(tenant, agent, project), []).append(call)
        for scope, scope_calls in calls.items():
            self._count(scopes.ensure(self._db, scope), scope_calls)

    def move(self, old: int, new: int) -> None:
        """Add the counts of one shelf to those of another."""
        rows = self._db.rows("SELECT feature FROM odds WHERE shelf = ?", (old,))
        features = [feature for (feature,) in rows if feature != EVERY]
        both = self._read_counts(old, features), self._read_counts(new, features)
        self._keep(new, united(*both))

    def _count(self, shelf: int, calls: list[Call]) -> None:
        features = {feature for call in calls for feature in call.features}
        counts = self._read_counts(shelf, sorted(features))
        for call in calls:
            counted(counts, call)
            if counts[EVERY].touched % PRUNE_EVERY == 0:
                self._keep(shelf, counts)
                self._prune(shelf)
                counts = self._read_counts(shelf, sorted(features))
        self._keep(shelf, counts)

    def _prune(self, shelf: int) -> None:
        """Drop the features unused for longest, if there are too many."""
        rows = self._db.rows("SELECT count(*) FROM odds WHERE shelf = ?", (shelf,))
        if rows[0][0] > LIMITS.features:
            self._db.run(_PRUNE, (shelf, shelf, LIMITS.features))

    def _read_counts(self, shelf: int, features: Iterable[int]) -> dict[int, Counts]:
        all_features = (EVERY, *features)
        rows = []
        for start in range(0, len(all_features), _AT_ONCE):
            part = all_features[start : start + _AT_ONCE]
            rows += self._db.rows(
                "SELECT feature, made, kinds, touched FROM odds"
                f" WHERE shelf = ? AND feature IN ({marks(part)})",
                (shelf, *part),
            )
        return {
            feature: Counts(made, self._parsed(kinds), touched)
            for feature, made, kinds, touched in rows
        }

    def _parsed(self, kinds: str) -> Kinds:
        """The kinds of a row; those written last by this process need no parsing."""
        cached = self._written.get(kinds)
        return tuple(map(tuple, json.loads(kinds))) if cached is None else cached

    def _keep(self, shelf: int, by_feature: dict[int, Counts]) -> None:
        texts = {feature: json.dumps(counts.kinds) for feature, counts in by_feature.items()}
        self._written = {texts[feature]: counts.kinds for feature, counts in by_feature.items()}
        self._db.run_many(
            _KEEP,
            [
                (shelf, feature, counts.made, texts[feature], counts.touched)
                for feature, counts in by_feature.items()
            ],
        )
