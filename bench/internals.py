"""A hardwon whose parts a benchmark may reach, in one place.

Filling a store with 100,000 lessons, or trying other weights, has no public call.
"""

from __future__ import annotations

from typing import Any

from hardwon import Hardwon
from hardwon.api import PROCESSORS
from hardwon.core.settings import Settings
from hardwon.engine.runtime import Runtime, settings_at


class Measured(Hardwon):
    """The public face, and below it stores, doors and settings as they were wired."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self.runtime = runtime

    def __enter__(self) -> Measured:
        return self


def opened(home: str, *, settings: Settings | None = None, **how: Any) -> Measured:
    """Like `hardwon.open` of a directory; `how`: an embedder, a clock."""
    runtime = Runtime(settings_at(home, settings), home, **how)
    runtime.processors.update(PROCESSORS)
    return Measured(runtime)
