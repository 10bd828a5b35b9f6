"""What a benchmark may reach below the public face, in one place: the wiring of an opened hardwon.

Filling a store with 100,000 lessons, or trying other weights, has no public call.
"""

from __future__ import annotations

from hardwon import Hardwon
from hardwon.runtime import Runtime


def runtime(hw: Hardwon) -> Runtime:
    """Stores, doors and settings as they were wired."""
    return hw._engine
