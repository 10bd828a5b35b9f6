"""Delete a tenant with all its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.engine import trust
from hardwon.learn import trials
from hardwon.storage.service import database as service
from hardwon.storage.stores import run_files

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime


def forget(engine: Runtime, name: str) -> None:
    """Delete a tenant; its jobs first, so that no worker creates lessons again."""
    trials.forget(engine, name)
    for job in engine.queue.waiting():
        if job.episode.scope.tenant == name:
            engine.queue.forget(job)
    for job in engine.queue.dead():
        if job.episode.scope.tenant == name:
            engine.queue.purge(job.id)
    engine.accounts.ledger.forget(name)
    if engine.on_disk:
        for module in (run_files, trust):
            module.forget(engine.settings.home, name)
        service.forget(engine.settings, name)
    engine.store.forget(name)
