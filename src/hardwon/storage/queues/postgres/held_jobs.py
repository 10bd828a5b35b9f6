"""The jobs that one process holds, and what it must still report to the server."""

from __future__ import annotations

import itertools
import os
from collections import Counter, deque
from typing import TYPE_CHECKING

from hardwon.storage.queues.postgres import statements
from hardwon.storage.sql.dialect import Statement, bind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.job import Job


class HeldJobs:
    """Claimed jobs. No two requests for jobs have the same token; with it an attempt settles."""

    def __init__(self) -> None:
        self._process = f"{os.urandom(8).hex()}."
        self._number = itertools.count(1)
        self.ready: deque[Job] = deque()  # not yet handed out
        self._claims: dict[str, str] = {}  # of the attempt that holds each job
        self._finished: dict[str, str] = {}  # done, but still in the table
        self._unsent: list[tuple[Statement, str]] = []  # with the event that each one counts
        self._lost_answer = False

    def new_claim(self) -> str:
        """The token of the next request for jobs."""
        return f"{self._process}{next(self._number)}"

    def receive(self, jobs: Iterable[Job]) -> None:
        """Take over these claimed jobs."""
        for job in jobs:
            self._claims[job.id] = job.claim
            self.ready.append(job)

    def finish(self, job: Job) -> None:
        """Note that a job is done, if this attempt holds it."""
        if self._is_held(job):
            self._finished[job.id] = self._claims.pop(job.id)

    def settle(self, statement: str, job: Job, *, event: str = "", **values: object) -> None:
        """Note another outcome of a job, if this attempt holds it."""
        if self._is_held(job):
            claim = {job.id: self._claims.pop(job.id)}
            self._unsent.append((_about(statement, claim, **values), event))

    def hand_back(self) -> None:
        """Give back the jobs that were claimed but not begun."""
        unbegun = {job.id: self._claims.pop(job.id) for job in self.ready}
        self.ready.clear()
        if unbegun:
            self._unsent.append((_about(statements.HAND_BACK, unbegun), ""))

    def unsent(self) -> list[Statement]:
        """The statements to send before any other."""
        done = [_about(statements.DONE, self._finished)] if self._finished else []
        return [*(statement for statement, _ in self._unsent), *done]

    def sent(self, settled: Sequence[Sequence[object]]) -> Counter[str]:
        """Forget what has been reported; counts the jobs that the server settled by it."""
        events = [*(event for _, event in self._unsent), "done"]
        self._unsent.clear()
        self._finished.clear()
        return Counter(
            event for event, rows in zip(events, settled, strict=False) if event for _ in rows
        )

    def lost_answer(self) -> None:
        """Note that an answer was lost: jobs may have been claimed without being received."""
        self._lost_answer = True

    def recovery(self) -> list[Statement]:
        """The statements that give back jobs whose claim was lost."""
        if not self._lost_answer:
            return []
        self._lost_answer = False
        claims = [*self._claims.values()]
        return [bind(statements.UNKNOWN, process=self._process, claims=claims)]

    def _is_held(self, job: Job) -> bool:
        return bool(job.claim) and self._claims.get(job.id) == job.claim


def _about(statement: str, claims: dict[str, str], **values: object) -> Statement:
    return bind(statement, ids=list(claims), claims=list(claims.values()), **values)
