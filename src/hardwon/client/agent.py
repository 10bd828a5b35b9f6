"""One agent, whose lessons are on a server. The doors never raise into its turn, nor wait long."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from hardwon import handed_over
from hardwon.api import Agent
from hardwon.client import reading
from hardwon.client.elsewhere import ELSEWHERE
from hardwon.client.learning import RemoteDreams, RemoteGoals, RemoteRuns
from hardwon.client.lessons import RemoteLessons
from hardwon.failures import call_keys, verdict
from hardwon.pipeline import capture, screen
from hardwon.text.clean import LABEL_LIMIT, LESSON_LIMIT, as_text, required
from hardwon.values.delivery import NOTHING, Injection
from hardwon.values.episode import Episode, Trigger
from hardwon.values.job import new_job
from hardwon.values.step import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from hardwon.client.opening import Connection
    from hardwon.ranking.scores import Judged
    from hardwon.values.job import Job
    from hardwon.values.lesson import Lesson
    from hardwon.values.scope import Scope

    T = TypeVar("T")


class RemoteAgent(Agent):
    """The same verbs. Steps and ends of runs that do not reach the server are kept and sent."""

    def __init__(self, connection: Connection, own: Scope, run: str | None = None) -> None:
        super().__init__(ELSEWHERE, own, run)
        self._connection = connection
        self._wire = connection.wire
        self.lessons = RemoteLessons(self._wire, own)
        self._run_id = self._run_name or _new_run()
        self._unsent: list[Step] = []

    def start(self) -> Injection:
        return self._asked("/v1/start", {})

    def before_turn(self, prompt: str, *, hyde: bool | None = None) -> Injection:
        told = {"prompt": as_text(prompt)}
        return self._asked("/v1/before_turn", told if hyde is None else {**told, "hyde": hyde})

    def before_action(self, tool: str, args: object) -> Injection:
        call = call_keys.canonical(args)
        return self._asked("/v1/before_action", {"tool": as_text(tool), "args": call})

    def after_action(
        self, tool: str, args: object, *, output: object = "", failed: bool | None = None
    ) -> Injection:
        step = Step(as_text(tool), call_keys.canonical(args), as_text(output))
        said = {} if failed is None else {"failed": failed}

        def after() -> Injection:
            self._catch_up()
            return self._injection("/v1/after_action", {**_told(step), **said})

        found = self._attempt(after, None)
        if found is not None:
            return found
        has_failed = self._has_failed(step, output) if failed is None else failed
        self._unsent.append(screen.screen_step(step._replace(failed=has_failed)))
        return NOTHING._replace(failed=has_failed)

    def after_run(
        self,
        *,
        task: str,
        attempt: str = "",
        error: object = None,
        signals: Mapping[str, object] | None = None,
        steps: Sequence[Step] | None = None,
    ) -> Job | None:
        """Queues a reflection when the run is worth one; it is durable here on return."""
        flags, problem = handed_over.flags_of(signals), handed_over.problem_of(error)
        given = self._unsent if steps is None else list(handed_over.steps_of(steps))
        trigger = capture.trigger_of(bool(problem), flags, self._connection.settings.reflexion)
        texts = as_text(task), as_text(attempt), problem
        told = Episode(self.scope, *texts, steps=tuple(given), signals=tuple(flags.items()))
        job = None
        if trigger is not None or given:
            clean = capture.fitted(screen.screen_episode(told))
            job = new_job(clean, trigger or Trigger.NOTE, self._connection.clock())
            self._connection.outbox.put(job, self._run_id)
        else:
            self._attempt(lambda: self._send("/v1/end_run", {}), None)
        self._begin_anew()
        return job if trigger is not None else None

    def end_run(self) -> None:
        self._attempt(self._catch_up, None)
        self._send("/v1/end_run", {})
        self._begin_anew()

    def explain(
        self, door: str, text: str, *, tool: str = "bash", hyde: bool | None = None
    ) -> Sequence[Judged]:
        asked = {"door": door, "text": text, "tool": tool, "explain": True}
        told = self._wire.get("/v1/recall", {**self._place, **asked})["candidates"]
        lessons = {one["lesson"]: self.lessons.get(one["lesson"]) for one in told}
        return [reading.judged(one, lessons) for one in told]

    def learn(self, text: str, *, situation: str = "") -> Lesson:
        body = {"text": required(text, "lesson", LESSON_LIMIT)}
        if situation:
            body["situation"] = required(situation, "situation", LABEL_LIMIT)
        told = self._wire.send("POST", "/v1/learn", body, self._place)
        return reading.lesson(told, self.scope.tenant)

    def digest(self, *, tokens: int = 300) -> str:
        def ask() -> str:
            return str(self._wire.get("/v1/digest", {**self._place, "tokens": tokens})["text"])

        return self._attempt(ask, "")

    @property
    def goals(self) -> RemoteGoals:
        return RemoteGoals(self._wire, self.scope, self._attempt)

    @property
    def runs(self) -> RemoteRuns:
        return RemoteRuns(self._wire, self.scope, self._attempt)

    @property
    def dreams(self) -> RemoteDreams:
        return RemoteDreams(self._wire, self.scope)

    def report(self, injection: Injection, outcome: str) -> None:
        delivery = quote(as_text(getattr(injection, "id", "")) or "none", safe="")
        body = {"outcome": as_text(outcome)}
        self._wire.send("POST", f"/v1/deliveries/{delivery}/outcome", body, self._place)

    @property
    def _place(self) -> dict[str, object]:
        return {"agent": self.scope.agent, "project": self.scope.project}

    def _asked(self, path: str, body: Mapping[str, object]) -> Injection:
        return self._attempt(lambda: self._injection(path, body), NOTHING)

    def _injection(self, path: str, body: Mapping[str, object]) -> Injection:
        return reading.injection(self._send(path, body), self.scope.tenant)

    def _send(self, path: str, body: Mapping[str, object]) -> Any:
        return self._wire.door(path, body, {**self._place, "run": self._run_id})

    def _catch_up(self) -> None:
        """Send the steps that did not reach the server when they were made."""
        while self._unsent:
            step = self._unsent[0]
            self._send("/v1/after_action", {**_told(step), "failed": step.failed})
            self._unsent.pop(0)

    def _has_failed(self, step: Step, output: object) -> bool:
        return verdict.has_failed(step.tool, output, step.args, tuple(self._unsent))

    def _begin_anew(self) -> None:
        """The next call begins another run, unless this one was named."""
        self._unsent = []
        if self._run_name is None:
            self._run_id = _new_run()

    def _attempt(self, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
            self._connection.tell(error)
            return otherwise


def _told(step: Step) -> dict[str, object]:
    return {"tool": step.tool, "args": step.args, "output": step.output}


def _new_run() -> str:
    return f"client-{os.urandom(8).hex()}"
