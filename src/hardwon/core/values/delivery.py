"""The text shown to the agent, the row that logs it, and the units of the hold-out."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from hardwon.core.values.lesson import Kind, Lesson, evidence_of
from hardwon.core.values.scope import Scope


class Door:
    """Where a lesson is delivered."""

    START = "start"
    TURN = "turn"
    ACTION = "action"
    ERROR = "error"
    GOAL = "goal"
    LOOP = "loop"  # a run that repeats itself was told so


class Outcome:
    """The outcome of a delivery, read from the steps after it; "" while the run goes on."""

    WORKED = "worked"  # before an action: the next call worked
    SAME = "failed the same way"
    OTHERWISE = "failed otherwise"
    OVERCOME = "overcome"  # at an error: a later call of the tool worked, and it did not come back
    LEFT = "not overcome"  # the run ended with the failure
    REPEATED = "repeated"  # the failure came back
    NOT_MET = "not met"  # at the start or a turn: the failure did not occur
    DENIED = "denied"  # a person had forbidden the call
    UNKNOWN = "unknown"  # no step followed, or the lesson names no failure


# What is counted of deliveries.
COUNTED = {
    "told": "Texts that agents were told.",
    "followed": "Texts after which the next call worked.",
    "prevented": "Texts whose failure was not met, and calls that were denied.",
    "came_back": "Texts whose failure came back all the same.",
}
# What the outcomes of deliveries come to; all others are open.
RESULTS = {
    Outcome.WORKED: "followed",
    Outcome.OVERCOME: "followed",
    Outcome.NOT_MET: "prevented",
    Outcome.DENIED: "prevented",
    Outcome.SAME: "came_back",
    Outcome.REPEATED: "came_back",
}


class Injection(str):
    """The block to show to the model: a text that knows what it shows. Falsy when empty."""

    lessons: tuple[Lesson, ...]  # those in it, best first
    id: str  # of its delivery
    stop: bool  # a loop that should be broken
    denied: bool  # before an action: the call must not be made; the text says why
    failed: bool | None  # the verdict on the step, after an action
    door: str  # where it was delivered
    learnt: str  # after an action: what was learnt from it, in one line

    def __new__(
        cls,
        text: str = "",
        lessons: tuple[Lesson, ...] = (),
        id: str = "",
        *,
        stop: bool = False,
        denied: bool = False,
        failed: bool | None = None,
        door: str = "",
        learnt: str = "",
    ) -> Injection:
        block = super().__new__(cls, text)
        facts = {"stop": stop, "denied": denied, "failed": failed, "door": door, "learnt": learnt}
        block.__dict__.update(facts, lessons=lessons, id=id)
        return block

    @property
    def text(self) -> str:
        """The block as a plain text."""
        return str.__str__(self)

    _fields = ("text", "lessons", "id", "stop", "denied", "failed", "door", "learnt")

    def _asdict(self) -> dict[str, Any]:
        """The text and its facts by name, as of other values."""
        return {"text": self.text} | self.__dict__

    def _replace(self, **changes: Any) -> Injection:
        """The block with other facts."""
        return Injection(**({"text": str.__str__(self)} | self.__dict__ | changes))


NOTHING = Injection()


class Delivery(NamedTuple):
    """One delivery: the query, what was shown, what it cost, and the outcome."""

    id: str
    scope: Scope
    door: str
    query: str
    lessons: tuple[int, ...]
    scores: tuple[float, ...]
    tokens: int
    micros: int
    at: datetime
    outcome: str = ""


EXCLUDED = "read elsewhere"  # the outcome of a unit that belongs to no arm
DOOR = "unit"  # the door under which a run notes a unit
_PERSON = "person"
_MARK = "~"  # prefix of a unit's name in a run; ids of deliveries are hexadecimal


class Unit(NamedTuple):
    """Whether a run was shown a family of lessons, or is in the arm without it."""

    scope: Scope
    run: str
    family: str  # the failure kind that its lessons are about
    door: str  # of the first exposure
    withheld: bool
    share: float  # the share withheld at that time
    at: datetime
    lesson: int = 0  # the first of the family, as it would have been shown
    wording: str = ""  # its wording: another wording is another treatment
    position: int = 0  # among the lessons of its block, from 1
    score: float = 0.0


def family_of(lesson: Lesson) -> str:
    """The family that is withheld together: one failure kind; "" for lessons always shown."""
    if lesson.guard or lesson.author == _PERSON or not lesson.kinds:
        return ""
    return lesson.kinds[0]


def wording_of(lesson: Lesson) -> str:
    """A digest of the text that a lesson is shown with."""
    words = f"{lesson.situation}\0{lesson.correction}".encode("utf-8", "replace")
    return blake2b(words, digest_size=6).hexdigest()


def is_retired(lesson: Lesson) -> bool:
    """Whether the lesson hardly helps in its present wording."""
    marks = evidence_of(lesson, Kind.RETIRED)
    return bool(marks) and wording_of(lesson) in (mark.partition(":")[0] for mark in marks)


def unit_name(family: str) -> str:
    """The name under which a run notes a unit."""
    return f"{_MARK}{family}"


def family_of_name(name: str) -> str:
    """The family of a name from `unit_name`; "" for the id of a delivery."""
    return name[1:] if name.startswith(_MARK) else ""
