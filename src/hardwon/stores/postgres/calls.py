"""Calls in PostgreSQL: counts and outcomes of each feature."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.ranking.odds import EVERY, LIMITS, PRUNE_EVERY, Call, Counts, counted, over, united
from hardwon.stores.journal import CallNotes
from hardwon.stores.postgres import scopes
from hardwon.values.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hardwon.postgres.database import Database, Row, Tenancy
    from hardwon.stores.journal import Journal

_KNOWN = f"""
SELECT shelf, feature, made, kinds, touched FROM hardwon.odds
WHERE {scopes.HERE}
AND feature = ANY(%(features)s::bigint[])
"""
_SEEN = f"""
SELECT shelf, feature, made, kinds, touched FROM hardwon.odds
WHERE tenant = %(tenant)s AND shelf IN {scopes.SEEN} AND feature = ANY(%(features)s::bigint[])
"""
_KEEP = """
INSERT INTO hardwon.odds (tenant, shelf, feature, made, kinds, touched)
SELECT %(tenant)s, %(shelf)s, * FROM unnest(
    %(features)s::bigint[], %(made)s::bigint[], %(kinds)s::text[], %(touched)s::bigint[]
)
ON CONFLICT (tenant, shelf, feature) DO UPDATE
SET made = excluded.made, kinds = excluded.kinds, touched = excluded.touched
"""
_PRUNE = """
DELETE FROM hardwon.odds WHERE tenant = %(tenant)s AND shelf = %(shelf)s AND feature IN (
    SELECT feature FROM hardwon.odds WHERE tenant = %(tenant)s AND shelf = %(shelf)s
    ORDER BY touched DESC, feature OFFSET %(kept)s
)
"""
_FEATURES = "SELECT feature FROM hardwon.odds WHERE tenant = %(tenant)s AND shelf = %(shelf)s"


class PostgresCalls(CallNotes):
    """Calls are noted in the journal, and counted in their order when it is folded."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._db = database
        self._journal = journal
        journal.on("made", self._fold)

    def catch_up(self) -> bool:
        return self._journal.holds("made") and bool(self._journal.fold())

    def counts(self, scope: Scope, features: Sequence[int]) -> dict[int, Counts]:
        _, rows = scopes.read(self._db, scope, _SEEN, features=[EVERY, *features])
        return over(_by_shelf(rows).values())

    def move(self, tenant: str, old: int, new: int) -> None:
        """Add the counts of one shelf to those of another."""
        tenancy = self._db.of(tenant)
        features = [row[0] for row in tenancy.rows(_FEATURES, shelf=old)]
        counts = _read_counts(tenancy, [old, new], features)
        _keep(tenancy, new, united(counts.get(old, {}), counts.get(new, {})))

    def _fold(self, records: list[list[Any]]) -> None:
        """Count the calls of the journal by scope, in the same order everywhere."""
        calls: dict[Scope, list[Call]] = {}
        for tenant, agent, project, features, kind, met in records:
            call = Call(tuple(features), kind, tuple(met))
            calls.setdefault(Scope(tenant, agent, project), []).append(call)
        for scope in sorted(calls, key=str):
            scopes.lock(self._db, scope)  # counts are read, changed and written back
            shelf = scopes.ensure(self._db, scope)
            self._count(self._db.of(scope.tenant), shelf, calls[scope])

    @staticmethod
    def _count(tenancy: Tenancy, shelf: int, calls: list[Call]) -> None:
        features = sorted({feature for call in calls for feature in call.features})
        counts = _read_counts(tenancy, [shelf], features).get(shelf, {})
        for call in calls:
            counted(counts, call)
            if counts[EVERY].touched % PRUNE_EVERY == 0:
                _keep(tenancy, shelf, counts)
                tenancy.run(_PRUNE, shelf=shelf, kept=LIMITS.features)
                counts = _read_counts(tenancy, [shelf], features).get(shelf, {})
        _keep(tenancy, shelf, counts)


def _read_counts(
    tenancy: Tenancy, shelves: list[int], features: Iterable[int]
) -> dict[int, dict[int, Counts]]:
    """The counts of these features, and of all calls, for each shelf."""
    return _by_shelf(tenancy.rows(_KNOWN, shelves=shelves, features=[EVERY, *features]))


def _by_shelf(rows: list[Row]) -> dict[int, dict[int, Counts]]:
    by_shelf: dict[int, dict[int, Counts]] = {}
    for shelf, feature, made, kinds, touched in rows:
        counts = Counts(made, tuple(map(tuple, json.loads(kinds))), touched)
        by_shelf.setdefault(shelf, {})[feature] = counts
    return by_shelf


def _keep(tenancy: Tenancy, shelf: int, by_feature: dict[int, Counts]) -> None:
    tenancy.run(
        _KEEP,
        shelf=shelf,
        features=list(by_feature),
        made=[counts.made for counts in by_feature.values()],
        kinds=[json.dumps(counts.kinds) for counts in by_feature.values()],
        touched=[counts.touched for counts in by_feature.values()],
    )
