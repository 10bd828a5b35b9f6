"""The text shown to the agent, and the row that logs it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from hardwon.core.values.lesson import Lesson
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
        return Injection(**(self._asdict() | changes))


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
