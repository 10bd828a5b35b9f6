"""One run of an agent, as it is captured."""

from __future__ import annotations

from typing import NamedTuple

from hardwon.core.values.scope import Scope
from hardwon.core.values.step import Step


class Trigger:
    """Why a lesson is made."""

    ERROR = "error"
    HALLUCINATION = "hallucination"
    LOW_QUALITY = "low_quality"
    MANUAL = "manual"
    VERIFICATION = "verification"
    GOAL = "goal"
    EXECUTION = "execution"
    SESSION = "session"
    NOTE = "note"
    RECURRENCE = "recurrence"
    RUN = "run"


class Episode(NamedTuple):
    """A task, what was tried, and how it ended."""

    scope: Scope
    task: str
    attempt: str = ""
    error: str = ""
    steps: tuple[Step, ...] = ()
    signals: tuple[tuple[str, str], ...] = ()
    source: str = "library"

    def signal(self, key: str) -> str:
        """The value of a signal, or an empty string."""
        return dict(self.signals).get(key, "")

    def is_flagged(self, key: str) -> bool:
        """A flag counts only when it is exactly "true"."""
        return self.signal(key) == "true"
