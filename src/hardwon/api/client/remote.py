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
from hardwon.api.client import handles
from hardwon.api.client.handles import RemoteHandle, verb
from hardwon.api.client.outbox import RemoteRun, ServerConnection
from hardwon.api.client.sync import Sync, key_of
from hardwon.api.client.wire import DOOR, Wire
from hardwon.api.codec import decode
from hardwon.core.errors import InvalidInput, Unavailable
from hardwon.core.project import author_of
from hardwon.core.settings import Settings, load, span
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

    start = verb(Agent.start, "doors.start", otherwise=NOTHING)
    before_turn = verb(Agent.before_turn, "doors.before_turn", otherwise=NOTHING)
    before_action = verb(Agent.before_action, "doors.before_action", otherwise=NOTHING)
    learn = verb(Agent.learn, "doors.learn")
    digest = verb(Agent.digest, "doors.digest", otherwise="")
    fix = verb(Agent.fix, "doors.fix")
    how = verb(Agent.how, "doors.how")
    recurring = verb(Agent.recurring, "doors.recurring")
    _send_step = verb(Agent.after_action, "doors.after_action")

    def __init__(self, connection: ServerConnection, own: Scope, run: str | None = None) -> None:
        super().__init__(connection, own)
        self.lessons = handles.RemoteLessons(connection, own)
        self.goals = handles.RemoteGoals(connection, own)
        self.runs = handles.RemoteRuns(connection, own)
        self.playbook = handles.RemotePlaybook(connection, own)
        self.dreams = handles.RemoteDreams(connection, own)
        self._work = RemoteRun(connection, own, None if run is None else as_text(run))

    @property
    def sessions(self) -> RemoteSessions:
        """Past sessions of coding agents on this machine: `find`, `unrecorded`, `learn` …"""
        from hardwon.api.client.sessions import RemoteSessions  # an agent's turn has no use for it

        return RemoteSessions(self._connection, self.scope)

    def after_action(
        self, tool: str, args: object, *, output: object = "", failed: bool | None = None
    ) -> Injection:
        """Record a step; returns the known fix if it failed in a known way."""

        def after() -> Injection:
            self._work.catch_up()
            return self._send_step(tool, args, output=output, failed=failed)

        injection = self._attempt(after, None)
        if injection is not None:
            return injection
        step = Step(as_text(tool), call_keys.canonical(args), as_text(output))
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

    def report(self, injection: Injection, outcome: str) -> None:
        """Report the outcome of a delivery: `helped`, `ignored`, `failed` …"""
        delivery = as_text(getattr(injection, "id", "")) or "none"
        self._send("doors.report", delivery, outcome=as_text(outcome))

    def _send(self, name: str, identity: object = None, **arguments: Any) -> Any:
        if answers.OPERATIONS[name].is_door:
            return self._work.send(name, **arguments)
        return super()._send(name, identity, **arguments)


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
    def queue(self) -> handles.RemoteQueue:
        """The queue: `waiting`, `dead`, `revive`, `purge`, `status`."""
        return handles.RemoteQueue(self._connection)

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
        since: timedelta | str | None = None,
        whole: bool = False,
    ) -> Report:
        """What an agent in a project learnt, what it was shown, and what happened then."""
        own = _scope(agent, project, tenant)
        place = {} if whole else {"agent": own.agent, "project": own.project}
        period = None if since is None else f"{span(since, 'since').total_seconds():.0f}s"
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
