"""How much work a function does: calls are counted, and other processes never count."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


def calls_made(function: Callable[..., object], *arguments: object) -> int:
    """How many functions are called, C functions too, while this one runs."""
    made = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return made


def cpu_seconds(function: Callable[..., object], *arguments: object) -> float:
    """The processor time of this thread alone: a busy machine does not add to it."""
    began = time.thread_time()
    function(*arguments)
    return time.thread_time() - began


NEVER_QUADRATIC = 10.0  # seconds of a processor; a pattern that backtracks takes minutes
