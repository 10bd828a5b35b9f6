"""Ended runs in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from hardwon.core.values.report import ListQuery, Place, Window
    from hardwon.core.values.run import EndedRun
    from hardwon.core.values.scope import Scope

_MOST = 1_000  # runs that a process remembers


class MemoryEndedRuns:
    """Each run by its id."""

    def __init__(self) -> None:
        self.all: dict[str, EndedRun] = {}
        self._past: dict[tuple[Scope, str], str] = {}

    def keep(self, run: EndedRun) -> None:
        self.all[run.id] = run
        for old in list(self.all)[:-_MOST]:
            del self.all[old]

    def get(self, place: Place, run: str) -> EndedRun:
        matching = [ended for ended in self.all.values() if ended.id.startswith(run)]
        covered = sorted(
            (ended for ended in matching if run and place.covers(ended.scope)), key=_order
        )
        if not covered:
            raise NotFound("run", run)
        return covered[0]

    def recent(self, query: ListQuery) -> list[EndedRun]:
        covered = [run for run in self.all.values() if query.place.covers(run.scope)]
        runs = [run for run in covered if query.text.lower() in run.task.lower()]
        if query.after is not None:
            last = -query.after[0], query.after[1]
            runs = [run for run in runs if _order(run) > last]
        first = sorted(runs, key=_order)[: query.limit]
        return [run._replace(steps=(), shown=()) for run in first]

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        covered = [run for run in self.all.values() if window.covers(run.scope)]
        recent = sorted((run for run in covered if run.ended >= window.since), key=_order)
        return reversed(recent[:limit])

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        runs = sorted((run for run in self.all.values() if run.scope.tenant == tenant), key=_order)
        old = [run for at, run in enumerate(runs) if run.ended < before or at >= most]
        for run in old:
            del self.all[run.id]
        return len(old)

    def past(self, scope: Scope, digests: Sequence[str]) -> dict[str, str]:
        return {name: self._past[scope, name] for name in digests if (scope, name) in self._past}

    def note_past(self, scope: Scope, digest: str, state: str) -> None:
        self._past[scope, digest] = state

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the runs of a scope to another."""
        for name, run in self.all.items():
            if run.scope == scope:
                self.all[name] = run._replace(scope=target)

    def forget_tenant(self, tenant: str) -> None:
        """Remove the runs of a tenant."""
        self.all = {name: run for name, run in self.all.items() if run.scope.tenant != tenant}
        self._past = {key: state for key, state in self._past.items() if key[0].tenant != tenant}


def _order(run: EndedRun) -> tuple[float, str]:
    return -run.ended.timestamp(), run.id
