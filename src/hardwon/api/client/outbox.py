"""Ended runs: stored on this machine first, then sent when the server is reachable."""

from __future__ import annotations

import os
import threading
from hashlib import blake2b
from typing import TYPE_CHECKING

from hardwon.core.errors import HardwonError, InvalidInput, Unavailable
from hardwon.engine.outbox import Sender
from hardwon.storage.queues.files import FileQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.api.client.wire import Wire
    from hardwon.core.values.job import Job
    from hardwon.core.values.run import Episode, Step

_RUN = "run:"  # prefix of an episode's source here; the id of the run follows


class Outbox:
    """Jobs as files in a folder of this machine; a thread sends them."""

    def __init__(self, folder: str, wire: Wire, tell: Callable[[BaseException], None]) -> None:
        self._folder = folder
        self._queue = FileQueue(folder)
        self._wire = wire
        self._tell = tell
        self._sending = threading.Lock()
        self._sender = Sender(self.send)
        if os.path.isdir(folder):
            self._sender.send()  # jobs of an earlier process

    def put(self, job: Job, run: str) -> None:
        """Store a job; it is durable when this returns."""
        name = f"{job.id}-{blake2b(run.encode(), digest_size=8).hexdigest()}"
        episode = job.episode._replace(source=f"{_RUN}{run}")
        self._queue.put(job._replace(id=name, episode=episode))
        self._sender.send()

    def waiting(self) -> list[Job]:
        """The jobs that were not sent yet, oldest first."""
        return list(self._queue.records())

    def send(self, *, briefly: bool = False) -> int:
        """Send all jobs now; returns how many. Raises Unavailable if the server is down."""
        with self._sending:
            sent = 0
            for job in self._queue.records():
                self._send(job, briefly)
                self._queue.forget(job)
                sent += 1
        return sent

    def close(self) -> None:
        """Try once more; the next process sends what remains."""
        self._sender.close()
        try:
            if os.path.isdir(self._folder):
                self.send(briefly=True)
        except Unavailable as error:
            self._tell(error)
        self._queue.close()

    def _send(self, job: Job, briefly: bool) -> None:
        """Send one job; the server ignores repetitions."""
        episode = job.episode
        steps = [(f"{job.id}-{at}", _step(step)) for at, step in enumerate(episode.steps)]
        requests = [("/v1/after_action", *step) for step in steps]
        try:
            for path, name, body in (*requests, ("/v1/after_run", job.id, _end(episode))):
                query = _query(episode)
                self._wire.send("POST", path, body, query, once=name, door=briefly)
        except InvalidInput as error:  # it can never be sent, and must not block others
            self._tell(error)
        except HardwonError as error:
            raise Unavailable(str(error)) from error


def _step(step: Step) -> dict[str, object]:
    return {"tool": step.tool, "args": step.args, "output": step.output, "failed": step.failed}


def _end(episode: Episode) -> dict[str, object]:
    fields = {"task": episode.task, "attempt": episode.attempt, "error": episode.error}
    return {**fields, "signals": dict(episode.signals)}


def _query(episode: Episode) -> dict[str, object]:
    scope, run = episode.scope, episode.source.removeprefix(_RUN)
    return {"agent": scope.agent, "project": scope.project, "run": run}
