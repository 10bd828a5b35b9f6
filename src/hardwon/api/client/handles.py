"""The parts of an agent on a server: each verb is that of the local part, sent as an operation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TypeVar

from hardwon.api import namespaces, run_input
from hardwon.api import operations as answers
from hardwon.api.client.outbox import ServerConnection, step_fields
from hardwon.api.codec import decode
from hardwon.api.lessons import MOST, MOST_FOUND, Lessons, within
from hardwon.api.playbook import Playbook, find_run
from hardwon.core.errors import InvalidInput, NotFound, OnServerOnly, storage_error
from hardwon.core.settings import span
from hardwon.core.text.clean import as_text, require_text
from hardwon.core.values import plain
from hardwon.core.values.delivery import NOTHING
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.job import Job, QueueCounts, WorkerStatus
from hardwon.core.values.lesson import PROVISIONAL, Change, Lesson, Status
from hardwon.core.values.scope import Scope
from hardwon.core.values.scope import scope as scoped
from hardwon.engine.pipeline import inject
from hardwon.knowledge.reading import call_keys
from hardwon.learn.imports import is_database
from hardwon.learn.maintenance import Dreams

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
_RAISES = object()
_MOST_ROWS = 1000  # of a list that comes at once
_PAGE = 500  # rows of a page that is asked for


def verb(
    local: Callable[Concatenate[Any, P], R],
    name: str,
    *,
    otherwise: object = _RAISES,
    most: int = MOST,
    without: str = "",
) -> Callable[Concatenate[Any, P], R]:
    """The verb of a local part, done by an operation of the server.

    `otherwise` is what it returns instead of raising, `most` the largest `limit`, `without` the
    operation if no id is given.
    """
    signature = inspect.signature(local)
    options = signature.parameters.values()
    defaults = {option.name: option.default for option in options}

    @functools.wraps(local)
    def send(handle: Any, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        bound = signature.bind(handle, *args, **kwargs)
        bound.apply_defaults()
        _, *pairs = bound.arguments.items()
        given = dict(pairs)
        for option in options:
            if option.kind is option.VAR_KEYWORD:
                given |= given.pop(option.name)
        if "limit" in given:
            given["limit"] = within(given["limit"], most)
        chosen, identity = name, None
        if "{id}" in answers.OPERATIONS[name].path:
            identity = given.pop(pairs[0][0])
            chosen = name if identity is not None else without
        operation = answers.OPERATIONS[chosen]
        fields = _fields(operation, given, defaults)
        if otherwise is _RAISES:
            return handle._result(operation, identity, fields)
        return handle._attempt(lambda: handle._result(operation, identity, fields), otherwise)

    return send


def _fields(
    operation: answers.Operation, given: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a verb as the operation calls them, in types of JSON.

    None is left out where it is the default; elsewhere it is a value, as for the local verb.
    """
    takes = {
        one.parameter: (key, one) for key, one in {**operation.query, **operation.body}.items()
    }
    fields = {}
    for name, value in given.items():
        if value is None and defaults.get(name) is None:
            continue
        if name not in takes:
            raise InvalidInput(f"a server takes no {name!r} here; it takes {', '.join(takes)}")
        key, argument = takes[name]
        fields[key] = _field(key, argument.kind, value)
    return fields


def _field(name: str, kind: str, value: Any) -> Any:
    if name == "error":
        return run_input.problem_of(value)
    if name == "args":
        return call_keys.canonical(value)
    if kind == "duration":
        return f"{span(value, name).total_seconds():.0f}s"
    if kind == "text" or name == "output":
        return as_text(value)
    if kind == "texts":
        return [as_text(item) for item in value]
    return [plain(item) for item in value] if kind == "list" else value


def here(local: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """The verb of a local part as it is: it uses nothing but other verbs."""
    return local


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

    def _result(self, operation: answers.Operation, identity: object, fields: Any) -> Any:
        """What an operation gives; of an answer with one field, the value of the field."""
        name, kind = operation.name, operation.gives
        if operation.shape:
            every = MOST if operation.shape == "page" else 0  # if a verb has no limit
            return self._list(kind, name, identity, **{"limit": every, **fields})
        answer = self._send(name, identity, **fields)
        if kind is None or kind is str:
            return answer
        value = decode(kind, answer, self.scope.tenant)
        return value[0] if len(kind._fields) == 1 else value

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


def _verb_on_one(
    local: Callable[Concatenate[Lessons, P], R], name: str
) -> Callable[Concatenate[Any, P], R]:
    """A verb on one lesson, done where that is: by the server, or in the copy of this machine."""
    remote, signature = verb(local, name), inspect.signature(local)

    @functools.wraps(local)
    def act(handle: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        number = signature.bind(handle, *args, **kwargs).arguments["number"]
        if not handle._is_here(number):
            return remote(handle, *args, **kwargs)
        with handle._copy() as lessons:
            return local(lessons, *args, **kwargs)

    return act


class RemoteLessons(RemoteHandle):
    """The lessons of an agent. Each verb is one request, a list one request per page.

    Those of the repository's files stay on this machine, and so does what a person does to them.
    """

    add = verb(Lessons.add, "lessons.add")
    get = _verb_on_one(Lessons.get, "lessons.get")
    exposures = _verb_on_one(Lessons.exposures, "lessons.exposures")
    verdict = _verb_on_one(Lessons.verdict, "lessons.verdict")
    edit = _verb_on_one(Lessons.edit, "lessons.edit")
    guard = verb(Lessons.guard, "lessons.guard")
    delete = _verb_on_one(Lessons.delete, "lessons.delete")
    history = verb(Lessons.history, "lessons.history", without="lessons.all_history")
    undo = verb(Lessons.undo, "lessons.undo", without="lessons.undo_newest")
    approve = _verb_on_one(Lessons.approve, "lessons.approve")
    revoke = verb(Lessons.revoke, "lessons.revoke")
    export = verb(Lessons.export, "lessons.export")
    _list_there = verb(Lessons.list, "lessons.list")

    def search(self, text: str, *, limit: int = 20) -> Sequence[Lesson]:
        """Lessons that contain the text, or have it as their tag."""
        query = require_text(text, "query")
        return self._list(Lesson, "lessons.list", q=query, limit=within(limit, MOST_FOUND))

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

    def list(self, *, limit: int = 100, status: str = Status.ACTIVE) -> Sequence[Lesson]:
        """The lessons with this status, the most recently consulted first."""
        found = [*self._list_there(limit=limit, status=status)]
        if status == Status.QUARANTINED and self._is_here(PROVISIONAL):
            with self._copy() as lessons:
                held = lessons.list(limit=limit, status=status)
                found = [*(lesson for lesson in held if lesson.stays_here), *found]
        return found[:limit]

    def _is_here(self, number: int) -> bool:
        """Whether only the copy of this machine can have the lesson with this number."""
        return number >= PROVISIONAL and bool(self._connection.settings.server.url)

    @contextmanager
    def _copy(self) -> Iterator[Lessons]:
        """The lessons of the agent as hooks read them."""
        from hardwon import api  # on use: the API itself loads this module

        with api.open(settings=self._connection.settings.for_hooks()) as hw:
            yield hw.agent(self.scope.agent, project=self.scope.project).lessons


class RemoteGoals(RemoteHandle):
    """Goals that ended, and what was learnt from them."""

    ended = verb(namespaces.Goals.ended, "goals.ended", otherwise=None)
    context = verb(namespaces.Goals.context, "goals.context", otherwise=NOTHING)
    reflections = verb(namespaces.Goals.reflections, "goals.reflections", most=_MOST_ROWS)


class RemoteRuns(RemoteHandle):
    """Runs that ended, and how well they went."""

    ended = verb(namespaces.Runs.ended, "runs.ended", otherwise=None)
    context = verb(namespaces.Runs.context, "runs.context", otherwise=NOTHING)
    get = verb(namespaces.Runs.get, "runs.get")
    list = verb(namespaces.Runs.list, "runs.list", most=_MOST_ROWS)


class RemoteDreams(RemoteHandle):
    """Looking at dreams and undoing them; they are dreamt where the server runs."""

    undo = verb(Dreams.undo, "dreams.undo")
    list = verb(Dreams.list, "dreams.list", most=_MOST_ROWS)

    def get(self, dream_id: str) -> Dream:
        """One dream, or NotFound."""
        return self._ask(answers.DreamDetails, "dreams.get", as_text(dream_id)).dream

    def changes(self, dream_id: str) -> Sequence[DreamChange]:
        """What a dream changed about lessons."""
        return self._ask(answers.DreamDetails, "dreams.get", as_text(dream_id)).changes


class RemoteQueue(RemoteHandle):
    """The jobs of the tenant on a server."""

    dead = verb(namespaces.JobQueue.dead, "queue.dead")

    def waiting(self) -> list[Job]:
        """Jobs that are queued, oldest first."""
        return self._list(Job, "queue.waiting", limit=MOST)

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

    edit = verb(Playbook.edit, "playbook.edit")
    pin = verb(Playbook.pin, "playbook.pin")
    move = verb(Playbook.move, "playbook.move")
    remove = verb(Playbook.remove, "playbook.remove")
    undo = verb(Playbook.undo, "playbook.undo")
    write = here(Playbook.write)
    erase = here(Playbook.erase)
    markdown = here(Playbook.markdown)

    def block(self) -> inject.Block:
        """What the start of a run shows: the text, the items in it, its tokens."""
        return inject.Block(*self._ask(answers.PlaybookBlock, "playbook.block"))

    def history(self, number: int | None = None) -> Sequence[Change]:
        """The changes of one item or of all, by people and by the reader, newest first."""
        changes = self._list(Change, "playbook.history")
        return [change for change in changes if number in (None, change.before.id)]

    def add(self, text: str, *, run: str = "") -> answers.Written:
        """Add the items that an agent wrote about its run, which lies on this machine.

        `run` is its name; default: the latest of the project that has not ended.
        """
        scope, run, past = find_run(self._connection.settings.home, self.scope, run)
        steps = [step_fields(step) for step in past.steps]
        about = {"project": scope.project, "of_run": run, "task": past.task, "steps": steps}
        return self._ask(answers.Written, "playbook.add", text=text, **about)

    list = verb(Playbook.list, "playbook.list")
