"""What was put before the agent, and the row that remembers it."""

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
    TRIAL = "trial"
    LOOP = "loop"  # a run that goes in circles was told so


class Injection(NamedTuple):
    """The block to put before the model. Falsy when there is nothing to say."""

    text: str = ""
    lessons: tuple[Lesson, ...] = ()
    id: str = ""
    stop: bool = False
    denied: bool = False  # before an action: the call must not be made; the text says why
    failed: bool | None = None  # the verdict on the step, after an action

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text


NOTHING = Injection()


class Delivery(NamedTuple):
    """One opening of a door: what was asked, what was shown, what it cost, what came of it."""

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
