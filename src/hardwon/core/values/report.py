"""Reports on a period, and lists in pages."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from hardwon.core.errors import InvalidInput
from hardwon.core.values.job import QueueCounts
from hardwon.core.values.lesson import Status
from hardwon.core.values.scope import Scope

T = TypeVar("T")
_LONGEST = 1000  # characters of an id
Mark = tuple[float, str]  # the position of a row in its list: the sort value, then its id


def mark(place: float | str, name: object) -> Mark:
    """A mark that somebody handed in; InvalidInput if no list can have it."""
    try:
        number, text = float(place), str(name)
        if math.isfinite(number) and text.isprintable() and len(text) <= _LONGEST:
            return number, text
    except (ValueError, TypeError, OverflowError):
        pass
    raise InvalidInput("no such place in the list; begin with its first page")


class Place(NamedTuple):
    """A whole tenant, or one agent or project of it."""

    tenant: str
    agent: str | None = None  # None: every agent
    project: str | None = None  # None: every project; "": only lessons that hold everywhere

    def covers(self, scope: Scope) -> bool:
        """Whether the rows of a scope are listed."""
        return (
            scope.tenant == self.tenant
            and self.agent in (None, scope.agent)
            and self.project in (None, scope.project or "")
        )


class Order:
    """How a list of lessons is sorted."""

    USED = "used"  # the most recently consulted first
    MET = "met"  # the most often met first


class ListQuery(NamedTuple):
    """Which rows of a list, and how many; `after` is the mark of the last row seen."""

    place: Place
    status: str = Status.ALL
    text: str = ""  # text that the lesson or failure contains, ignoring case
    after: Mark | None = None
    limit: int = 50
    kind: str = ""  # only this kind of failure
    met: str = ""  # only runs that met a failure with this text
    person: str = ""  # only runs of this person
    order: str = Order.USED  # of lessons
    tag: str = ""  # only lessons with this tag


class Met(NamedTuple):
    """How many runs of one agent, person, machine and program met a failure, and when last."""

    scope: Scope
    person: str
    machine: str
    runs: int
    last: datetime
    program: str = ""  # the coding agent that made them


class Page(NamedTuple, Generic[T]):
    """One page of a list, and the mark for the next one; None at the end."""

    rows: tuple[T, ...]
    next: Mark | None = None


_FIRST_DAY = date(1970, 1, 1)


class Window(NamedTuple):
    """What a report covers: one scope, or a whole tenant, from a time on."""

    scope: Scope
    since: datetime
    is_whole: bool = False  # every agent and project of the tenant
    part: Place | None = None  # instead of the scope: one agent, or one project

    def covers(self, scope: Scope) -> bool:
        """Whether events in a scope count."""
        if self.part is not None:
            return self.part.covers(scope)
        return scope.tenant == self.scope.tenant if self.is_whole else scope == self.scope

    def sees(self, scope: Scope) -> bool:
        """Whether the lessons of a scope may be shown in the report."""
        return self.covers(scope) or (self.part is None and scope in self.scope.visible())


class FailureKind(NamedTuple):
    """One kind of failure."""

    kind: str
    text: str
    met: int  # in the window; in total for one that stopped
    first: datetime
    last: datetime
    days: tuple[tuple[date, int], ...] = ()  # count per day
    scope: Scope | None = None  # where it was last met, if requested


class Deliveries(NamedTuple):
    """How often something was shown at one door on one day with one outcome."""

    door: str
    outcome: str  # "" while unknown
    day: date
    times: int
    tokens: int


class LessonState(NamedTuple):
    """How many lessons are in one state."""

    status: str
    total: int
    new: int  # since the start of the window


class OpenFailure(NamedTuple):
    """A failure that keeps coming back and has no fix."""

    lesson: int
    text: str
    met: int
    last: datetime


class Exposure(NamedTuple):
    """How often one lesson was shown at one door with one outcome, and when last."""

    door: str
    outcome: str
    times: int
    last: datetime


class LessonVerdict(NamedTuple):
    """The hold-out's result for one lesson in its present wording."""

    lesson: int
    text: str
    verdict: str  # in words
    helps: float  # the probability that it really prevents repeats
    shown: int  # runs
    shown_repeats: int
    withheld: int
    withheld_repeats: int
    is_retired: bool  # shown to few runs only


class PartEffect(NamedTuple):
    """The hold-out's result for a part of all lessons; the intervals hold jointly.

    `prevented`, `low` and `high` are repeats over all units that were shown.
    """

    by: str  # door, project or origin
    name: str
    shown: int  # units
    shown_repeats: int
    withheld: int
    withheld_repeats: int
    prevented: float = 0.0
    low: float = 0.0
    high: float = 0.0
    words: str = ""


class KindObserved(NamedTuple):
    """Runs that came to the place of a failure: those told of it in time, and the others."""

    text: str
    told: int = 0
    followed: int = 0  # did what had worked, and did not meet the failure
    failed: int = 0  # met it all the same
    untold: int = 0
    failed_untold: int = 0


class Observed(NamedTuple):
    """What runs show without a hold-out, as sums over all kinds of failures they were told of."""

    runs: int = 0
    told: int = 0  # times that a run came to the place of a failure and had been told of it
    followed: int = 0  # did what had worked, and did not meet the failure
    failed: int = 0  # met it all the same
    untold: int = 0  # the same of runs that had not been told in time
    failed_untold: int = 0
    avoided: float = 0.0  # failures, by the difference of the two shares
    low: float = 0.0  # 95 % interval of `avoided`
    high: float = 0.0
    calls: float = 0.0  # saved: what getting past the avoided failures would have taken
    minutes: float = 0.0
    kinds: tuple[KindObserved, ...] = ()  # the kinds that runs were told of most often


class Spending(NamedTuple):
    """What models have cost today."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0


class Report(NamedTuple):
    """What was learnt, what was shown, and what happened then."""

    window: Window
    at: datetime
    met: tuple[tuple[date, int], ...] = ()  # failures per day
    failures: tuple[FailureKind, ...] = ()  # the commonest
    stopped: tuple[FailureKind, ...] = ()  # kinds that have not come back …
    quiet: timedelta = timedelta(days=7)  # … for this long
    lessons: tuple[LessonState, ...] = ()
    deliveries: tuple[Deliveries, ...] = ()
    unsolved: tuple[OpenFailure, ...] = ()
    spent: Spending = Spending()
    queue: QueueCounts = QueueCounts()
    proof: str = ""  # the proof sentence
    verdicts: tuple[LessonVerdict, ...] = ()  # on the lessons shown to or withheld from most runs
    share: float = 0.0  # of runs from which lessons are withheld now
    parts: tuple[PartEffect, ...] = ()  # the proof by door, project and origin
    observed: Observed = Observed()  # what was told in time, and what came then

    def outcomes(self, door: str) -> dict[str, int]:
        """The outcomes of deliveries at a door, most frequent first, with unknown ones."""
        counts: dict[str, int] = {}
        for group in self.deliveries:
            if group.door == door:
                name = group.outcome or "unknown"
                counts[name] = counts.get(name, 0) + group.times
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def doors(self) -> tuple[str, ...]:
        """The doors at which something was shown, in the order of a run."""
        used = {group.door for group in self.deliveries}
        order = ("start", "turn", "action", "error", "loop")
        return tuple(door for door in (*order, *sorted(used - {*order})) if door in used)

    @property
    def shown(self) -> int:
        """How often something was shown."""
        return sum(group.times for group in self.deliveries)

    @property
    def tokens(self) -> int:
        """How many tokens were shown."""
        return sum(group.tokens for group in self.deliveries)


def day_number(moment: datetime) -> int:
    """The day of a moment, UTC, counted from 1970."""
    return int(moment.timestamp() // 86400)


def day_of(number: int) -> date:
    """The day with this number."""
    return _FIRST_DAY + timedelta(days=number)


class Answer(NamedTuple):
    """Something that worked: in which project, how often, when last, and in which run."""

    text: str
    about: str  # the failure that it got past; "" for a call that simply works
    project: str
    worked: int
    failed: int
    run: str = ""  # the id of the newest run that shows it
    task: str = ""
    at: datetime | None = None
    lesson: int = 0


class Recurring(NamedTuple):
    """A failure that agents keep meeting, over all their projects."""

    text: str
    runs: int
    calls: int  # that failed so
    projects: tuple[str, ...]
    first: datetime
    last: datetime
    cure: str = ""  # what got past it; "" while it is open
    people: tuple[str, ...] = ()  # whose runs they were, as far as that is recorded
    programs: tuple[tuple[str, int], ...] = ()  # sessions of each coding agent, the most first
    cost_calls: float = 0.0  # that it takes a run to get past it
    cost_minutes: float = 0.0
