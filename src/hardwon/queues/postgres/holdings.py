"""The jobs that one process holds, and what it still has to tell the server about them."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

from hardwon.postgres.database import Asked, asked
from hardwon.queues.postgres import statements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.values.job import Job


class Holdings:
    """Claimed jobs. The owner and the number of the attempt are the token that settles one."""

    def __init__(self) -> None:
        self.owner = os.urandom(8).hex()
        self.ready: deque[Job] = deque()  # not yet handed out
        self._tokens: dict[str, int] = {}
        self._finished: dict[str, int] = {}  # done, and still in the table
        self._owed: list[Asked] = []
        self._is_unsure = False

    def receive(self, jobs: Iterable[Job]) -> None:
        """These are ours from now on."""
        for job in jobs:
            self._tokens[job.id] = job.attempts
            self.ready.append(job)

    def finish(self, job: Job) -> bool:
        """Note that a job is done; False when it is not ours."""
        if job.id not in self._tokens:
            return False
        self._finished[job.id] = self._tokens.pop(job.id)
        return True

    def settle(self, statement: str, job: Job, **values: object) -> None:
        """Note what becomes of a job otherwise; nothing does when it is no longer ours."""
        token = self._tokens.pop(job.id, job.attempts)
        self._owed.append(self._about(statement, {job.id: token}, **values))

    def hand_back(self) -> None:
        """Give back the jobs that were claimed and not begun."""
        unbegun = {job.id: self._tokens.pop(job.id) for job in self.ready}
        self.ready.clear()
        if unbegun:
            self._owed.append(self._about(statements.HAND_BACK, unbegun))

    def owed(self) -> list[Asked]:
        """What to tell the server before anything else."""
        done = [self._about(statements.DONE, self._finished)] if self._finished else []
        return [*self._owed, *done]

    def paid(self) -> None:
        """The server knows."""
        self._owed.clear()
        self._finished.clear()

    def doubt(self) -> None:
        """Note that an answer was lost: its claim may have been made without our knowing."""
        self._is_unsure = True

    def recovery(self) -> list[Asked]:
        """Give back what the server believes to be ours since an answer was lost."""
        if not self._is_unsure:
            return []
        self._is_unsure = False
        return [asked(statements.UNKNOWN, owner=self.owner, held=list(self._tokens))]

    def _about(self, statement: str, tokens: dict[str, int], **values: object) -> Asked:
        jobs = {"ids": list(tokens), "tokens": list(tokens.values())}
        return asked(statement, owner=self.owner, **jobs, **values)
