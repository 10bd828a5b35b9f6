"""The store below an opened hardwon, for what no verb of the public face makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from hardwon import Hardwon
from hardwon.api import PROCESSORS, collect_sent
from hardwon.core.settings import Settings, load
from hardwon.engine.runtime import Runtime, settings_at, utc_now
from hardwon.storage.ports import Store


class StoredHardwon(Hardwon):
    """A hardwon with the store and the clock that it was opened with, also in memory."""

    def __init__(self, engine: Runtime) -> None:
        super().__init__(engine)
        self.store = engine.store
        self.clock = engine.clock

    def __enter__(self) -> StoredHardwon:
        return self


def opened(
    target: Path | str = "",
    *,
    settings: Settings | None = None,
    model: Any = None,
    clock: Callable[[], datetime] = utc_now,
) -> StoredHardwon:
    """`hardwon.open` for tests that put rows into the store, or look at them."""
    place = str(target)
    engine = Runtime(settings_at(place, settings), place, model=model, clock=clock)
    engine.processors.update(PROCESSORS)
    engine.chores.append(collect_sent)
    return StoredHardwon(engine)


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
