"""Counts of call features in dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.ranking.odds import EVERY, LIMITS, PRUNE_EVERY, counted, together, united

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.ranking.odds import Call, Counts
    from hardwon.values.scope import Scope


class MemoryCalls:
    """Counts of features in dictionaries."""

    def __init__(self) -> None:
        self.all: dict[Scope, dict[int, Counts]] = {}

    def made(self, scope: Scope, call: Call) -> None:
        known = self.all.setdefault(scope, {})
        counted(known, call)
        if known[EVERY].touched % PRUNE_EVERY == 0:
            order = sorted(known, key=lambda feature: (-known[feature].touched, feature))
            self.all[scope] = {feature: known[feature] for feature in order[: LIMITS.features]}

    def catch_up(self) -> bool:
        return False  # everything is counted at once

    def counts(self, scope: Scope, features: Sequence[int]) -> dict[int, Counts]:
        seen = [self.all[owner] for owner in scope.visible() if owner in self.all]
        per_feature = {
            feature: [known[feature] for known in seen if feature in known]
            for feature in (EVERY, *features)
        }
        return {feature: together(known) for feature, known in per_feature.items() if known}

    def move(self, scope: Scope, target: Scope) -> None:
        """Let the counts of a scope be another's, added up."""
        known_here = self.all.setdefault(target, {})
        known_here |= united(self.all.pop(scope, {}), known_here)

    def forget_tenant(self, tenant: str) -> None:
        """Remove the counts of a tenant."""
        self.all = {scope: known for scope, known in self.all.items() if scope.tenant != tenant}
