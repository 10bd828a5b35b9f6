"""Python's collector of cyclic garbage, which looks at every value again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_RARELY = 100_000  # new values between two collections; Python's default is 700
_LOCK = Lock()
_usual: list[tuple[int, int, int]] = []  # what it was for each that is within, the first first


@contextmanager
def collect_garbage_rarely() -> Iterator[None]:
    """Collect garbage rarely, for work that makes many values and hardly any cycles."""
    with _LOCK:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        first, *others = _usual[0]
        gc.set_threshold(max(first, _RARELY) if first else 0, *others)
    try:
        yield
    finally:
        with _LOCK:
            usual = _usual.pop()
            if not _usual:  # the last one that was within
                gc.set_threshold(*usual)
