"""Names of the last release. They still work in this one, with a warning."""

from __future__ import annotations

import warnings
from typing import Any

OF_HARDWON = {
    **{name: f"queue.{name}" for name in ("waiting", "dead", "revive", "purge")},
    "queue_status": "queue.status",
    "embed": "vectors.fill",
    "embedded": "vectors.counts",
}
OF_AGENT = {
    "goal_ended": "goals.ended",
    "goal_context": "goals.context",
    "run_ended": "runs.ended",
    "run_context": "runs.context",
    **{name: f"answers.{name}" for name in ("verify", "refine", "imagine")},
    "reflections": "goals.reflections",
    "trials": "loops.run",
}


def moved(handle: object, name: str, places: dict[str, str]) -> Any:
    """The value of an old name of a handle, with a warning; AttributeError for other names."""
    place = places.get(name)
    if place is None:
        raise AttributeError(f"{type(handle).__name__!r} object has no attribute {name!r}")
    warnings.warn(f"{name} is now {place}", DeprecationWarning, stacklevel=3)
    space, _, verb = place.partition(".")
    return getattr(getattr(handle, space), verb)
