"""Ways: calls of a project's own programs that worked in earlier runs, in their usual order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence.calls import Call, is_own
from hardwon.knowledge.evidence.folding import fold_call
from hardwon.knowledge.evidence.trails import failing_call, working_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.run import Step

_YOUNG = 2  # with fewer runs, a call of one run is a way


class Way(NamedTuple):
    """A call that works in a project, with its record."""

    call: str  # the newest that worked, values of the run folded
    shape: str
    runs: int  # in how many runs it worked
    worked: int
    failed: int
    place: float  # its usual place in a run, from 0 to 1
    news: float  # how much of it an agent could not guess

    @property
    def worth(self) -> float:
        """What it is worth to a newcomer: needed often, hard to guess, wrong at first."""
        return self.news * self.runs * (1 + min(self.failed, 3))


class _Record:
    """What runs show about calls of one shape."""

    def __init__(self) -> None:
        self.runs: set[int] = set()
        self.worked = self.failed = 0
        self.places: list[float] = []
        self.text = ""
        self.call: Call | None = None


def ways_of(runs: Iterable[tuple[str, Sequence[Step]]]) -> list[Way]:
    """The ways that runs show (task and steps of each, oldest first), the most valuable first."""
    records: dict[str, _Record] = {}
    for number, (task, steps) in enumerate(runs):
        for at, step in enumerate(steps):
            failing = failing_call(step)
            if failing is not None and _is_way(failing):
                records.setdefault(_key(failing), _Record()).failed += 1
            for call in working_calls(step):
                if _is_way(call):
                    _note(
                        records.setdefault(_key(call), _Record()),
                        call,
                        task,
                        number,
                        at / len(steps),
                    )
    found = [_way(record) for record in records.values() if record.call is not None]
    return sorted(found, key=lambda way: (-way.worth, way.place))


def _is_way(call: Call) -> bool:
    """Whether a call may be a way: agents know their tools, and values of tools are private."""
    return is_own(call) and not call.is_tool


def _note(record: _Record, call: Call, task: str, run: int, place: float) -> None:
    record.runs.add(run)
    record.worked += 1
    record.places.append(place)
    if record.call is None or not re.search(r"\$\{?\w", call.text):
        record.call, record.text = call, fold_call(call.text, task)


def _key(call: Call) -> str:
    """Calls with the same key are one way, whatever their order of flags and their values."""
    return " ".join(sorted({*call.kind.split()}))


def _way(record: _Record) -> Way:
    call = record.call
    assert call is not None
    news = len(call.own_words) ** 0.5
    place = sum(record.places) / len(record.places)
    return Way(record.text, call.shape, len(record.runs), record.worked, record.failed, place, news)


def in_order(ways: Iterable[Way]) -> list[Way]:
    """The ways in the order in which runs usually make the calls."""
    return sorted(ways, key=lambda way: way.place)
