"""The jobs that one process holds, and what it must still report to the server."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

from hardwon.postgres.database import Statement, bind
from hardwon.queues.postgres import statements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.values.job import Job


class HeldJobs:
    """Claimed jobs. Owner and attempt number are the token that settles a job."""

    def __init__(self) -> None:
        self.owner = os.urandom(8).hex()
        self.ready: deque[Job] = deque()  # not yet handed out
        self._tokens: dict[str, int] = {}
        self._finished: dict[str, int] = {}  # done, but still in the table
        self._unsent: list[Statement] = []
        self._lost_answer = False

    def receive(self, jobs: Iterable[Job]) -> None:
        """Take over these claimed jobs."""
        for job in jobs:
            self._tokens[job.id] = job.attempts
            self.ready.append(job)

    def finish(self, job: Job) -> bool:
        """Note that a job is done; False if this process does not hold it."""
        if job.id not in self._tokens:
            return False
        self._finished[job.id] = self._tokens.pop(job.id)
        return True

    def settle(self, statement: str, job: Job, **values: object) -> None:
        """Note another outcome of a job; without effect if it is no longer held."""
        token = self._tokens.pop(job.id, job.attempts)
        self._unsent.append(self._about(statement, {job.id: token}, **values))

    def hand_back(self) -> None:
        """Give back the jobs that were claimed but not begun."""
        unbegun = {job.id: self._tokens.pop(job.id) for job in self.ready}
        self.ready.clear()
        if unbegun:
            self._unsent.append(self._about(statements.HAND_BACK, unbegun))

    def unsent(self) -> list[Statement]:
        """The statements to send before any other."""
        done = [self._about(statements.DONE, self._finished)] if self._finished else []
        return [*self._unsent, *done]

    def sent(self) -> None:
        """Forget what has been reported."""
        self._unsent.clear()
        self._finished.clear()

    def lost_answer(self) -> None:
        """Note that an answer was lost: jobs may have been claimed without being received."""
        self._lost_answer = True

    def recovery(self) -> list[Statement]:
        """The statements that give back jobs whose claim was lost."""
        if not self._lost_answer:
            return []
        self._lost_answer = False
        return [bind(statements.UNKNOWN, owner=self.owner, held=list(self._tokens))]

    def _about(self, statement: str, tokens: dict[str, int], **values: object) -> Statement:
        jobs = {"ids": list(tokens), "tokens": list(tokens.values())}
        return bind(statement, owner=self.owner, **jobs, **values)
