"""The first-person analysis of one failed trial, one ended goal or one run."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from hardwon.core.values.scope import Scope

RUNS_KEPT = 1000  # reflections on runs in one scope


class Reflection(NamedTuple):
    """An insight and its subject: a loop, a goal or a pattern of runs."""

    scope: Scope
    subject: str  # loop or goal id
    insight: str
    created_at: datetime
    title: str = ""  # the task or the objective, in words
    state: str = "failed"
    importance: float = 0.5
    expires_at: datetime | None = None
    detail: str = "{}"  # further fields as JSON, depending on the kind
    job: str = ""  # the job that made it; a job makes one reflection at most

    @property
    def details(self) -> dict[str, Any]:
        """The further fields; empty where another program wrote something else."""
        try:
            details = json.loads(self.detail)
        except ValueError:
            return {}
        return details if isinstance(details, dict) else {}

    def is_alive(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or self.expires_at > now


class Likeness(NamedTuple):
    """A reflection and its relevance to a query, in 0 … 1."""

    reflection: Reflection
    relevance: float


def is_known(stored: Iterable[Reflection], new: Reflection) -> bool:
    """Whether the new one's job has already made a reflection."""
    return bool(new.job) and any(reflection.job == new.job for reflection in stored)


def surplus_reflections(stored: Sequence[Reflection], new: Reflection, *, keep: int) -> list[int]:
    """The positions of the reflections to drop, so that `keep` remain with the new one.

    The oldest of equal or lower importance goes; when all are more important, the least important.
    The new one is always kept. `keep=0` keeps everything.
    """
    surplus = len(stored) + 1 - keep if keep else 0
    remaining = list(range(len(stored)))
    dropped: list[int] = []
    for _ in range(max(0, surplus)):
        lesser = [at for at in remaining if stored[at].importance <= new.importance]
        least = min(stored[at].importance for at in remaining)
        choice = lesser or [at for at in remaining if stored[at].importance == least]
        dropped.append(min(choice, key=lambda at: (stored[at].created_at, at)))
        remaining.remove(dropped[-1])
    return sorted(dropped)
