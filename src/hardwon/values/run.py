"""One piece of work of an agent, as far as it has come."""

from __future__ import annotations

from hardwon.values.step import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NamedTuple

    from hardwon.values.failure import Failure
else:
    from hardwon._cold.namedtuple import NamedTuple

WITHHELD = "withheld"  # where a run notes a family of lessons that it must not see
SPEECHLESS = "failed without a word"


class Ending:
    """How a run ended, as far as its steps and its caller tell."""

    WORKED = "worked"  # nothing failed
    RECOVERED = "recovered"  # something failed, and then it worked
    FAILED = "failed"  # the last step did, or the caller said so
    ABANDONED = "abandoned"  # nothing happened for a day


class Shown(NamedTuple):
    """One delivery that the run was shown, and the number of steps since."""

    delivery: str
    door: str
    kinds: tuple[str, ...] = ()  # digests of the failures that its lessons are about
    after: int = 0  # steps since
    lessons: tuple[int, ...] = ()  # ids of those it told


class RunSoFar(NamedTuple):
    """The state of a run: task, steps, lessons it was told, marks it has counted."""

    task: str = ""
    steps: tuple[Step, ...] = ()
    told: frozenset[int] = frozenset()  # ids of the lessons that it was told
    counted: frozenset[str] = frozenset()  # what counts once a run and has been counted
    warned: str = ""  # the name of the pending call that it was warned about
    since: int = 0  # steps since somebody said something
    warnings: frozenset[int] = frozenset()  # ids of the lessons that it was told before a call
    shown: tuple[Shown, ...] = ()  # deliveries, in the order in which it was shown them
    made: int = 0  # steps in all; the oldest may be forgotten
    begun: float = 0.0  # seconds since 1970

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
        """The kinds of failure whose lessons a hold-out keeps from the run."""
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
        """The place of the last step that failed this way."""
        for place in range(len(self.steps) - 1, -1, -1):
            failure = self.steps[place].failure
            if failure is not None and failure.kind == kind:
                return place
        return None

    def ending(self, error: str = "") -> str:
        """How the run ended; `error`: what its caller says went wrong, if anything."""
        has_failed = any(step.failed for step in self.steps)
        if (has_failed and self.steps[-1].failed) or error not in ("", self.last_error):
            return Ending.FAILED
        return Ending.RECOVERED if has_failed else Ending.WORKED

    @property
    def last_error(self) -> str:
        """What the last failing step printed; "" when nothing failed."""
        failed = next((step for step in reversed(self.steps) if step.failed), None)
        return "" if failed is None else failed.output or SPEECHLESS
