"""Capture: decide whether a run is worth a reflection, and make that wish durable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.values.episode import Trigger
from hardwon.values.job import Job, new_job

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from hardwon.ports import Queue
    from hardwon.values.episode import Episode


def trigger_of(error: object, signals: Mapping[str, str] | None, gates: Gates) -> str | None:
    """Why this run is worth a reflection; None when it is not. Costs next to nothing."""
    if not (error or signals) or not gates.enabled:
        return None
    flags = signals or {}
    if flags.get("force_reflexion") == "true":
        return Trigger.MANUAL
    if error:
        return Trigger.ERROR if gates.on_error else None
    if gates.on_hallucination and flags.get("verified_with_discrepancy") == "true":
        return Trigger.HALLUCINATION
    if gates.on_low_quality and flags.get("refine_low_quality") == "true":
        return Trigger.LOW_QUALITY
    return None


def capture(episode: Episode, trigger: str, *, queue: Queue, now: datetime) -> Job:
    """The job for this episode, safe in the queue when this returns."""
    job = new_job(episode, trigger, now)
    queue.put(job)
    return job


if TYPE_CHECKING:
    from typing import Protocol

    class Gates(Protocol):
        """Which triggers are switched on."""

        @property
        def enabled(self) -> bool: ...
        @property
        def on_error(self) -> bool: ...
        @property
        def on_hallucination(self) -> bool: ...
        @property
        def on_low_quality(self) -> bool: ...
