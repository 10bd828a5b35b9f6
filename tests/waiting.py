"""Waiting for what other processes do, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

_PATIENCE = 120.0  # seconds: a guard against hanging, far above what anything takes


def until(what: Callable[[], object]) -> None:
    """Wait for something to come true."""
    end = time.monotonic() + _PATIENCE
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def are_gone(pids: str) -> bool:
    """Whether these processes end; on a busy machine none may have said its number in time."""
    until(lambda: not any(_is_alive(int(pid)) for pid in pids.split()))
    return True


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"
