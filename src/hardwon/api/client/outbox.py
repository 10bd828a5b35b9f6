"""Runs on their way to a server: stored on this machine first, sent when the server answers."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import HardwonError, InvalidInput, Unavailable
from hardwon.core.settings import Settings
from hardwon.core.values.job import Job, new_job
from hardwon.core.values.run import Episode, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import ending, screen
from hardwon.engine.worker import Sender
from hardwon.knowledge.reading import verdict
from hardwon.storage.queues.files import FileQueue

if TYPE_CHECKING:
    from hardwon.api.client.wire import Wire

_RUN = "run:"  # prefix of an episode's source here; the id of the run follows


class ServerConnection:
    """What all handles of one server share; `name` identifies server and key."""

    def __init__(
        self, wire: Wire, name: str, settings: Settings, clock: Callable[[], datetime]
    ) -> None:
        self.account = blake2b(name.encode(), digest_size=8).hexdigest()
        self.wire = wire
        self.settings = settings
        self.clock = clock
        self.trouble: Callable[[BaseException], None] = _warn
        self.outbox = Outbox(os.path.join(settings.home, "outbox", self.account), wire, self.tell)

    def tell(self, error: BaseException) -> None:
        """Report an error that was hidden from the agent's turn."""
        try:
            self.trouble(error)
        except Exception:  # noqa: BLE001 - a listener of the program must not end its turn
            return


def _warn(error: BaseException) -> None:
    logging.getLogger("hardwon").warning("no lessons at this door: %s", error)


class Outbox:
    """Jobs as files in a folder of this machine; a thread sends them."""

    def __init__(self, folder: str, wire: Wire, tell: Callable[[BaseException], None]) -> None:
        self._folder = folder
        self._queue = FileQueue(folder)
        self._wire = wire
        self._tell = tell
        self._sending = threading.Lock()
        self.sent = 0  # by this process
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
                self.sent += 1
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
        run = episode.source.removeprefix(_RUN)
        place = {"agent": episode.scope.agent, "project": episode.scope.project, "run": run}
        ended = {"task": episode.task, "attempt": episode.attempt, "error": episode.error}
        try:
            for at, step in enumerate(episode.steps):
                fields = {**place, **step_fields(step)}
                name = f"{job.id}-{at}"
                self._wire.call("doors.after_action", None, fields, once=name, briefly=briefly)
            fields = {**place, **ended, "signals": dict(episode.signals)}
            self._wire.call("doors.after_run", None, fields, once=job.id, briefly=briefly)
        except InvalidInput as error:  # it can never be sent, and must not block others
            self._tell(error)
        except HardwonError as error:
            raise Unavailable(str(error)) from error


class RemoteRun:
    """The current run on a server, and its steps that could not be sent.

    An unnamed run is followed by a new one when it ends.
    """

    def __init__(self, connection: ServerConnection, own: Scope, name: str | None) -> None:
        self._connection = connection
        self._name = name
        self._place = {"agent": own.agent, "project": own.project}
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget the steps; the next call begins a new run, unless this one has a name."""
        self.id = self._name or f"client-{os.urandom(8).hex()}"
        self.unsent: list[Step] = []

    def send(self, name: str, **fields: object) -> Any:
        """The answer of a door of the server for this run."""
        arguments = {**self._place, "run": self.id, **fields}
        return self._connection.wire.call(name, None, arguments, briefly=True)

    def catch_up(self) -> None:
        """Send the steps that could not be sent earlier."""
        while self.unsent:
            self.send("doors.after_action", **step_fields(self.unsent[0]))
            self.unsent.pop(0)

    def keep(self, step: Step, output: object, failed: bool | None) -> bool:
        """Keep a step for later; returns whether it failed, as the server would judge."""
        if failed is None:
            failed = verdict.has_failed(step.tool, output, step.args, tuple(self.unsent))
        self.unsent.append(screen.screen_step(step._replace(failed=failed)))
        return failed

    def hand_in(self, ended: Episode, trigger: str | None) -> Job:
        """Store the end of the run durably for the server; the job that it becomes there."""
        clean = ending.fit(screen.screen_episode(ended))
        job = new_job(clean, trigger or Trigger.NOTE, self._connection.clock())
        self._connection.outbox.put(job, self.id)
        return job


def step_fields(step: Step) -> dict[str, Any]:
    """A step as it is sent."""
    return {"tool": step.tool, "args": step.args, "output": step.output, "failed": step.failed}
