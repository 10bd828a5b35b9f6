"""Ended runs in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hardwon.values.ended_run import EndedRun
    from hardwon.values.listing import ListQuery, Place
    from hardwon.values.report import Window
    from hardwon.values.scope import Scope

_MOST = 1_000  # runs that a process remembers


class MemoryEndedRuns:
    """Each run by its id."""

    def __init__(self) -> None:
        self.all: dict[str, EndedRun] = {}

    def keep(self, run: EndedRun) -> None:
        self.all[run.id] = run
        for old in list(self.all)[:-_MOST]:
            del self.all[old]

    def get(self, place: Place, run: str) -> EndedRun:
        matching = [ended for ended in self.all.values() if ended.id.startswith(run)]
        own = sorted((ended for ended in matching if run and place.covers(ended.scope)), key=_order)
        if not own:
            raise NotFound("run", run)
        return own[0]

    def recent(self, wanted: ListQuery) -> list[EndedRun]:
        own = [run for run in self.all.values() if wanted.place.covers(run.scope)]
        runs = [run for run in own if wanted.text.lower() in run.task.lower()]
        if wanted.after is not None:
            last = -wanted.after[0], wanted.after[1]
            runs = [run for run in runs if _order(run) > last]
        first = sorted(runs, key=_order)[: wanted.limit]
        return [run._replace(steps=(), shown=()) for run in first]

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        own = [run for run in self.all.values() if window.covers(run.scope)]
        recent = sorted((run for run in own if run.ended >= window.since), key=_order)
        return reversed(recent[:limit])

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        own = sorted((run for run in self.all.values() if run.scope.tenant == tenant), key=_order)
        gone = [run for at, run in enumerate(own) if run.ended < before or at >= most]
        for run in gone:
            del self.all[run.id]
        return len(gone)

    def move(self, scope: Scope, target: Scope) -> None:
        """Let the runs of a scope be another's."""
        for name, run in self.all.items():
            if run.scope == scope:
                self.all[name] = run._replace(scope=target)

    def forget_tenant(self, tenant: str) -> None:
        """Remove the runs of a tenant."""
        self.all = {name: run for name, run in self.all.items() if run.scope.tenant != tenant}


def _order(run: EndedRun) -> tuple[float, str]:
    return -run.ended.timestamp(), run.id
