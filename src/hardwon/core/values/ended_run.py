"""A run of an agent, as it is kept after its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from hardwon.core.values.run import Shown
from hardwon.core.values.scope import Scope
from hardwon.core.values.step import Step


class EndedRun(NamedTuple):
    """The task, outcome and shortened steps of a run, with what it was shown."""

    id: str  # ids sort by the start of the run
    scope: Scope
    run: str  # the name of the run; one conversation may end several times
    task: str
    begun: datetime
    ended: datetime
    outcome: str  # one of `values.run.Ending`
    made: int  # steps
    failed: int  # steps that failed
    told: int  # how often it was shown something
    kinds: tuple[str, ...] = ()  # the failure kinds that it met, as readable texts
    steps: tuple[Step, ...] = ()  # the newest, shortened; empty in lists
    shown: tuple[Shown, ...] = ()  # with the number of steps since; empty in lists


def timeline(steps: Sequence[Step], shown: Sequence[Shown]) -> Iterator[Step | Shown]:
    """The steps of a run, each after the deliveries shown before it."""
    by_step: dict[int, list[Shown]] = {}
    for delivery in shown:
        by_step.setdefault(max(0, len(steps) - delivery.after), []).append(delivery)
    for at, step in enumerate(steps):
        yield from by_step.get(at, ())
        yield step
    yield from by_step.get(len(steps), ())


def run_id(run: str, begun: datetime) -> str:
    """The id of a run, from its name and start time."""
    return f"{int(begun.timestamp() * 1000):011x}{run[:10]}"
