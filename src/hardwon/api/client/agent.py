"""One agent whose lessons are on a server. The doors never raise, and wait only briefly."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from hardwon.api import Agent, run_input
from hardwon.api.client import decode
from hardwon.api.client.learning import RemoteDreams, RemoteGoals, RemoteRuns
from hardwon.api.client.lessons import RemoteLessons
from hardwon.api.client.local_only import LOCAL_ONLY
from hardwon.api.client.run import RemoteRun, sent, step_of
from hardwon.core.text.clean import LABEL_LIMIT, LESSON_LIMIT, as_text, required
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.run import Episode, Step
from hardwon.engine.pipeline import capture
from hardwon.knowledge.reading import call_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hardwon.api.client.connection import ServerConnection
    from hardwon.core.values.job import Job
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope
    from hardwon.knowledge.ranking.scores import Judged

    T = TypeVar("T")


class RemoteAgent(Agent):
    """The same verbs. Steps and ends of runs that cannot be sent are kept and sent later."""

    def __init__(self, connection: ServerConnection, own: Scope, run: str | None = None) -> None:
        super().__init__(LOCAL_ONLY, own, run)
        self._connection = connection
        self._wire = connection.wire
        self.lessons = RemoteLessons(self._wire, own)
        self._work = RemoteRun(connection, own, self._run_name)

    def start(self, *, again: bool = False) -> Injection:
        return self._asked("/v1/start", {"again": True} if again else {})

    def before_turn(self, prompt: str, *, hyde: bool | None = None) -> Injection:
        body = {"prompt": as_text(prompt)}
        return self._asked("/v1/before_turn", body if hyde is None else {**body, "hyde": hyde})

    def before_action(self, tool: str, args: object) -> Injection:
        call = call_keys.canonical(args)
        return self._asked("/v1/before_action", {"tool": as_text(tool), "args": call})

    def after_action(
        self, tool: str, args: object, *, output: object = "", failed: bool | None = None
    ) -> Injection:
        step = step_of(tool, args, output)
        judged = {} if failed is None else {"failed": failed}

        def after() -> Injection:
            self._work.catch_up()
            return self._injection("/v1/after_action", {**sent(step), **judged})

        injection = self._attempt(after, None)
        if injection is not None:
            return injection
        return NOTHING._replace(failed=self._work.keep(step, output, failed))

    def after_run(
        self,
        *,
        task: str,
        attempt: str = "",
        error: object = None,
        signals: Mapping[str, object] | None = None,
        steps: Sequence[Step] | None = None,
    ) -> Job | None:
        """Queue a reflection if the run is worth one; it is durable here on return."""
        flags, problem = run_input.flags_of(signals), run_input.problem_of(error)
        steps_made = self._work.unsent if steps is None else list(run_input.steps_of(steps))
        trigger = capture.trigger_of(bool(problem), flags, self._connection.settings.reflexion)
        texts = as_text(task), as_text(attempt), problem
        ended = Episode(self.scope, *texts, steps=tuple(steps_made), signals=tuple(flags.items()))
        job = None
        if trigger is not None or steps_made:
            job = self._work.hand_in(ended, trigger)
        else:
            self._attempt(lambda: self._work.send("/v1/end_run", {}), None)
        self._work.begin_anew()
        return job if trigger is not None else None

    def end_run(self) -> None:  # the server queues the run, if a model reads runs there
        self._attempt(self._work.catch_up, None)
        self._work.send("/v1/end_run", {})
        self._work.begin_anew()

    def explain(
        self, door: str, text: str, *, tool: str = "bash", hyde: bool | None = None
    ) -> Sequence[Judged]:
        query = {"door": door, "text": text, "tool": tool, "explain": True}
        candidates = self._wire.get("/v1/recall", {**self._work.place, **query})["candidates"]
        lessons = {
            candidate["lesson"]: self.lessons.get(candidate["lesson"]) for candidate in candidates
        }
        return [decode.judged(candidate, lessons) for candidate in candidates]

    def learn(self, text: str, *, situation: str = "") -> Lesson:
        body = {"text": required(text, "lesson", LESSON_LIMIT)}
        if situation:
            body["situation"] = required(situation, "situation", LABEL_LIMIT)
        fields = self._wire.send("POST", "/v1/learn", body, self._work.place)
        return decode.lesson(fields, self.scope.tenant)

    def digest(self, *, tokens: int = 300) -> str:
        def ask() -> str:
            return str(self._wire.get("/v1/digest", {**self._work.place, "tokens": tokens})["text"])

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
        self._wire.send("POST", f"/v1/deliveries/{delivery}/outcome", body, self._work.place)

    def _asked(self, path: str, body: Mapping[str, object]) -> Injection:
        return self._attempt(lambda: self._injection(path, body), NOTHING)

    def _injection(self, path: str, body: Mapping[str, object]) -> Injection:
        return decode.injection(self._work.send(path, body), self.scope.tenant)

    def _attempt(self, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
            self._connection.tell(error)
            return otherwise
