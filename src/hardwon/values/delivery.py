"""The text shown to the agent, and the row that logs it."""

from __future__ import annotations

from datetime import datetime

from hardwon.values.lesson import Lesson
from hardwon.values.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from hardwon._cold.namedtuple import NamedTuple


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


class Injection(NamedTuple):
    """The block to show to the model. Falsy when there is nothing to say."""

    text: str = ""
    lessons: tuple[Lesson, ...] = ()
    id: str = ""
    stop: bool = False
    denied: bool = False  # before an action: the call must not be made; the text says why
    failed: bool | None = None  # the verdict on the step, after an action
    door: str = ""  # where it was delivered
    learnt: str = ""  # after an action: what was learnt from it, in one line

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text


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
