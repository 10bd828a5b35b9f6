"""Calls in SQLite: how often each feature was there, and what came of it."""

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

_AT_ONCE = 500  # features of one query
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
        self._written: dict[str, Kinds] = {}  # what was written last: by its text

    def catch_up(self) -> bool:
        return self._journal.holds("made") and bool(self._journal.fold())

    def counts(self, scope: Scope, features: Sequence[int]) -> dict[int, Counts]:
        seen = scopes.Visible(self._db, scope)
        return over(self._known(shelf, features) for shelf in seen.ids)

    def fold(self, records: list[list[Any]]) -> None:
        """Count what the journal noted, scope by scope."""
        calls: dict[Scope, list[Call]] = {}
        for tenant, agent, project, features, kind, met in records:
            call = Call(tuple(features), kind, tuple(met))
            calls.setdefault(Scope(tenant, agent, project), []).append(call)
        for scope, own in calls.items():
            self._count(scopes.ensure(self._db, scope), own)

    def move(self, old: int, new: int) -> None:
        """Add the counts of one shelf to those of another."""
        rows = self._db.rows("SELECT feature FROM odds WHERE shelf = ?", (old,))
        features = [feature for (feature,) in rows if feature != EVERY]
        both = self._known(old, features), self._known(new, features)
        self._keep(new, united(*both))

    def _count(self, shelf: int, calls: list[Call]) -> None:
        features = {feature for call in calls for feature in call.features}
        known = self._known(shelf, sorted(features))
        for call in calls:
            counted(known, call)
            if known[EVERY].touched % PRUNE_EVERY == 0:
                self._keep(shelf, known)
                self._prune(shelf)
                known = self._known(shelf, sorted(features))
        self._keep(shelf, known)

    def _prune(self, shelf: int) -> None:
        """Forget the features that were not seen for longest, where there are too many."""
        rows = self._db.rows("SELECT count(*) FROM odds WHERE shelf = ?", (shelf,))
        if rows[0][0] > LIMITS.features:
            self._db.run(_PRUNE, (shelf, shelf, LIMITS.features))

    def _known(self, shelf: int, features: Iterable[int]) -> dict[int, Counts]:
        asked = (EVERY, *features)
        rows = []
        for start in range(0, len(asked), _AT_ONCE):
            part = asked[start : start + _AT_ONCE]
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
        """The kinds of a row; those that this process wrote last are known without reading."""
        known = self._written.get(kinds)
        return tuple(map(tuple, json.loads(kinds))) if known is None else known

    def _keep(self, shelf: int, known: dict[int, Counts]) -> None:
        texts = {feature: json.dumps(counts.kinds) for feature, counts in known.items()}
        self._written = {texts[feature]: counts.kinds for feature, counts in known.items()}
        self._db.run_many(
            _KEEP,
            [
                (shelf, feature, counts.made, texts[feature], counts.touched)
                for feature, counts in known.items()
            ],
        )
