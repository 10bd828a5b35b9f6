"""The current run on a server, and its steps that could not be sent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import as_text
from hardwon.core.values.job import Job, new_job
from hardwon.core.values.run import Episode, Step, Trigger
from hardwon.engine.pipeline import capture, screen
from hardwon.knowledge.reading import call_keys, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hardwon.api.client.connection import ServerConnection
    from hardwon.core.values.scope import Scope


class RemoteRun:
    """One run of an agent; an unnamed run is followed by a new one when it ends."""

    def __init__(self, connection: ServerConnection, own: Scope, name: str | None) -> None:
        self._connection = connection
        self._name = name
        self.place: dict[str, object] = {"agent": own.agent, "project": own.project}
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget the steps; the next call begins a new run, unless this one has a name."""
        self.id = self._name or f"client-{os.urandom(8).hex()}"
        self.unsent: list[Step] = []

    def send(self, path: str, body: Mapping[str, object]) -> Any:
        """The answer of a door of the server for this run."""
        return self._connection.wire.door(path, body, {**self.place, "run": self.id})

    def catch_up(self) -> None:
        """Send the steps that could not be sent earlier."""
        while self.unsent:
            step = self.unsent[0]
            self.send("/v1/after_action", {**sent(step), "failed": step.failed})
            self.unsent.pop(0)

    def keep(self, step: Step, output: object, failed: bool | None) -> bool:
        """Keep a step for later; returns whether it failed, as the server would judge."""
        past = tuple(self.unsent)
        if failed is None:
            failed = verdict.has_failed(step.tool, output, step.args, past)
        self.unsent.append(screen.screen_step(step._replace(failed=failed)))
        return failed

    def hand_in(self, ended: Episode, trigger: str | None) -> Job:
        """Store the end of the run durably for the server; the job that it becomes there."""
        clean = capture.fitted(screen.screen_episode(ended))
        job = new_job(clean, trigger or Trigger.NOTE, self._connection.clock())
        self._connection.outbox.put(job, self.id)
        return job


def step_of(tool: object, args: object, output: object) -> Step:
    """A step as text; whether it failed is not known yet."""
    return Step(as_text(tool), call_keys.canonical(args), as_text(output))


def sent(step: Step) -> dict[str, object]:
    """The fields of a step to send; the server judges whether it failed."""
    return {"tool": step.tool, "args": step.args, "output": step.output}
