"""Goals, runs and dreams of an agent on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from hardwon.api import run_input
from hardwon.api.client import decode, decode_runs
from hardwon.api.client.local_only import LOCAL_ONLY
from hardwon.api.lessons import within
from hardwon.api.namespaces import Goals, Runs
from hardwon.core.text.clean import as_text
from hardwon.core.values import plain
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.learn.maintenance import Dreams

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.api.client.wire import Wire
    from hardwon.api.namespaces import Fallback
    from hardwon.core.values.dream import Dream, DreamChange
    from hardwon.core.values.job import Job
    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.run import EndedRun
    from hardwon.core.values.scope import Scope


class _Place:
    """An agent in a project on a server."""

    def __init__(self, wire: Wire, own: Scope) -> None:
        self.wire = wire
        self.tenant = own.tenant
        self.names = {"agent": own.agent, "project": own.project}

    def get(self, path: str, **asked: object) -> Any:
        """The answer to a GET request."""
        return self.wire.get(path, {**self.names, **asked})

    def job(self, path: str, body: dict[str, Any]) -> Job | None:
        """Report an end; the job that it queued."""
        fields = self.wire.send("POST", path, body, self.names)["job"]
        return decode_runs.job(fields, self.tenant) if fields else None

    def context(self, path: str, **asked: object) -> Injection:
        """The lessons at this path."""
        return decode.injection(self.get(path, **asked), self.tenant)


class RemoteGoals(Goals):
    """The same verbs over the network."""

    def __init__(self, wire: Wire, own: Scope, attempt: Fallback) -> None:
        super().__init__(LOCAL_ONLY, own, attempt)
        self._place = _Place(wire, own)

    def ended(
        self,
        goal_id: object,
        objective: object,
        state: object = "completed",
        *,
        tasks: Iterable[object] = (),
        error: object = None,
    ) -> Job | None:
        names = {"goal_id": goal_id, "objective": objective, "state": state, "error": error}
        body = {name: as_text(value) for name, value in names.items()}
        sent = {**body, "tasks": [plain(task) for task in tasks]}
        return self._attempt(lambda: self._place.job("/v1/goals", sent), None)

    def context(self, goal_id: object = None, *, objective: str = "") -> Injection:
        goal = None if goal_id is None else as_text(goal_id)
        query = {"goal": goal, "objective": objective}
        return self._attempt(lambda: self._place.context("/v1/goals/context", **query), NOTHING)

    def reflections(self, goal_id: object = None, *, limit: int = 25) -> Sequence[Reflection]:
        goal = None if goal_id is None else as_text(goal_id)
        items = self._place.get("/v1/goals", goal=goal, limit=within(limit, 1000))["items"]
        return [decode.reflection(item, self._scope.tenant) for item in items]


class RemoteRuns(Runs):
    """The same verbs over the network."""

    def __init__(self, wire: Wire, own: Scope, attempt: Fallback) -> None:
        super().__init__(LOCAL_ONLY, own, attempt)
        self._place = _Place(wire, own)

    def ended(
        self,
        task: str,
        *,
        tools: Iterable[str] = (),
        seconds: float = 0.0,
        retries: int = 0,
        failed: bool = False,
        error: object = None,
    ) -> Job | None:
        body = {
            "task": as_text(task),
            "tools": [as_text(tool) for tool in tools],
            "seconds": seconds,
            "retries": retries,
            "failed": failed,
            "error": run_input.problem_of(error),
        }
        return self._attempt(lambda: self._place.job("/v1/runs", body), None)

    def context(self, text: str = "") -> Injection:
        query = {"text": as_text(text)}
        return self._attempt(lambda: self._place.context("/v1/runs/context", **query), NOTHING)

    def list(self, *, text: str = "", limit: int = 25) -> Sequence[EndedRun]:
        query = {"q": as_text(text), "limit": within(limit, 1000)}
        items = self._place.get("/v1/runs", **query)["items"]
        return tuple(decode_runs.ended_run(item, self._scope.tenant) for item in items)

    def get(self, identity: str) -> EndedRun:
        path = f"/v1/runs/{quote(as_text(identity), safe='')}"
        return decode_runs.ended_run(self._place.get(path), self._scope.tenant)


class RemoteDreams(Dreams):
    """Looking at dreams and undoing them; they are dreamt where the server runs."""

    def __init__(self, wire: Wire, own: Scope) -> None:
        super().__init__(LOCAL_ONLY, own)
        self._place = _Place(wire, own)

    def list(self, *, limit: int = 25) -> Sequence[Dream]:
        items = self._place.get("/v1/dreams", limit=limit)["items"]
        return [decode.dream(item, self._scope.tenant) for item in items]

    def get(self, dream_id: str) -> Dream:
        return decode.dream(self._fields(dream_id), self._scope.tenant)

    def changes(self, dream_id: str) -> Sequence[DreamChange]:
        return [decode.dream_change(item) for item in self._fields(dream_id)["changes"]]

    def undo(self, dream_id: str) -> tuple[Dream, int, int]:
        place = self._place
        answer = place.wire.send("POST", f"{_dream_path(dream_id)}/undo", None, place.names)
        dream = decode.dream(answer["dream"], self._scope.tenant)
        return dream, answer["restored"], answer["left"]

    def _fields(self, dream_id: str) -> Any:
        return self._place.get(_dream_path(dream_id))


def _dream_path(dream_id: str) -> str:
    return f"/v1/dreams/{quote(as_text(dream_id), safe='')}"
