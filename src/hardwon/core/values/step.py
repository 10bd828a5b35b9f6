"""One tool call and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core.values.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence


class Step(NamedTuple):
    """One tool call. A failing step carries its failure once that has been read."""

    tool: str
    args: str  # the call as text; for a shell, the command as typed
    output: str = ""
    failed: bool = False
    failure: Failure | None = None


def read_step(values: Sequence[Any]) -> Step:
    """The step of a stored record; older versions stored a digest as the failure."""
    step = Step(*values)
    stored: object = step.failure
    return step._replace(failure=Failure(*stored) if isinstance(stored, list | tuple) else None)
