"""Ended runs in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hardwon.values.ended_run import EndedRun
    from hardwon.values.listing import Place, Wanted
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
        found = [one for one in self.all.values() if one.id.startswith(run)]
        own = sorted((one for one in found if run and place.covers(one.scope)), key=_order)
        if not own:
            raise NotFound("run", run)
        return own[0]

    def recent(self, wanted: Wanted) -> list[EndedRun]:
        own = [one for one in self.all.values() if wanted.place.covers(one.scope)]
        found = [one for one in own if wanted.text.lower() in one.task.lower()]
        if wanted.after is not None:
            last = -wanted.after[0], wanted.after[1]
            found = [one for one in found if _order(one) > last]
        first = sorted(found, key=_order)[: wanted.limit]
        return [one._replace(steps=(), shown=()) for one in first]

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        own = [one for one in self.all.values() if window.covers(one.scope)]
        found = sorted((one for one in own if one.ended >= window.since), key=_order)
        return reversed(found[:limit])

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        own = sorted((r for r in self.all.values() if r.scope.tenant == tenant), key=_order)
        gone = [one for at, one in enumerate(own) if one.ended < before or at >= most]
        for one in gone:
            del self.all[one.id]
        return len(gone)

    def move(self, scope: Scope, target: Scope) -> None:
        """Let the runs of a scope be another's."""
        for name, one in self.all.items():
            if one.scope == scope:
                self.all[name] = one._replace(scope=target)

    def forget_tenant(self, tenant: str) -> None:
        """Remove the runs of a tenant."""
        self.all = {n: one for n, one in self.all.items() if one.scope.tenant != tenant}


def _order(run: EndedRun) -> tuple[float, str]:
    return -run.ended.timestamp(), run.id
