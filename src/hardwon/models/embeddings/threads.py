"""Small products of matrices on one thread.

numpy's OpenBLAS gives every product to all cores. For a text of a few words that costs more than
it brings, and on a busy machine its threads wait for each other: five times the time was measured.
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

_PLACES = ("../numpy.libs", ".dylibs")  # where numpy's packages for Linux and macOS keep it
_NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads")


@contextmanager
def single() -> Iterator[None]:
    """Within the block numpy uses one thread, where that can be set."""
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
    """How the number of threads is read and set; None for a numpy without OpenBLAS."""
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
