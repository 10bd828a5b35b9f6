"""What a server can do: one table of operations, in `operations.toml`.

Routes, the client for Python, the description in OpenAPI and the types for TypeScript come from
it. The types of answers that only a server gives are here.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from hardwon.core.values.delivery import Delivery, Injection
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.job import Job
from hardwon.core.values.lesson import Change, Lesson
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.report import Answer, Exposure, LessonVerdict, Met, Recurring, Report
from hardwon.core.values.run import EndedRun
from hardwon.core.values.scope import Scope
from hardwon.learn.trials.values import LoopState
from hardwon.storage.service import Key

JSON = "application/json"
AUTHOR = "x-hardwon-author"  # header: whose runs it is about, `person;machine`, both quoted


class Right:
    """A right that an operation or a page may require."""

    DOOR = "use the doors"
    LESSONS = "read lessons"
    READ = "read everything"
    DREAMS = "read dreams"
    COSTS = "read what models cost"
    CHANGE = "change lessons and dead letters"
    UNDO_DREAMS = "undo dreams"
    ADMIN = "manage keys"
    OWNER = "manage the home"


class Kind(NamedTuple):
    """How an argument is sent: its schema, its type in Python, and that in words."""

    schema: Mapping[str, Any]
    type: Any = str
    words: str = "a text"


KINDS = {
    "text": Kind({"type": "string"}),
    "duration": Kind({"type": "string"}),
    "cursor": Kind({"type": "string"}),
    "numbers": Kind({"type": "string"}),
    "bytes": Kind({"type": "string"}),
    "flag": Kind({"type": "boolean"}, bool, "true or false"),
    "integer": Kind({"type": "integer"}, int, "a whole number"),
    "number": Kind({"type": "number"}, (int, float), "a number"),
    "texts": Kind({"type": "array", "items": {"type": "string"}}, list, "a list of texts"),
    "list": Kind({"type": "array", "items": {}}, list, "a list"),
    "object": Kind({"type": "object"}, dict, "an object"),
    "any": Kind({}, object, "anything"),
}


class Argument(NamedTuple):
    """A field of the body, or a parameter of the query."""

    kind: str  # one of KINDS
    parameter: str  # of the verb
    is_required: bool = False
    default: str | None = None
    most: int = 0  # the largest number
    choices: tuple[str, ...] = ()
    note: str = ""
    example: Any = None


class Operation(NamedTuple):
    """One operation of a server."""

    name: str  # `<subject>.<verb>`
    method: str
    path: str
    rights: tuple[str, ...]  # one of them is needed
    summary: str
    query: Mapping[str, Argument]
    body: Mapping[str, Argument]
    example: Any = None  # of the body
    gives: Any = None  # the type of its answer, or of the items in it; None: no content
    shape: str = ""  # list, page; "": one value
    status: int = 200
    media: str = JSON
    takes: str = JSON  # the media type of its body
    is_door: bool = False  # it answers with nothing after an error or its time limit
    is_large: bool = False  # its body may be as large as a pack
    is_secret: bool = False  # its answer is never stored
    is_repeatable: bool = True  # the header `Idempotency-Key` is of use
    can_miss: bool = False  # it answers 404 if there is nothing to act on

    @property
    def takes_bytes(self) -> bool:
        """Whether its body is not JSON, and may be large."""
        return "bytes" in self.body


class MaybeJob(NamedTuple):
    """The job that was queued; null if there is nothing to reflect on."""

    job: Job | None


class Text(NamedTuple):
    """A text."""

    text: str


class MaybeVerdict(NamedTuple):
    """The hold-out's verdict on a lesson; null without data."""

    verdict: LessonVerdict | None


class ScopeCount(NamedTuple):
    """How many lessons an agent has in a project."""

    scope: Scope
    lessons: int


class Candidate(NamedTuple):
    """A lesson that a door considered."""

    lesson: int
    score: float
    parts: dict[str, float]
    verdict: str  # why it is not shown; "" if it is


class Recalled(NamedTuple):
    """What a door would show, and what it considered."""

    text: str
    lessons: tuple[Lesson, ...]
    candidates: tuple[Candidate, ...] = ()


class QueuePage(NamedTuple):
    """A page of waiting jobs, and the counts."""

    waiting: int
    dead: int
    running: tuple[str, ...]  # ids
    is_worked: bool
    items: tuple[Job, ...]
    next: str | None


class Started(NamedTuple):
    """Whether a worker was started; false if there is one."""

    started: bool


class Done(NamedTuple):
    """The ids of what was done."""

    done: tuple[str, ...]


class DayCount(NamedTuple):
    """How often on a day."""

    day: date
    met: int


class FailureRow(NamedTuple):
    """A kind of failure; agent and project say where it was met last."""

    kind: str
    text: str
    met: int
    first: datetime
    last: datetime
    days: tuple[DayCount, ...]
    scope: Scope | None


class FailureDetails(NamedTuple):
    """A kind of failure, the lesson about it, and whose runs met it."""

    failure: FailureRow
    lesson: int | None
    met_by: tuple[Met, ...]


class PlaybookBlock(NamedTuple):
    """What the start of a run shows: the text, the items in it, its tokens."""

    text: str
    lessons: tuple[Lesson, ...]
    tokens: int


class Written(NamedTuple):
    """What came of the items that an agent wrote."""

    added: tuple[Lesson, ...]
    known: tuple[Lesson, ...]  # items that said the same before
    refused: tuple[tuple[str, str], ...]  # when each would apply, and why it was not kept


class Spend(NamedTuple):
    """What a model has cost on a day."""

    day: str
    model: str
    calls: int
    tokens: int
    money: float


class DreamDetails(NamedTuple):
    """A dream with its changes to lessons."""

    dream: Dream
    changes: tuple[DreamChange, ...]


class UndoneDream(NamedTuple):
    """A dream that was undone: how many lessons were restored, and how many left as they are."""

    dream: Dream
    restored: int
    left: int


class Received(NamedTuple):
    """How many records were taken in, and how many the key may not write."""

    taken: int
    refused: int


class SyncState(NamedTuple):
    """What a copy of an agent's lessons has to know."""

    version: int
    salt: str  # of the hold-out
    share: float | None


class Marks(NamedTuple):
    """A mark for each lesson, by its number."""

    marks: dict[str, int]


class Me(NamedTuple):
    """The tenant, role and limits of a key, and the version of the server."""

    tenant: str
    role: str
    agent: str | None
    project: str | None
    key: str
    version: str


class NewKey(NamedTuple):
    """A key that was made; its text is shown once."""

    made: Key
    key: str


_TYPES = {
    kind.__name__: kind
    for kind in (
        *(Answer, Change, Delivery, Done, Dream, DreamDetails, EndedRun, Exposure, FailureDetails),
        *(FailureRow, Injection, Job, Key, Lesson, LoopState, Marks, MaybeJob, MaybeVerdict, Me),
        *(NewKey, PlaybookBlock, QueuePage, Recalled, Received, Recurring, Reflection, Report),
        *(ScopeCount, Spend, Started, SyncState, Text, UndoneDream, Written, dict, str),
    )
}
_ABOUT = {"": (), "place": ("agent", "project"), "run": ("agent", "project", "run")}
_ABOUT["view"] = ("view=all", "agent", "project")


def _load() -> dict[str, Operation]:
    """The table, by name."""
    with open(os.path.join(os.path.dirname(__file__), "operations.toml"), "rb") as file:
        table = tomllib.load(file)
    arguments = {
        name: Argument(**{"parameter": name, **fields, "choices": tuple(fields.get("choices", ()))})
        for name, fields in table.pop("arguments").items()
    }

    def pick_arguments(texts: tuple[str, ...]) -> dict[str, Argument]:
        """The arguments of a list: `name!` is required, `name=value` has a default."""
        found = {}
        for text in texts:
            name, equals, default = text.rstrip("!").partition("=")
            found[name] = arguments[name]._replace(
                is_required=text.endswith("!"), default=default if equals else None
            )
        return found

    operations = {}
    for name, row in table.items():
        method, path = row.pop("route").split()
        gives, _, shape = row.pop("gives", "").partition(" ")
        operations[name] = Operation(
            name,
            method,
            path,
            tuple(getattr(Right, right) for right in row.pop("rights")),
            query=pick_arguments((*_ABOUT[row.pop("about", "")], *row.pop("query", ()))),
            body=pick_arguments(row.pop("body", ())),
            gives=_TYPES[gives] if gives else None,
            shape=shape,
            **row,
        )
    return operations


OPERATIONS = _load()
