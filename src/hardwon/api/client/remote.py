"""A hardwon on a server: the verbs that can be done over the network, and no others.

Each verb sends an operation of the table. The doors never raise, and wait only briefly; steps and
ends of runs that cannot be sent are kept and sent later.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from hardwon.api import operations as answers
from hardwon.api import run_input
from hardwon.api.client.outbox import RemoteRun, ServerConnection, step_of
from hardwon.api.client.sync import Sync, key_of
from hardwon.api.client.wire import DOOR, Wire
from hardwon.api.codec import decode
from hardwon.api.lessons import MOST, MOST_FOUND, within
from hardwon.core.errors import InvalidInput, NotFound, OnServerOnly, storage_error
from hardwon.core.project import author_of
from hardwon.core.settings import load
from hardwon.core.text.clean import LABEL_LIMIT, LESSON_LIMIT, as_text, require_text
from hardwon.core.values import plain
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.job import Job, QueueCounts, Tally
from hardwon.core.values.lesson import Change, Lesson, Status
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.report import Exposure, LessonVerdict, Report, Window
from hardwon.core.values.run import EndedRun, Episode
from hardwon.core.values.scope import scope as scoped
from hardwon.engine.pipeline import capture
from hardwon.engine.runtime import utc_now
from hardwon.knowledge.ranking.query import Match
from hardwon.knowledge.ranking.scores import Judged
from hardwon.knowledge.reading import call_keys
from hardwon.learn.imports import is_database
from hardwon.models.budget import Spent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import timedelta
    from typing import Unpack

    from hardwon.api.lessons import LessonDetails, LessonEdits
    from hardwon.core.settings import Settings
    from hardwon.core.values.job import WorkerStatus
    from hardwon.core.values.run import Step
    from hardwon.core.values.scope import Scope

T = TypeVar("T")
_MOST_ROWS = 1000  # of a list that comes at once
_PAGE = 500  # rows of a page that is asked for


class RemoteHandle:
    """Sends operations about one agent in a project."""

    def __init__(self, connection: ServerConnection, own: Scope | None = None) -> None:
        self._connection = connection
        self.scope = own or scoped("default")
        place = {"agent": self.scope.agent, "project": self.scope.project, "view": "agent"}
        self._place = place if own else {}

    def _send(self, name: str, identity: object = None, **arguments: Any) -> Any:
        return self._connection.wire.call(name, identity, {**self._place, **arguments})

    def _ask(self, kind: type[T], name: str, identity: object = None, **arguments: Any) -> T:
        """The answer of an operation."""
        return decode(kind, self._send(name, identity, **arguments), self.scope.tenant)

    def _list(self, kind: type[T], name: str, identity: object = None, **arguments: Any) -> list[T]:
        """The items of an answer; a page is followed by others up to `limit`."""
        items: list[T] = []
        limit = arguments.pop("limit", 0)
        cursor: str | None = ""
        while cursor is not None:
            page_limit = min(_PAGE, limit - len(items)) if limit > _PAGE else limit
            how = {"limit": page_limit or None, "cursor": cursor or None}
            page = self._send(name, identity, **arguments, **how)
            items += [decode(kind, item, self.scope.tenant) for item in page["items"]]
            cursor = page.get("next") if len(items) < limit else None
        return items

    def _attempt(self, call: Callable[[], T], otherwise: T) -> T:
        """Best effort: an agent's turn never fails because of its memory."""
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
            self._connection.tell(error)
            return otherwise

    if not TYPE_CHECKING:  # a type checker refuses these names

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_"):
                raise AttributeError(name)
            raise OnServerOnly(f"`{name}`")


class RemoteLessons(RemoteHandle):
    """The lessons of an agent. Each verb is one request, a list one request per page."""

    def add(self, situation: str, correction: str, **more: Unpack[LessonDetails]) -> Lesson:
        """Store a lesson in your own words: when it applies, and what to do then."""
        if "expires_at" in more:
            raise InvalidInput("a lesson that expires can only be added where the server runs")
        texts = {"situation": situation, "correction": correction}
        return self._ask(Lesson, "lessons.add", **texts, **more)

    def get(self, number: int) -> Lesson:
        """One lesson, or NotFound."""
        return self._ask(Lesson, "lessons.get", int(number))

    def exposures(self, number: int) -> Sequence[Exposure]:
        """Where one lesson was shown, and what happened then; or NotFound."""
        return self._list(Exposure, "lessons.exposures", int(number))

    def verdict(self, number: int) -> LessonVerdict | None:
        """The hold-out's verdict on a lesson with its current text; None without data."""
        return self._ask(answers.MaybeVerdict, "lessons.verdict", int(number)).verdict

    def search(self, text: str, *, limit: int = 20) -> Sequence[Lesson]:
        """Lessons that contain the text, or have it as their tag."""
        query = require_text(text, "query")
        return self._list(Lesson, "lessons.list", q=query, limit=within(limit, MOST_FOUND))

    def list(self, *, limit: int = 100, status: str = Status.ACTIVE) -> Sequence[Lesson]:
        """The lessons with this status, the most recently consulted first."""
        return self._list(Lesson, "lessons.list", status=status, limit=within(limit, MOST))

    def edit(self, number: int, **changes: Unpack[LessonEdits]) -> Lesson:
        """Change `situation`, `mistake`, `correction`, `tags` …; returns the edited lesson."""
        return self._ask(Lesson, "lessons.edit", int(number), **changes)

    def guard(self, number: int, *, call: str = "", tool: str = "bash", on: bool = True) -> Lesson:
        """Deny the exact calls of this lesson, or `call`, in which `*` matches anything."""
        return self._ask(Lesson, "lessons.guard", int(number), call=call, tool=tool, on=on)

    def delete(self, number: int) -> None:
        """Remove a lesson, or NotFound; `undo` brings it back under a new id."""
        self._send("lessons.delete", int(number))

    def history(self, number: int | None = None) -> Sequence[Change]:
        """The changes of one lesson or of all, newest first."""
        if number is None:
            return self._list(Change, "lessons.all_history", limit=MOST)
        return self._list(Change, "lessons.history", int(number))

    def undo(self, number: int | None = None) -> Lesson:
        """Take back the newest change, of one lesson or of all."""
        if number is None:
            return self._ask(Lesson, "lessons.undo_newest")
        return self._ask(Lesson, "lessons.undo", int(number))

    def approve(self, number: int) -> Lesson:
        """Release a lesson from quarantine, or vouch for one; from now on it may be delivered."""
        return self._ask(Lesson, "lessons.approve", int(number))

    def revoke(self, origin: str) -> Sequence[Lesson]:
        """Delete every lesson of an origin and all lessons made from them."""
        return self._list(Lesson, "lessons.revoke", origin=origin)

    def elsewhere(self) -> Mapping[Scope, int]:
        """Other agents and projects with their number of lessons, the largest first."""
        return dict(self._list(answers.ScopeCount, "lessons.elsewhere"))

    def place_of(self, number: int) -> Scope | None:
        """The agent and project of the lesson with this id; None if there is none."""
        try:
            fields = self._connection.wire.call("lessons.get", int(number), {})
        except NotFound:
            return None
        return decode(Lesson, fields).scope

    def export(self, *, form: str = "jsonl") -> str:
        """All active lessons as a pack: `jsonl` or `markdown`."""
        return str(self._send("lessons.export", form=form))

    def import_from(
        self,
        source: str,
        *,
        trust: bool = False,
        from_tenant: str = "",
        from_agent: str = "",
        tell: Callable[[int, int], None] = lambda done, of: None,
    ) -> Sequence[Lesson]:
        """Import a pack: its file is read here and sent. See `Lessons.import_from`."""
        try:
            if from_tenant or from_agent or is_database(source):
                raise InvalidInput("the store of another system can only be imported where it runs")
            with open(source, "rb") as file:
                pack = file.read()
        except OSError as error:
            raise storage_error(error, source) from error
        return self._list(Lesson, "lessons.import", trust=trust, bytes=pack)


class RemoteGoals(RemoteHandle):
    """Goals that ended, and what was learnt from them."""

    def ended(
        self,
        goal_id: object,
        objective: object,
        state: object = "completed",
        *,
        tasks: Iterable[object] = (),
        error: object = None,
    ) -> Job | None:
        """Queue a reflection on an ended goal. Never raises."""
        texts = {"goal_id": goal_id, "objective": objective, "state": state, "error": error}
        fields: dict[str, Any] = {name: as_text(value) for name, value in texts.items()}
        fields["tasks"] = [plain(task) for task in tasks]
        return self._attempt(lambda: self._ask(answers.MaybeJob, "goals.ended", **fields).job, None)

    def context(self, goal_id: object = None, *, objective: str = "") -> Injection:
        """What was learnt from this goal and similar ones; without both, from recent goals."""
        query = {"goal": _name(goal_id), "objective": objective}
        return self._attempt(lambda: self._ask(Injection, "goals.context", **query), NOTHING)

    def reflections(self, goal_id: object = None, *, limit: int = 25) -> Sequence[Reflection]:
        """The reflections on a goal, or the newest on any goal."""
        query = {"goal": _name(goal_id), "limit": within(limit, _MOST_ROWS)}
        return self._list(Reflection, "goals.reflections", **query)


class RemoteRuns(RemoteHandle):
    """Runs that ended, and how well they went."""

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
        """Queue a judgement on how well a run went, if there is something to say."""
        fields = {
            "task": as_text(task),
            "tools": [as_text(tool) for tool in tools],
            "seconds": seconds,
            "retries": retries,
            "failed": failed,
            "error": run_input.problem_of(error),
        }
        return self._attempt(lambda: self._ask(answers.MaybeJob, "runs.ended", **fields).job, None)

    def context(self, text: str = "") -> Injection:
        """At most three lines on recent runs: the latest error, what recurs, what fits the text."""
        query = {"text": as_text(text)}
        return self._attempt(lambda: self._ask(Injection, "runs.context", **query), NOTHING)

    def list(self, *, text: str = "", limit: int = 25) -> Sequence[EndedRun]:
        """The ended runs of the agent in its project, without their steps, newest first."""
        query = {"q": as_text(text), "limit": within(limit, _MOST_ROWS)}
        return tuple(self._list(EndedRun, "runs.list", **query))

    def get(self, identity: str) -> EndedRun:
        """One run with its steps and what it was shown when, or NotFound."""
        return self._ask(EndedRun, "runs.get", as_text(identity))


class RemoteDreams(RemoteHandle):
    """Looking at dreams and undoing them; they are dreamt where the server runs."""

    def list(self, *, limit: int = 25) -> Sequence[Dream]:
        """The dreams, newest first."""
        return self._list(Dream, "dreams.list", limit=within(limit, _MOST_ROWS))

    def get(self, dream_id: str) -> Dream:
        """One dream, or NotFound."""
        return self._ask(answers.DreamDetails, "dreams.get", as_text(dream_id)).dream

    def changes(self, dream_id: str) -> Sequence[DreamChange]:
        """What a dream changed about lessons."""
        return self._ask(answers.DreamDetails, "dreams.get", as_text(dream_id)).changes

    def undo(self, dream_id: str) -> tuple[Dream, int, int]:
        """Undo a dream: it, how many lessons were restored, and how many were left."""
        return self._ask(answers.UndoneDream, "dreams.undo", as_text(dream_id))


class RemoteQueue(RemoteHandle):
    """The jobs of the tenant on a server."""

    def waiting(self) -> list[Job]:
        """Jobs that are queued, oldest first."""
        return self._list(Job, "queue.waiting", limit=MOST)

    def dead(self) -> list[Job]:
        """Jobs that were given up, with the reason in `last_error`."""
        return self._list(Job, "queue.dead", limit=MOST)

    def revive(self, *ids: str) -> None:
        """Queue dead jobs again as if new; NotFound for a job that is not dead."""
        if ids:
            self._send("queue.revive", ids=ids)

    def purge(self, *ids: str) -> None:
        """Delete dead jobs; NotFound for a job that is not dead."""
        if ids:
            self._send("queue.purge", ids=ids)

    def status(self) -> tuple[QueueCounts, WorkerStatus]:
        """The counts of the queue; what its worker does is known where it runs."""
        counts = self._ask(answers.QueuePage, "queue.waiting", limit=1)
        return QueueCounts(pending=counts.waiting, dead=counts.dead), {}


class RemoteAgent(RemoteHandle):
    """One agent in one project. Its doors never raise into the agent's turn."""

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
        trigger = capture.trigger_of(bool(problem), flags, self._connection.settings.reflexion)
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

    def learn(self, text: str, *, situation: str = "") -> Lesson:
        """Store a lesson that you already know, without a model. `situation`: when it holds."""
        fields = {"text": require_text(text, "lesson", LESSON_LIMIT)}
        if situation:
            fields["situation"] = require_text(situation, "situation", LABEL_LIMIT)
        return self._ask(Lesson, "doors.learn", **fields)

    def digest(self, *, tokens: int = 300) -> str:
        """The lessons that were met most often, as a block for the start of a session."""
        query = {"tokens": tokens}
        return self._attempt(lambda: self._ask(answers.Text, "doors.digest", **query).text, "")

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
        """Exchange what hooks noted on this machine with the server; jobs are worked there."""
        return Sync(self._connection.wire, self.settings).run(mode, idle=idle)

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


def _name(goal_id: object) -> str | None:
    return None if goal_id is None else as_text(goal_id)
