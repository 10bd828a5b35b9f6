"""One run of an agent."""

from collections.abc import Iterable
from typing import Protocol

from hardwon.values.run import RunSoFar, Shown
from hardwon.values.step import Step


class Run(Protocol):
    """One piece of work of an agent. Its texts have been screened."""

    @property
    def name(self) -> str:
        """The name of the run; processes that share a run share its name."""

    def so_far(self) -> RunSoFar:
        """Task, steps (oldest first), what it was told and what it has counted."""

    def begin(self, task: str) -> None:
        """Note what the run is about; the latest task counts."""

    def record(self, step: Step) -> None:
        """Add a step; the oldest may be forgotten."""

    def told(self, lessons: Iterable[int], call: str = "", shown: Shown | None = None) -> None:
        """Note the lessons that the run was told, and the pending call they were told before.

        `shown`: the delivery of these lessons; its outcome is read when the run ends.
        """

    def counted(self, marks: Iterable[str]) -> None:
        """Note what counts once a run and has been counted."""

    def end(self, outcome: str = "", at: float = 0.0) -> bool:
        """Forget the run. Call it when its job is durable.

        With an outcome and a time it is put aside for a worker; False where that cannot be done.
        """
