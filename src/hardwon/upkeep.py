"""What a worker does once a day besides jobs: settle runs that never ended, review lessons."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from hardwon.pipeline import evaluate, settle
from hardwon.stores import runs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from hardwon.ports import Store
    from hardwon.settings import Settings

ENDED = timedelta(hours=24)  # a run in which nothing happened for so long has ended
_EVERY = timedelta(days=1).total_seconds()
_RUNS = ""  # no tenant has this name


def daily(
    store: Store, settings: Settings, tenants: Collection[str], now: datetime, *, on_disk: bool
) -> Iterator[object]:
    """Do what is due, step by step."""
    moment = now.timestamp()
    if on_disk and runs.is_due(settings.home, _RUNS, moment, every=_EVERY):
        yield from _settled(store, settings.home, now)
    for tenant in sorted(tenants) if settings.proof.share else ():
        if not on_disk or runs.is_due(settings.home, tenant, moment, every=_EVERY):
            yield evaluate.review(store, tenant, share=settings.proof.share, now=now)


def _settled(store: Store, home: str, now: datetime) -> Iterator[str]:
    """Note what came of the deliveries of runs that never ended; their steps tell."""
    for scope, run in runs.idle(home, (now - ENDED).timestamp()):
        settle.settle(run.so_far(), run.name, scope, store)
        run.settled()
        yield run.name
