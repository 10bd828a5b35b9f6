"""A hardwon on a server: the verbs that can be done over the network, and no others.

Each verb sends an operation of the table. The doors never raise, and wait only briefly; steps and
ends of runs that cannot be sent are kept and sent later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from hardwon.api import Agent, run_input
from hardwon.api import operations as answers
from hardwon.api.client.handles import (
    RemoteDreams,
    RemoteGoals,
    RemoteHandle,
    RemoteLessons,
    RemotePlaybook,
    RemoteQueue,
    RemoteRuns,
    verb,
)
from hardwon.api.client.outbox import RemoteRun, ServerConnection, step_of
from hardwon.api.client.sync import Sync, key_of
from hardwon.api.client.wire import DOOR, Wire
from hardwon.api.codec import decode
from hardwon.core.errors import InvalidInput, Unavailable
from hardwon.core.project import author_of
from hardwon.core.settings import Settings, load
from hardwon.core.text.clean import as_text
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.job import Job, Tally
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.report import Report, Window
from hardwon.core.values.run import Episode, Step
from hardwon.core.values.scope import Scope
from hardwon.core.values.scope import scope as scoped
from hardwon.engine.pipeline import ending
from hardwon.engine.runtime import utc_now
from hardwon.knowledge.ranking.query import Match
from hardwon.knowledge.ranking.scores import Judged
from hardwon.knowledge.reading import call_keys
from hardwon.models.budget import Spent

if TYPE_CHECKING:
    from hardwon.api.client.sessions import RemoteSessions


class RemoteAgent(RemoteHandle):
    """One agent in one project. Its doors never raise into the agent's turn."""

    learn = verb(Agent.learn, "doors.learn")
    digest = verb(Agent.digest, "doors.digest", otherwise="")
    fix = verb(Agent.fix, "doors.fix")
    how = verb(Agent.how, "doors.how")
    recurring = verb(Agent.recurring, "doors.recurring")

    def __init__(self, connection: ServerConnection, own: Scope, run: str | None = None) -> None:
        super().__init__(connection, own)
        self.lessons = RemoteLessons(connection, own)
        self._work = RemoteRun(connection, own, None if run is None else as_text(run))

    def start(self, *, again: bool = False) -> Injection:
        """The playbook of this project, once, at the start of a run; else its usual failures."""
        return self._door("doors.start", again=again)

    def before_turn(self, prompt: str, *, hyde: bool | None = None) -> Injection:
        """The lessons to put before the model with this prompt; falsy if none fits."""
        return self._door("doors.before_turn", prompt=as_text(prompt), hyde=hyde)

    def before_action(self, tool: str, args: object) -> Injection:
        """A warning if this call will probably fail, or is forbidden; falsy if not."""
        call = call_keys.canonical(args)
        return self._door("doors.before_action", tool=as_text(tool), args=call)

    def after_action(
        self, tool: str, args: object, *, output: object = "", failed: bool | None = None
    ) -> Injection:
        """Record a step; returns the known fix if it failed in a known way."""
        step = step_of(tool, args, output)
        fields = {"tool": step.tool, "args": step.args, "output": step.output, "failed": failed}

        def after() -> Injection:
            self._work.catch_up()
            return self._answer("doors.after_action", **fields)

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
        """End a run; queue a reflection if it is worth one. The job is durable here on return."""
        flags, problem = run_input.flags_of(signals), run_input.problem_of(error)
        made = self._work.unsent if steps is None else list(run_input.steps_of(steps))
        trigger = ending.trigger_of(bool(problem), flags, self._connection.settings.reflexion)
        texts = as_text(task), as_text(attempt), problem
        ended = Episode(self.scope, *texts, steps=tuple(made), signals=tuple(flags.items()))
        job = None
        if trigger is not None or made:
            job = self._work.hand_in(ended, trigger)
        else:
            self._attempt(lambda: self._work.send("doors.end_run"), None)
        self._work.begin_anew()
        return job if trigger is not None else None

    def end_run(self) -> None:
        """End a run; the server queues it if a model reads runs there."""
        self._attempt(self._work.catch_up, None)
        self._work.send("doors.end_run")
        self._work.begin_anew()

    def explain(
        self, door: str, text: str, *, tool: str = "bash", hyde: bool | None = None
    ) -> Sequence[Judged]:
        """Every candidate at the `turn`, `action` or `error` door: its score, parts and verdict."""
        query = {"door": door, "text": text, "tool": tool, "explain": True}
        candidates = self._ask(answers.Recalled, "lessons.recall", **query).candidates
        return [
            Judged(
                Match(self.lessons.get(candidate.lesson)),
                candidate.score,
                tuple(candidate.parts.items()),
                candidate.verdict,
            )
            for candidate in candidates
        ]

    def readable(self, lessons: Sequence[Lesson]) -> Sequence[Lesson]:
        """The lessons that the agent may look up: the server withholds none outside the doors."""
        return lessons

    @property
    def goals(self) -> RemoteGoals:
        """Goals that ended: `ended`, `context`, `reflections`."""
        return RemoteGoals(self._connection, self.scope)

    @property
    def runs(self) -> RemoteRuns:
        """Runs that ended: `list`, `get`; how well they went: `ended`, `context`."""
        return RemoteRuns(self._connection, self.scope)

    @property
    def playbook(self) -> RemotePlaybook:
        """What the project has taught: `list`, `edit`, `pin`, `move`, `undo`, `add`, `write` …"""
        return RemotePlaybook(self._connection, self.scope)

    @property
    def sessions(self) -> RemoteSessions:
        """Past sessions of coding agents on this machine: `find`, `unrecorded`, `learn` …"""
        from hardwon.api.client.sessions import RemoteSessions  # an agent's turn has no use for it

        return RemoteSessions(self._connection, self.scope)

    @property
    def dreams(self) -> RemoteDreams:
        """Dreams: `list`, `get`, `changes`, `undo`."""
        return RemoteDreams(self._connection, self.scope)

    def report(self, injection: Injection, outcome: str) -> None:
        """Report the outcome of a delivery: `helped`, `ignored`, `failed` …"""
        delivery = as_text(getattr(injection, "id", "")) or "none"
        self._send("doors.report", delivery, outcome=as_text(outcome))

    def _door(self, name: str, **fields: Any) -> Injection:
        return self._attempt(lambda: self._answer(name, **fields), NOTHING)

    def _answer(self, name: str, **fields: Any) -> Injection:
        return decode(Injection, self._work.send(name, **fields), self.scope.tenant)


class RemoteHardwon(RemoteHandle):
    """One server and one key. Close it, or use it in a `with` block."""

    @property
    def settings(self) -> Settings:
        """The settings of this machine; the server has its own."""
        return self._connection.settings

    def agent(
        self,
        name: str,
        *,
        project: str | None = None,
        tenant: str = "default",
        run: str | None = None,
    ) -> RemoteAgent:
        """A handle for one agent; it never touches another agent's lessons."""
        return RemoteAgent(self._connection, _scope(name, project, tenant), run)

    @property
    def queue(self) -> RemoteQueue:
        """The queue: `waiting`, `dead`, `revive`, `purge`, `status`."""
        return RemoteQueue(self._connection)

    def wake(self) -> int | None:
        """Make sure a worker of the server is running."""
        self._send("queue.wake")
        return None

    def me(self) -> answers.Me:
        """The tenant, role and limits of the key, and the version of the server."""
        return self._ask(answers.Me, "operations.me")

    def send(self) -> int:
        """Send the runs that wait on this machine, now; how many were sent."""
        return self._connection.outbox.send()

    def unsent(self) -> list[Job]:
        """The runs on this machine that wait for the server."""
        return self._connection.outbox.waiting()

    def work(self, mode: str = "forever", *, idle: timedelta | None = None) -> Tally:
        """Exchange what was noted on this machine with the server; jobs are worked there."""
        tally = Sync(self._connection.wire, self.settings).run(mode, idle=idle)
        with suppress(Unavailable):  # what waits is sent by the next process
            self.send()
        return tally._replace(done=tally.done + self._connection.outbox.sent)

    def spent(self) -> Spent:
        """What models have cost the tenant today."""
        total = Spent()
        for row in self._list(answers.Spend, "reports.spend", days=1):
            total += Spent(row.calls, row.tokens, row.money)
        return total

    def report(
        self,
        agent: str = "default",
        *,
        project: str | None = None,
        tenant: str = "default",
        since: timedelta | None = None,
        whole: bool = False,
    ) -> Report:
        """What an agent in a project learnt, what it was shown, and what happened then."""
        own = _scope(agent, project, tenant)
        place = {} if whole else {"agent": own.agent, "project": own.project}
        period = None if since is None else f"{since.total_seconds():.0f}s"
        fields = self._send("reports.report", **place, since=period)
        window = Window(own, datetime.fromisoformat(fields["since"]), fields["is_whole"])
        return decode(Report, fields, window=window)

    def on_trouble(self, tell: Callable[[BaseException], None]) -> None:
        """Call `tell` with each error that a door hides from the agent, instead of logging it."""
        self._connection.trouble = tell

    def __enter__(self) -> RemoteHardwon:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Send what waits if the server is reachable; the next process sends the rest."""
        self._connection.outbox.close()
        self._connection.wire.close()


def connect(
    url: str,
    *,
    key: str | None = None,
    settings: Settings | None = None,
    clock: Callable[[], datetime] = utc_now,
    patience: float = DOOR,
) -> RemoteHardwon:
    """The hardwon at a URL; it connects at the first verb."""
    if not key or not key.isascii():
        raise InvalidInput("a server needs a key: hardwon.open(url, key=…)")
    settings = settings or load()
    wire = Wire(url, key, author=author_of(settings.runs), door=patience)
    return RemoteHardwon(ServerConnection(wire, f"{url}\0{key}", settings, clock))


def log_in(settings: Settings, *, clock: Callable[[], datetime] = utc_now) -> RemoteHardwon:
    """The server that this machine shares lessons with."""
    return connect(settings.server.url, key=key_of(settings), settings=settings, clock=clock)


def _scope(agent: str, project: str | None, tenant: str) -> Scope:
    if tenant != "default":
        raise InvalidInput("the key decides whose data it is; leave out the tenant")
    return scoped(agent, project=project)
