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
        counts = self.all.setdefault(scope, {})
        counted(counts, call)
        if counts[EVERY].touched % PRUNE_EVERY == 0:
            order = sorted(counts, key=lambda feature: (-counts[feature].touched, feature))
            self.all[scope] = {feature: counts[feature] for feature in order[: LIMITS.features]}

    def catch_up(self) -> bool:
        return False  # everything is counted at once

    def counts(self, scope: Scope, features: Sequence[int]) -> dict[int, Counts]:
        visible = [self.all[owner] for owner in scope.visible() if owner in self.all]
        per_feature = {
            feature: [counts[feature] for counts in visible if feature in counts]
            for feature in (EVERY, *features)
        }
        return {feature: together(parts) for feature, parts in per_feature.items() if parts}

    def move(self, scope: Scope, target: Scope) -> None:
        """Add the counts of a scope to those of another."""
        target_counts = self.all.setdefault(target, {})
        target_counts |= united(self.all.pop(scope, {}), target_counts)

    def forget_tenant(self, tenant: str) -> None:
        """Remove the counts of a tenant."""
        self.all = {scope: counts for scope, counts in self.all.items() if scope.tenant != tenant}
