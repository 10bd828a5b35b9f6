"""The two arms of a hold-out in a dictionary."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hardwon.core.values.delivery import EXCLUDED, Unit
from hardwon.knowledge.proof.arms import Arms, Treatment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from hardwon.core.values.report import Window
    from hardwon.core.values.scope import Scope


class MemoryUnits:
    """Each unit with its outcome."""

    def __init__(self) -> None:
        self.all: dict[tuple[Scope, str, str], tuple[Unit, str]] = {}
        self.shares: dict[str, float] = {}
        self._salt = os.urandom(16).hex()

    def salt(self) -> str:
        return self._salt

    def share(self, tenant: str) -> float | None:
        return self.shares.get(tenant)

    def set_share(self, tenant: str, share: float) -> None:
        self.shares[tenant] = share

    def log(self, unit: Unit) -> None:
        self.all.setdefault((unit.scope, unit.run, unit.family), (unit, ""))

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        key = scope, run, family
        if key in self.all and not self.all[key][1]:
            self.all[key] = self.all[key][0], outcome

    def exclude(self, scope: Scope, families: Sequence[str], now: datetime) -> None:
        for unit, _ in list(self.all.values()):
            if unit.scope == scope and unit.family in families and unit.at <= now:
                self.settle(scope, unit.run, unit.family, EXCLUDED)

    def arms(self, window: Window) -> list[Arms]:
        strata = self._counted(window, lambda unit: (unit.door, unit.share))
        return [strata[stratum] for stratum in sorted(strata)]

    def treatments(self, window: Window) -> list[Treatment]:
        counted = self._counted(window, lambda unit: (unit.lesson, unit.wording, unit.share))
        strata: dict[tuple[int, str], list[Arms]] = {}
        for lesson, wording, share in sorted(counted):
            strata.setdefault((lesson, wording), []).append(counted[lesson, wording, share])
        scopes = {unit.lesson: unit.scope for unit, _ in self._units(window)}
        return [
            Treatment(scopes[lesson], lesson, wording, tuple(arms))
            for (lesson, wording), arms in strata.items()
            if lesson
        ]

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the units of a scope to another."""
        for key in [key for key in self.all if key[0] == scope]:
            unit, outcome = self.all.pop(key)
            self.all.setdefault((target, *key[1:]), (unit._replace(scope=target), outcome))

    def forget_tenant(self, tenant: str) -> None:
        """Remove the units of a tenant, and its share."""
        self.all = {key: row for key, row in self.all.items() if key[0].tenant != tenant}
        self.shares.pop(tenant, None)

    def _counted(
        self, window: Window, stratum: Callable[[Unit], tuple[Any, ...]]
    ) -> dict[tuple[Any, ...], Arms]:
        arms: dict[tuple[Any, ...], Arms] = {}
        for unit, outcome in self._units(window):
            before = arms.get(stratum(unit), Arms())
            arms[stratum(unit)] = before.with_unit(outcome, withheld=unit.withheld)
        return arms

    def _units(self, window: Window) -> Iterator[tuple[Unit, str]]:
        for unit, outcome in self.all.values():
            if window.covers(unit.scope) and unit.at >= window.since:
                yield unit, outcome
