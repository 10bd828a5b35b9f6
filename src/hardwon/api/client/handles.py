"""The parts of an agent on a server: each verb sends an operation of the table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, Unpack

from hardwon.api import operations as answers
from hardwon.api import run_input
from hardwon.api.client.outbox import step_fields
from hardwon.api.codec import decode
from hardwon.api.lessons import MOST, MOST_FOUND, within
from hardwon.core.errors import InvalidInput, NotFound, OnServerOnly, storage_error
from hardwon.core.text.clean import as_text, require_text
from hardwon.core.values import plain
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.job import Job, QueueCounts, WorkerStatus
from hardwon.core.values.lesson import Change, Lesson, Status
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.report import Exposure, LessonVerdict, Place
from hardwon.core.values.run import EndedRun
from hardwon.core.values.scope import Scope
from hardwon.core.values.scope import scope as scoped
from hardwon.engine.pipeline import inject
from hardwon.learn.imports import is_database
from hardwon.storage.stores import marked_block, run_files

if TYPE_CHECKING:
    from hardwon.api.client.outbox import ServerConnection
    from hardwon.api.lessons import LessonDetails, LessonEdits

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


class RemotePlaybook(RemoteHandle):
    """What a project has taught, item by item."""

    def list(self, *, status: str = Status.PROVEN) -> Sequence[Lesson]:
        """The items, in the order of what they save; see `Playbook.list`."""
        return self._list(Lesson, "playbook.list", status=status)

    def block(self) -> inject.Block:
        """What the start of a run shows: the text, the items in it, its tokens."""
        return inject.Block(*self._ask(answers.PlaybookBlock, "playbook.block"))

    def edit(
        self,
        number: int,
        *,
        when: str | None = None,
        do: str | None = None,
        wrong: str | None = None,
        sort: str | None = None,
    ) -> Lesson:
        """Change the words of an item, or its sort: `pitfall`, `way`, `fact`."""
        words = {"when": when, "do": do, "wrong": wrong, "sort": sort}
        return self._ask(Lesson, "playbook.edit", int(number), **words)

    def pin(self, number: int, *, on: bool = True) -> Lesson:
        """Show an item before all others, or no longer."""
        return self._ask(Lesson, "playbook.pin", int(number), on=on)

    def move(self, number: int, *, before: int) -> Lesson:
        """Put an item right before another one."""
        return self._ask(Lesson, "playbook.move", int(number), before=before)

    def remove(self, number: int) -> Lesson:
        """Retire an item; `undo` brings it back."""
        return self._ask(Lesson, "playbook.remove", int(number))

    def history(self, number: int | None = None) -> Sequence[Change]:
        """The changes of one item or of all, by people and by the reader, newest first."""
        changes = self._list(Change, "playbook.history")
        return [change for change in changes if number in (None, change.before.id)]

    def undo(self, number: int | None = None) -> Lesson:
        """Take back the newest change, of one item or of all."""
        return self._ask(Lesson, "playbook.undo", number=number)

    def add(self, text: str, *, run: str = "") -> answers.Written:
        """Add the items that an agent wrote about its run, which lies on this machine.

        `run` is its name; default: the latest of the project that has not ended.
        """
        home, own = self._connection.settings.home, self.scope
        if not run:
            place = Place(own.tenant, own.agent, own.project or "")
            run = next((name for name, _, past in run_files.at_work(home, place) if past.steps), "")
        found = run_files.find_run(home, own.tenant, run)
        if found is None or found[0][:2] != own[:2]:
            raise NotFound("run at work", run, hint="; `hardwon lesson add` keeps an item of yours")
        scope, past = found
        steps = [step_fields(step) for step in past.steps]
        about = {"project": scope.project, "of_run": run, "task": past.task, "steps": steps}
        return self._ask(answers.Written, "playbook.add", text=text, **about)

    def write(self, path: str) -> bool:
        """Keep what the start of a run shows in a block of a file; whether that changed it."""
        return marked_block.write(path, self.block().text)

    def erase(self, path: str) -> bool:
        """Remove the block from a file again; whether there was one."""
        return marked_block.write(path, "")

    def markdown(self) -> str:
        """The items as a Markdown list; "" without items."""
        return inject.playbook(self.list(), budget=sys.maxsize).text


def _name(goal_id: object) -> str | None:
    return None if goal_id is None else as_text(goal_id)
