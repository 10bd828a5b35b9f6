"""Failure counts in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.scope import Scope


class MemoryFailures:
    """Failure counts in a dictionary."""

    def __init__(self) -> None:
        self.all: dict[tuple[Scope, str], tuple[str, int]] = {}
        self.times: dict[tuple[Scope, str], list[datetime]] = {}  # of every occurrence

    def met(self, scope: Scope, signature: str, text: str, now: datetime) -> int:
        first_text, count = self.all.get((scope, signature), (text, 0))
        self.all[scope, signature] = (first_text, count + 1)
        self.times.setdefault((scope, signature), []).append(now)
        return count + 1

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the failures of a scope to another; counts are added."""
        for key in [key for key in self.all if key[0] == scope]:
            (text, count), new = self.all.pop(key), (target, key[1])
            first_text, before = self.all.get(new, (text, 0))
            self.all[new] = first_text, before + count
            self.times.setdefault(new, []).extend(self.times.pop(key))

    def forget_tenant(self, tenant: str) -> None:
        """Remove the failures of a tenant."""
        for key in [key for key in self.all if key[0].tenant == tenant]:
            del self.all[key], self.times[key]

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        counts: dict[str, tuple[str, int]] = {}
        for (owner, signature), (text, count) in self.all.items():
            if owner in scope.visible():
                counts[signature] = (text, counts.get(signature, (text, 0))[1] + count)
        return sorted(counts.values(), key=lambda pair: (-pair[1], pair[0]))[:limit]
