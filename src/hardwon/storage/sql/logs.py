"""What happened, in SQL: deliveries, failures, ended runs, and the hold-out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from hardwon.core.errors import NotFound
from hardwon.core.values.delivery import EXCLUDED, Delivery, Unit
from hardwon.core.values.report import ListQuery, Met, Place, Window, day_number
from hardwon.core.values.run import EndedRun
from hardwon.core.values.scope import Scope
from hardwon.knowledge.proof import effect as counts
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, Tenancy, bind, read_queries, set_columns, values_clause
from hardwon.storage.sql.journal import JournalPart
from hardwon.storage.sql.rows import (
    DELIVERY,
    ENDED_RUN,
    cited_steps,
    cut_steps,
    delivery_of,
    ended_run_of,
    moment,
    noted_delivery,
    noted_run,
    stored,
)
from hardwon.storage.sql.scopes import HERE

Records = list[list[Any]]  # of one kind, as the journal noted them

_ENDLESS = float("inf")

_DELIVERY = DELIVERY.split(", ")
_RUN = ENDED_RUN.split(", ")
_BRIEF = ENDED_RUN.replace("steps, shown", "'[]', '[]'")
_RUNS_READ = 50  # runs read per query
_DIGESTS = 500  # in one query
_PAGE = 500  # rows read per query
_UNIT = Unit._fields[1:]  # all but the scope
_SQL = read_queries(
    __file__,
    DELIVERY=DELIVERY,
    DELIVERY_VALUES=values_clause(_DELIVERY),
    HERE=HERE,
    BRIEF_RUN=_BRIEF,
    ENDED_RUN=ENDED_RUN,
    RUN_VALUES=values_clause(_RUN),
    RUN_SET=set_columns(_RUN[1:]),
    UNIT=", ".join(_UNIT),
    UNIT_VALUES=values_clause(_UNIT),
)
ARMS = _SQL["arms"]


class SqlDeliveries(JournalPart):
    """Deliveries are noted in the journal and folded in off the agent's path."""

    def log(self, delivery: Delivery) -> None:
        """Note one delivery; it raises the hit counts of its lessons when it is folded in."""
        self._journal.note("delivery", *noted_delivery(delivery))

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        """Note what came of a delivery."""
        self._journal.note("outcome", *scope, delivery, outcome)

    def settle(self, scope: Scope, outcomes: Sequence[tuple[str, str]]) -> None:
        """The same for many (id, outcome), unless one is known: a reported outcome counts more."""
        self._journal.note_all("settled", [(*scope, *outcome) for outcome in outcomes])

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        """The latest deliveries of the agent, newest first; all that were logged before count."""
        self._journal.fold()
        seen = scopes.visible(self._db, scope)
        rows = self._db.of(scope.tenant).rows(
            _SQL["recent_deliveries"], shelves=seen.ids, limit=limit
        )
        return [delivery_of(row, seen.scopes) for row in rows]

    def fold(self, records: Records) -> None:
        """Move noted deliveries into the database, and count the hits of their lessons."""
        hits = []
        for number, tenant, agent, project, *columns in records:
            scope = Scope(tenant, agent, project)
            shelf = scopes.ensure(self._db, scope)
            values = dict(zip(_DELIVERY, (number, shelf, *columns), strict=True))
            self._db.of(tenant).run(_SQL["add_delivery"], **values)
            hits += [(tenant, lesson, scope, values["at"]) for lesson in json.loads(columns[2])]
        seen = {scope: scopes.visible(self._db, scope).ids for _, _, scope, _ in hits}
        # In the same order everywhere, so that transactions do not deadlock.
        for tenant, lesson, scope, at in sorted(hits, key=lambda hit: hit[:2]):
            self._db.of(tenant).run(_SQL["count_hit"], lesson=lesson, shelves=seen[scope], at=at)

    def fold_outcomes(self, records: Records, *, anyway: bool) -> None:
        """Move noted outcomes into the database; without `anyway` a known one stays."""
        for *scope, delivery, outcome in records:
            values = {"outcome": outcome, "id": delivery, "anyway": anyway}
            self._change(Scope(*scope), _SQL["set_outcome"], **values)


class SqlFailures(JournalPart):
    """How often each failure was met: noted in the journal, counted off the agent's path."""

    def count(self, scope: Scope, signature: str, text: str, now: datetime) -> None:
        """Count the failure once more."""
        record = [scope, signature, text, now.timestamp()]
        if self._db.is_writing:  # it belongs to the open transaction
            self.fold([record])
        else:  # only here: whoever learns from the same step elsewhere counts it there
            self._journal.note_here("failure", *record)

    def fold(self, records: Records) -> None:
        """Count noted failures in the database; ordered, so that transactions do not deadlock."""
        times: dict[tuple[Scope, str], list[float]] = {}
        texts: dict[tuple[Scope, str], str] = {}
        for scope, signature, text, at in records:
            times.setdefault((Scope(*scope), signature), []).append(at)
            texts.setdefault((Scope(*scope), signature), text)
        for scope, signature in sorted(times, key=str):
            moments, text = times[scope, signature], texts[scope, signature]
            place = {"shelf": scopes.ensure(self._db, scope), "signature": signature}
            span = {"met": len(moments), "first": min(moments), "last": max(moments)}
            days = Counter(day_number(datetime.fromtimestamp(at, UTC)) for at in moments)
            self._db.of(scope.tenant).ask(
                bind(_SQL["count_failure"], **place, **span, text=text),
                *(bind(_SQL["count_day"], **place, day=day, met=met) for day, met in days.items()),
            )

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        """The readable signatures met most often, with their counts."""
        self._journal.fold()
        seen = scopes.visible(self._db, scope)
        rows = self._db.of(scope.tenant).rows(_SQL["commonest"], shelves=seen.ids, limit=limit)
        return [(text, met) for text, met in rows]


class SqlEndedRuns(JournalPart):
    """Runs are noted in the journal and folded in off the agent's path."""

    def keep(self, run: EndedRun) -> None:
        """Store a run that ended, replacing one of the same id; returns without waiting."""
        self._journal.note("ended run", run.scope, *noted_run(run))

    def get(self, place: Place, run: str) -> EndedRun:
        """The run with this id, or whose id begins so, with its steps; else NotFound."""
        tenancy, shelves = self._at(place)
        values = {"shelves": list(shelves), "id": run, "end": f"{run}\uffff"}
        row = tenancy.row(_SQL["find_run"], **values) if run else None
        if row is None:
            raise NotFound("run", run)
        return ended_run_of(row, shelves)

    def recent(self, query: ListQuery) -> list[EndedRun]:
        """Those whose task contains the text, without steps, newest first. Marks: (ended, id)."""
        tenancy, shelves = self._at(query.place)
        at, last = query.after or (_ENDLESS, "")
        values = {"at": at, "id": last, "text": query.text.lower(), "limit": query.limit}
        values |= {"met": _as_item(query.met), "person": query.person}
        rows = tenancy.rows(_SQL["recent_runs"], shelves=list(shelves), **values)
        return [ended_run_of(row, shelves) for row in rows]

    def who_met(self, query: ListQuery) -> list[Met]:
        """Whose runs met the failure with this text, the most first."""
        tenancy, shelves = self._at(query.place)
        values = {"met": _as_item(query.met), "limit": query.limit}
        return [
            Met(shelves[shelf], person, machine, count, moment(at), program)
            for shelf, person, machine, program, count, at in tenancy.rows(
                _SQL["who_met"], shelves=list(shelves), **values
            )
        ]

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        """The newest that ended within a window, with their steps, oldest first."""
        tenancy, owners = self._at(Place(window.scope.tenant))
        rows = self._rows(_SQL["latest_runs"], window, since=window.since.timestamp(), limit=limit)
        ids = [number for (number,) in reversed(rows)]
        for start in range(0, len(ids), _RUNS_READ):
            part = ids[start : start + _RUNS_READ]
            by_id = {row[0]: row for row in tenancy.rows(_SQL["runs_by_id"], ids=part)}
            yield from (ended_run_of(by_id[number], owners) for number in part if number in by_id)

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        """Forget the runs that ended before, and the oldest beyond `most`; how many went."""
        tenancy, shelves = self._at(Place(tenant))
        with self._db:
            values = {"before": before.timestamp(), "most": most}
            return len(tenancy.rows(_SQL["delete_old_runs"], shelves=list(shelves), **values))

    def cut(self, tenant: str, *, before: datetime) -> int:
        """Leave of the runs that ended before only the steps that lessons cite; how many went.

        A run that no lesson cites is forgotten. One that was cut is not among the latest.
        """
        tenancy, owners = self._at(Place(tenant))
        gone, shelves = 0, list(owners)
        with self._db:
            cited = cited_steps(
                evidence for _, evidence in _pages(tenancy, _SQL["citing"], 0, shelves=shelves)
            )
            values = {"shelves": shelves, "before": before.timestamp()}
            for run, steps in _pages(tenancy, _SQL["old_runs"], "", **values):
                if run not in cited:
                    tenancy.run(_SQL["delete_run"], id=run)
                    gone += 1
                elif (kept := cut_steps(steps, cited[run])) != steps:
                    tenancy.run(_SQL["cut_run"], id=run, steps=kept)
        return gone

    def past(self, scope: Scope, digests: Sequence[str]) -> dict[str, str]:
        """Those of these digests that were noted for the scope, with their states."""
        shelf, states = scopes.own(self._db, scope), dict[str, str]()
        for start in range(0, len(digests), _DIGESTS):
            values = {"shelf": shelf, "digests": list(digests[start : start + _DIGESTS])}
            states.update(self._db.of(scope.tenant).rows(_SQL["past"], **values))
        return states

    def note_past(self, scope: Scope, digest: str, state: str) -> None:
        """Note that a past session was recorded up to here; replaces an earlier note of it."""
        with self._db:
            values = {"shelf": scopes.ensure(self._db, scope), "digest": digest, "state": state}
            self._db.of(scope.tenant).run(_SQL["note_past"], **values)

    def fold(self, records: Records) -> None:
        """Move noted runs into the database."""
        for scope, *values in records:
            run_scope = Scope(*scope)
            shelf = scopes.ensure(self._db, run_scope)
            known = [*values, *[""] * (len(_RUN) - 1 - len(values))]  # of an older build
            facts = dict(zip(_RUN, (*known, shelf), strict=True))
            self._db.of(run_scope.tenant).run(_SQL["keep_run"], **facts)


def _pages(tenancy: Tenancy, sql: str, after: object, **values: object) -> Iterator[Row]:
    """All rows of a statement that reads them by their first column, those after a value."""
    while rows := tenancy.rows(sql, after=after, limit=_PAGE, **values):
        yield from rows
        after = rows[-1][0]


def _as_item(kind: str) -> str:
    """A kind of failure as an item of a stored list; "" for none."""
    return json.dumps(kind) if kind else ""


class SqlUnits(JournalPart):
    """The two arms of a hold-out: noted in the journal, folded in off the agent's path."""

    def log(self, unit: Unit) -> None:
        """Note a unit; only the first exposure of a run and a family counts."""
        self._journal.note("unit", unit.scope, *map(stored, unit[1:]))

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        """Note the outcome of a unit, unless it has one."""
        self._journal.note("unit settled", scope, run, family, outcome)

    def exclude(self, scope: Scope, families: Sequence[str], now: datetime) -> None:
        """Count no unit of these families that is open: its run may have read them elsewhere."""
        self._journal.note("unit excluded", scope, families, now.timestamp())

    def salt(self) -> str:
        """The secret of the coin: made once, and the same for all who share the store."""
        row = self._db.of("").row(_SQL["salt"])
        return str(row[0]) if row else ""

    def share(self, tenant: str) -> float | None:
        """The share of runs that was set for a tenant, if one was."""
        row = self._db.of(tenant).row(_SQL["share"])
        return float(row[0]) if row else None

    def set_share(self, tenant: str, share: float) -> None:
        """Set the share of a tenant; the settings hold where it is larger."""
        with self._db:
            scopes.ensure_tenant(self._db, tenant)
            self._db.of(tenant).run(_SQL["set_share"], share=share)

    def arms(self, window: Window) -> list[counts.Arms]:
        """The counts of both arms, for each door and each share that was in force."""
        return [counts.Arms(*row[1:]) for row in self._count(window, "door", by="door, share")]

    def treatments(self, window: Window) -> list[counts.Treatment]:
        """The counts of both arms for each lesson and wording, by id, wording and share."""
        rows = self._count(window, "min(shelf), lesson, wording", by="lesson, wording, share")
        return counts.treatments(rows, scopes.of_tenant(self._db, window.scope.tenant))

    def _count(self, window: Window, columns: str, *, by: str) -> list[Row]:
        """The counts of both arms in each stratum, after these columns."""
        sql = _SQL["arms_by"].format(columns, by)
        return self._rows(sql, window, since=window.since.timestamp())

    def fold(self, records: Records) -> None:
        """Move noted units into the database."""
        for scope, *values in records:
            shelf = scopes.ensure(self._db, Scope(*scope))
            facts = dict(zip(_UNIT, values, strict=False))
            self._db.of(scope[0]).run(_SQL["add_unit"], shelf=shelf, **facts)

    def fold_excluded(self, records: Records) -> None:
        """Move noted exclusions into the database, before the outcomes of those units."""
        for scope, families, now in records:
            values = {"outcome": EXCLUDED, "families": families, "now": now}
            self._change(Scope(*scope), _SQL["exclude"], **values)

    def fold_settled(self, records: Records) -> None:
        """Move noted outcomes into the database."""
        for scope, run, family, outcome in records:
            values = {"outcome": outcome, "run": run, "family": family}
            self._change(Scope(*scope), _SQL["settle"], **values)
