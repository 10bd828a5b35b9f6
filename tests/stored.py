"""The store below an opened hardwon, for what no verb of the public face makes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hardwon.ports import Store
from hardwon.runtime import Runtime
from hardwon.settings import load


@contextmanager
def runtime(home: Path | str) -> Iterator[Runtime]:
    """What a process of its own has open on this home."""
    with closing(Runtime(load(str(home)), str(home))) as engine:
        yield engine


@contextmanager
def stored(home: Path | str) -> Iterator[Store]:
    """The store of this home, as another process opens it."""
    with runtime(home) as engine:
        yield engine.store
