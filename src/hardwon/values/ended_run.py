"""One piece of work of an agent as it is remembered once it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from hardwon.values.run import Shown
from hardwon.values.scope import Scope
from hardwon.values.step import Step


class EndedRun(NamedTuple):
    """What a run was about, how it went, and in short its steps with what it was shown when."""

    id: str  # in the order of their beginnings
    scope: Scope
    run: str  # the name of the run; one conversation may end several times
    task: str
    begun: datetime
    ended: datetime
    outcome: str  # one of `values.run.Ending`
    made: int  # steps
    failed: int  # steps that failed
    told: int  # times that it was shown something
    kinds: tuple[str, ...] = ()  # of failures that it met, as readable texts
    steps: tuple[Step, ...] = ()  # the newest, cut short; none in a list
    shown: tuple[Shown, ...] = ()  # with how many steps followed; none in a list


def timeline(steps: Sequence[Step], shown: Sequence[Shown]) -> Iterator[Step | Shown]:
    """The steps of a run, and before each what the run was shown then."""
    by_step: dict[int, list[Shown]] = {}
    for delivery in shown:
        by_step.setdefault(max(0, len(steps) - delivery.after), []).append(delivery)
    for at, step in enumerate(steps):
        yield from by_step.get(at, ())
        yield step
    yield from by_step.get(len(steps), ())


def run_id(run: str, begun: datetime) -> str:
    """The id of a run that began at a moment."""
    return f"{int(begun.timestamp() * 1000):011x}{run[:10]}"
