"""Jobs in a PostgreSQL table, for any number of processes on any machines."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import NotFound, Unavailable
from hardwon.core.text.clean import file_id
from hardwon.core.values.job import QueueCounts
from hardwon.storage.postgres.database import EVERY_TENANT
from hardwon.storage.queues.postgres import statements
from hardwon.storage.queues.postgres.flow import Flow
from hardwon.storage.queues.postgres.held_jobs import HeldJobs
from hardwon.storage.queues.postgres.notify import JobListener, Notifier, is_pooled
from hardwon.storage.queues.postgres.rows import columns, job_of, jobs_of, text
from hardwon.storage.queues.postgres.statements import CLAIMED, DEAD, UNREADABLE, WAITING
from hardwon.storage.queues.postgres.upkeep import TableLimits, TableUpkeep
from hardwon.storage.queues.records import encode, encode_new
from hardwon.storage.sql.dialect import Statement, bind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.core.values.job import Job
    from hardwon.storage.postgres.database import Database

_PAUSE = timedelta(seconds=2)
_PAUSE_IF_WOKEN = timedelta(seconds=5)  # polling finds retries and expired leases


class PostgresQueue:
    """One row per job. A claim holds a job until its lease ends; only its holder settles it.

    Finished jobs leave the table with the next request of this process: one commit ends some jobs
    and begins others. A crash in between repeats them, as any crash does.
    """

    def __init__(self, database: Database, limits: TableLimits = TableLimits()) -> None:
        self._db = database
        self._limits = limits
        self._lock = threading.RLock()
        self._held = HeldJobs()
        self._flow = Flow()
        self._upkeep = TableUpkeep(limits)
        self._notifier = Notifier()
        self._listener: JobListener | None = None

    def put(self, job: Job) -> bool:
        file_id(job.id, "job id")
        new = bind(statements.PUT, **columns([job], [encode_new(job)]))
        return bool(self._ask(new, *self._notifier.notice())[0][0][0])

    def forward(self, jobs: Sequence[Job]) -> None:
        """Store jobs that waited elsewhere; each counts once, however often it is forwarded."""
        rows = columns(jobs, [encode(job) for job in jobs])
        self._ask(bind(statements.FORWARD, **rows), *self._notifier.notice())

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        with self._lock:
            if not self._held.ready:
                self._take(now, max(1, slots))
            return self._held.ready.popleft() if self._held.ready else None

    def done(self, job: Job) -> None:
        with self._lock:
            self._held.finish(job)

    def retry(self, job: Job) -> None:
        plan: dict[str, Any] = {"due": job.due, "wait": job.wait, "attempts": job.attempts}
        self._settle(statements.RETRY, job, error=text(job.last_error), **plan)

    def bury(self, job: Job, reason: str) -> None:
        self._settle(
            statements.BURY, job, event="buried", error=text(reason), attempts=job.attempts
        )

    def waiting(self) -> list[Job]:
        return jobs_of(self._ask(bind(statements.LIST, states=[WAITING, CLAIMED]))[0])

    def dead(self) -> list[Job]:
        return jobs_of(self._ask(bind(statements.LIST, states=[DEAD]))[0])

    def revive(self, identity: str, now: datetime) -> None:
        revive = bind(statements.REVIVE, id=identity, now=now)
        if not self._ask(revive, *self._notifier.notice())[0]:
            raise NotFound("dead job", identity)

    def purge(self, identity: str) -> None:
        if not self._remove(identity, DEAD):
            raise NotFound("dead job", identity)

    def forget(self, job: Job) -> None:
        self._remove(job.id, WAITING, CLAIMED)

    def counts(self) -> QueueCounts:
        results = self._ask(bind(statements.COUNTS), bind(statements.EVENTS))
        states, events = map(dict, results)
        waiting, claimed = states.get(WAITING, 0), states.get(CLAIMED, 0)
        return QueueCounts(
            pending=waiting + claimed,
            dead=states.get(DEAD, 0),
            quarantined=states.get(UNREADABLE, 0),
            in_memory=waiting,
            in_flight=claimed,
            **self._flow.counts(waiting + claimed),
            **{event: events.get(event, 0) for event in ("deduped", "corrupt", "stale")},
        )

    def worker(self) -> int | None:
        return None  # others may work too; no process has to wait for them

    def wakeups(self) -> Sequence[int]:
        if is_pooled(self._db.url):  # a pooler does not pass notices on
            return ()
        self._listener = self._listener or JobListener(self._db.url)
        return (self._listener.fd,)

    def pause(self) -> timedelta:
        return _PAUSE_IF_WOKEN if self._listener and self._listener.is_quiet else _PAUSE

    def close(self) -> None:
        with self._lock:
            if self._listener is not None:
                self._listener.close()
                self._listener = None
            self._held.hand_back()
            try:
                if self._held.unsent():
                    self._ask()
            finally:
                self._db.close()

    def _ask(self, *requests: Statement) -> list[list[Any]]:
        """One transaction in one round trip; it also reports the results of finished jobs."""
        with self._lock:
            first = self._held.unsent()
            try:
                results = self._db.ask(EVERY_TENANT, *first, *requests)
            except Unavailable:
                self._held.lost_answer()
                raise
            self._flow.note(self._held.sent(results[: len(first)]))
            return results[len(first) :]

    def _take(self, now: datetime, most: int) -> None:
        """Claim jobs that are due, and set aside unreadable ones."""
        upkeep, claim = self._upkeep.due(now), self._held.new_claim()
        take = bind(statements.CLAIM, now=now, most=most, claim=claim, lease=self._limits.lease)
        rows = self._ask(*self._held.recovery(), *upkeep, take)[-1]
        if upkeep:
            self._upkeep.done()
        jobs = {row[0]: job_of(row) for row in rows}
        if broken := [identity for identity, job in jobs.items() if job is None]:
            self._ask(bind(statements.SET_ASIDE, ids=broken))
        self._held.receive(job._replace(claim=claim) for job in jobs.values() if job)

    def _settle(self, statement: str, job: Job, *, event: str = "", **values: object) -> None:
        with self._lock:
            self._held.settle(statement, job, event=event, **values)
            with suppress(Unavailable):  # sent again once the server is back
                if self._held.unsent():
                    self._ask()

    def _remove(self, identity: str, *states: int) -> bool:
        return bool(self._ask(bind(statements.REMOVE, id=identity, states=list(states)))[0])
