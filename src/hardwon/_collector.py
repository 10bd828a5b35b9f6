"""Python's collector of cyclic garbage, which looks at every value again and again."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_RARELY = 100_000  # new values between two collections; Python's default is 700


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Collect garbage rarely, for work that makes many values and hardly any cycles."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], _RARELY) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
