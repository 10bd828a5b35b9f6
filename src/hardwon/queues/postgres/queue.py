"""Jobs in a table of PostgreSQL that any number of processes on any machines work."""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from hardwon.errors import NotFound, Unavailable
from hardwon.postgres.database import Asked, asked
from hardwon.queues.postgres import statements
from hardwon.queues.postgres.bell import Bell, Ringer, is_pooled
from hardwon.queues.postgres.flow import Flow
from hardwon.queues.postgres.rows import columns, job_of, text
from hardwon.queues.postgres.statements import CLAIMED, DEAD, UNREADABLE, WAITING
from hardwon.queues.postgres.upkeep import Limits, Upkeep
from hardwon.queues.records import encode_new
from hardwon.text.clean import file_id
from hardwon.values.queue import QueueCounts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.postgres.database import Database
    from hardwon.values.job import Job

_EVERY = " "  # no tenant has this name; a queue serves them all
_PAUSE = timedelta(seconds=1.5)


class PostgresQueue:
    """A row a job. Who claims it holds it until its lease ends, and only the holder settles it.

    What is done leaves the table with the next question of this process: one commit ends some
    jobs and begins others. A crash in between has them worked again, as any crash does.
    """

    def __init__(self, database: Database, limits: Limits = Limits()) -> None:
        self._db = database
        self._limits = limits
        self._owner = os.urandom(8).hex()
        self._lock = threading.RLock()
        self._tokens: dict[str, int] = {}  # of the jobs we hold: the attempt that is ours
        self._ready: deque[Job] = deque()  # claimed and not yet handed out
        self._finished: dict[str, int] = {}  # done, and still in the table
        self._owed: list[Asked] = []  # what else the server has to be told of jobs we held
        self._is_unsure = False  # a claim may have come through of which we know nothing
        self._flow = Flow()
        self._upkeep = Upkeep(limits)
        self._ringer = Ringer()
        self._bell: Bell | None = None

    def put(self, job: Job) -> bool:
        file_id(job.id, "job id")
        return self._keep(statements.PUT, [(job, encode_new(job))]) > 0

    def forward(self, records: Sequence[tuple[Job, bytes]]) -> None:
        """Keep jobs that waited elsewhere; each counts once, however often it is forwarded."""
        self._keep(statements.FORWARD, records)

    def claim(self, now: datetime, *, hands: int = 1) -> Job | None:
        with self._lock:
            if not self._ready:
                self._take(now, max(1, hands))
            return self._ready.popleft() if self._ready else None

    def done(self, job: Job) -> None:
        with self._lock:
            token = self._tokens.pop(job.id, None)
            if token is None:  # somebody removes a job that we do not hold
                self._remove(job.id, WAITING, CLAIMED)
            else:
                self._finished[job.id] = token
            self._flow.note("done")

    def retry(self, job: Job) -> None:
        values = {"due": job.due, "wait": job.wait, "attempts": job.attempts}
        self._settle(statements.RETRY, job, error=text(job.last_error), **values)

    def bury(self, job: Job, reason: str) -> None:
        self._settle(statements.BURY, job, error=text(reason), attempts=job.attempts)
        self._flow.note("buried")

    def waiting(self) -> list[Job]:
        return self._listed(WAITING, CLAIMED)

    def dead(self) -> list[Job]:
        return self._listed(DEAD)

    def revive(self, identity: str, now: datetime) -> None:
        revive = asked(statements.REVIVE, id=identity, now=now)
        if not self._ask(revive, *self._ringer.notice())[0]:
            raise NotFound("dead job", identity)

    def purge(self, identity: str) -> None:
        if not self._remove(identity, DEAD):
            raise NotFound("dead job", identity)

    def counts(self) -> QueueCounts:
        found = self._ask(asked(statements.COUNTS), asked(statements.EVENTS))
        states, events = map(dict, found)
        waiting, claimed = states.get(WAITING, 0), states.get(CLAIMED, 0)
        return QueueCounts(
            pending=waiting + claimed,
            dead=states.get(DEAD, 0),
            quarantined=states.get(UNREADABLE, 0),
            in_memory=waiting,
            in_flight=claimed,
            **self._flow.seen(waiting + claimed),
            **{event: events.get(event, 0) for event in ("deduped", "corrupt", "stale")},
        )

    def worker(self) -> int | None:
        return None  # others work it, too, and nobody has to wait for them

    def bells(self) -> Sequence[int]:
        if is_pooled(self._db.url):  # a pooler passes no notice on
            return ()
        self._bell = self._bell or Bell(self._db.url)
        return (self._bell.fd,)

    def pause(self) -> timedelta:
        return _PAUSE

    def close(self) -> None:
        with self._lock:
            if self._bell is not None:
                self._bell.close()
                self._bell = None
            try:
                self._hand_back()
            finally:
                self._db.close()

    def _ask(self, *wanted: Asked) -> list[list[Any]]:
        """One transaction in one round trip, which also tells what became of jobs."""
        with self._lock:
            first = list(self._owed)
            if self._finished:
                first.append(self._ours(statements.DONE, self._finished))
            try:
                found = self._db.ask(_EVERY, *first, *wanted)
            except Unavailable:
                self._is_unsure = True
                raise
            self._owed.clear()
            self._finished.clear()
            return found[len(first) :]

    def _ours(self, statement: str, tokens: dict[str, int], **values: object) -> Asked:
        """A statement about jobs as long as they are ours."""
        held = {"ids": list(tokens), "tokens": list(tokens.values())}
        return asked(statement, owner=self._owner, **held, **values)

    def _take(self, now: datetime, most: int) -> None:
        """Claim what is due, and set aside what cannot be read."""
        values = {"now": now, "most": most, "owner": self._owner, "lease": self._limits.lease}
        before = [*self._recovery(), *self._upkeep.due(now)]
        rows = self._ask(*before, asked(statements.CLAIM, **values))[-1]
        self._is_unsure = False
        if before:
            self._upkeep.done()
        jobs = {row[0]: job_of(row) for row in rows}
        if broken := [identity for identity, job in jobs.items() if job is None]:
            self._ask(asked(statements.SET_ASIDE, ids=broken))
        for job in filter(None, jobs.values()):
            self._tokens[job.id] = job.attempts
            self._ready.append(job)

    def _recovery(self) -> list[Asked]:
        """Give back what the server believes to be ours since an answer of it was lost."""
        held = [*self._tokens, *self._finished]  # what is owed comes before it
        lost = asked(statements.UNKNOWN, owner=self._owner, held=held)
        return [lost] if self._is_unsure else []

    def _keep(self, statement: str, records: Sequence[tuple[Job, bytes]]) -> int:
        """How many of the jobs are new; the others wait already."""
        found = self._ask(asked(statement, **columns(records)), *self._ringer.notice())
        return int(found[0][0][0])

    def _settle(self, statement: str, job: Job, **values: object) -> None:
        """End our attempt at a job; nothing happens when it is no longer ours."""
        with self._lock:
            token = self._tokens.pop(job.id, job.attempts)
            self._owed.append(self._ours(statement, {job.id: token}, **values))
            with suppress(Unavailable):  # it is told as soon as the server is back
                self._ask()

    def _hand_back(self) -> None:
        """End what is done, and let others begin what we did not."""
        unbegun = {job.id: job.attempts for job in self._ready}
        if unbegun or self._finished or self._owed:
            self._ask(self._ours(statements.HAND_BACK, unbegun))
        for identity in unbegun:
            self._tokens.pop(identity, None)
        self._ready.clear()

    def _remove(self, identity: str, *states: int) -> bool:
        return bool(self._ask(asked(statements.REMOVE, id=identity, states=list(states)))[0])

    def _listed(self, *states: int) -> list[Job]:
        rows = self._ask(asked(statements.LIST, states=list(states)))[0]
        return [job for row in rows if (job := job_of(row))]
