"""One run of an agent."""

from collections.abc import Iterable
from typing import Protocol

from hardwon.core.values.run import RunSoFar, Shown, Step


class Run(Protocol):
    """One piece of work of an agent. Its texts have been screened."""

    @property
    def name(self) -> str:
        """The name of the run; processes that share a run share its name."""

    def so_far(self) -> RunSoFar:
        """The task, the steps (oldest first), the lessons shown and the marks counted so far."""

    def begin(self, task: str) -> None:
        """Note what the run is about; the latest task counts."""

    def record(self, step: Step) -> None:
        """Add a step; the oldest may be forgotten."""

    def told(self, lessons: Iterable[int], call: str = "", shown: Shown | None = None) -> None:
        """Note the lessons that the run was shown, and the pending call that they are about.

        `shown`: the delivery of these lessons; its outcome is read when the run ends.
        """

    def counted(self, marks: Iterable[str]) -> None:
        """Note marks that count once per run."""

    def end(self, outcome: str = "", at: float = 0.0) -> bool:
        """Forget the run. Call it when its job is durable.

        With an outcome and a time it is put aside for a worker; False if that is not possible.
        """
