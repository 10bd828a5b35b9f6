"""A run of an agent, as far as it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.step import Step

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.core.values.failure import Failure

WITHHELD = "withheld"  # the door under which a run notes lessons that are withheld from it
ASKED = "asked for items"  # the mark of a run whose agent was asked what it found out
SPEECHLESS = "failed without a word"


class Ending:
    """How a run ended, according to its steps and its caller."""

    WORKED = "worked"  # nothing failed
    RECOVERED = "recovered"  # something failed, and then it worked
    FAILED = "failed"  # the last step failed, or the caller said so
    ABANDONED = "abandoned"  # nothing happened for a day


class Shown(NamedTuple):
    """One delivery to the run, and the number of steps since."""

    delivery: str
    door: str
    kinds: tuple[str, ...] = ()  # digests of the failures its lessons are about
    after: int = 0  # steps since
    lessons: tuple[int, ...] = ()  # ids of the lessons shown


class RunSoFar(NamedTuple):
    """The state of a run: task, steps, lessons shown, and what it has counted."""

    task: str = ""
    steps: tuple[Step, ...] = ()
    told: frozenset[int] = frozenset()  # ids of the lessons shown to it
    counted: frozenset[str] = frozenset()  # marks that count once per run and have been counted
    warned: str = ""  # the name of the pending call it was warned about
    since: int = 0  # steps since the last prompt
    warnings: frozenset[int] = frozenset()  # ids of the lessons shown before a call
    shown: tuple[Shown, ...] = ()  # deliveries, in order
    made: int = 0  # all steps, including forgotten ones
    begun: float = 0.0  # seconds since 1970
    prompts: tuple[tuple[int, str], ...] = ()  # what was asked, after how many steps

    @property
    def turn(self) -> tuple[Step, ...]:
        """The steps since the last prompt."""
        return self.steps[max(0, len(self.steps) - self.since) :]

    def after(self, step: Step, counted: Iterable[str]) -> RunSoFar:
        """The run one step later."""
        marks = self.counted.union(counted)
        return self._replace(steps=(*self.steps, step), counted=marks, warned="")

    @property
    def withheld(self) -> frozenset[str]:
        """The failure kinds whose lessons a hold-out withholds from the run."""
        return frozenset(
            kind for delivery in self.shown if delivery.door == WITHHELD for kind in delivery.kinds
        )

    def has_met(self, kind: str) -> bool:
        """Whether a step has failed this way."""
        return self.last_failing(kind) is not None

    def has_met_exactly(self, failure: Failure) -> bool:
        """Whether a step has failed exactly like this; without an exact digest the kind decides."""
        if not failure.exact:
            return self.has_met(failure.kind)
        return any(step.failure and step.failure.exact == failure.exact for step in self.steps)

    def last_failing(self, kind: str) -> int | None:
        """The index of the last step that failed this way."""
        for place in range(len(self.steps) - 1, -1, -1):
            failure = self.steps[place].failure
            if failure is not None and failure.kind == kind:
                return place
        return None

    def ending(self, error: str = "") -> str:
        """How the run ended; `error` is what its caller says went wrong, if anything."""
        has_failed = any(step.failed for step in self.steps)
        if (has_failed and self.steps[-1].failed) or error not in ("", self.last_error):
            return Ending.FAILED
        return Ending.RECOVERED if has_failed else Ending.WORKED

    @property
    def last_error(self) -> str:
        """What the last failing step printed; "" when nothing failed."""
        failed = next((step for step in reversed(self.steps) if step.failed), None)
        return "" if failed is None else failed.output or SPEECHLESS
