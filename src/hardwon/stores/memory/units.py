"""The two arms of a hold-out in a dictionary."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.proof.arms import Arms

if TYPE_CHECKING:
    from hardwon.values.report import Window
    from hardwon.values.scope import Scope
    from hardwon.values.unit import Unit


class MemoryUnits:
    """Each unit with its outcome."""

    def __init__(self) -> None:
        self.all: dict[tuple[Scope, str, str], tuple[Unit, str]] = {}
        self._salt = os.urandom(16).hex()

    def salt(self) -> str:
        return self._salt

    def log(self, unit: Unit) -> None:
        self.all.setdefault((unit.scope, unit.run, unit.family), (unit, ""))

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        key = scope, run, family
        if key in self.all and not self.all[key][1]:
            self.all[key] = self.all[key][0], outcome

    def arms(self, window: Window) -> list[Arms]:
        found: dict[tuple[str, float], Arms] = {}
        for unit, outcome in self.all.values():
            if window.covers(unit.scope) and unit.at >= window.since:
                stratum = unit.door, unit.share
                known = found.get(stratum, Arms())
                found[stratum] = known.with_unit(outcome, withheld=unit.withheld)
        return [found[stratum] for stratum in sorted(found)]
