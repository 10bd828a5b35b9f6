"""The five phases of mining a session, and their progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

PENDING, IN_PROGRESS, COMPLETED = "pending", "in_progress", "completed"


class Phase(NamedTuple):
    """One phase, in the words people are shown."""

    content: str
    active: str
    status: str = PENDING


PHASES = (
    Phase("Detect session context", "Detecting session context"),
    Phase("Extract insights (parallel)", "Extracting insights"),
    Phase("Guide insight selection", "Guiding insight selection"),
    Phase("Integrate selected insights", "Integrating insights"),
    Phase("Verify and cleanup", "Verifying completion"),
)
CONTEXT, EXTRACTION, SELECTION, INTEGRATION, VERIFICATION = range(5)

Watch = Callable[[tuple[Phase, ...]], None]


def unwatched(phases: tuple[Phase, ...]) -> None:
    """The default watcher: does nothing."""


class PhaseOrder:
    """Each phase is in progress exactly once, one at a time, and never again."""

    def __init__(self, watch: Watch = unwatched, *, at: int = -1) -> None:
        self._watch = watch
        self._at = at

    def enter(self, phase: int) -> None:
        """The phase begins; the one before it is completed."""
        if phase != self._at + 1:
            raise ValueError(f"phase {phase} cannot follow phase {self._at}")
        self._at = phase
        self._watch(self.phases())

    def finish(self) -> None:
        """All phases are completed."""
        self._at = len(PHASES)
        self._watch(self.phases())

    def phases(self) -> tuple[Phase, ...]:
        """All phases with their status."""
        return tuple(phase._replace(status=self._status(at)) for at, phase in enumerate(PHASES))

    def _status(self, at: int) -> str:
        return PENDING if at > self._at else IN_PROGRESS if at == self._at else COMPLETED
