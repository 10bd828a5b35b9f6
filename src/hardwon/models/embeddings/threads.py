"""Run small matrix products on one thread.

numpy's OpenBLAS uses all cores for every product. For a text of a few words that costs more than it
saves, and on a busy machine its threads wait for each other: that took five times as long.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from glob import glob
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PLACES = ("../numpy.libs", ".dylibs")  # where numpy's packages for Linux and macOS keep OpenBLAS
_NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads")


@contextmanager
def single() -> Iterator[None]:
    """In the block numpy uses one thread, if that can be set."""
    if _CONTROL is None:
        yield
        return
    get, put = _CONTROL
    before = get()
    put(1)
    try:
        yield
    finally:
        put(before)


def _control() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """Functions that get and set the number of threads; None without OpenBLAS."""
    home = os.path.dirname(np.__file__)
    for place in _PLACES:
        for path in glob(os.path.join(home, place, "*openblas*")):
            library = ctypes.CDLL(path)
            for name in _NAMES:
                if hasattr(library, name.format("get")):
                    return (
                        getattr(library, name.format("get")),
                        getattr(library, name.format("set")),
                    )
    return None


_CONTROL = _control()
