"""The keys in Redis. The default scope uses exactly the published keys."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from hardwon.values.scope import Scope

_RECENT = "recent_goals"


class Keys(NamedTuple):
    """The keys of one scope: `reflection:<goal id>` after a unique prefix."""

    prefix: str
    scope: Scope

    @property
    def place(self) -> str:
        """The prefix before `reflection:`; only the configured one for the default scope."""
        if self.scope == Scope():
            return self.prefix
        names = ":".join(quote(part or "", safe="") for part in self.scope)
        return f"{self.prefix}hardwon:{names}:"

    @property
    def recent(self) -> str:
        """The list of recent goals."""
        return f"{self.place}reflection:{_RECENT}"

    @property
    def words(self) -> str:
        """The prefix of a word in the index."""
        return f"{self.place}hardwon-words:"

    def goal(self, subject: str) -> str:
        """The key of one goal; an id that would clash with another key is marked."""
        marked = f"%{subject}" if subject == _RECENT or subject.startswith("%") else subject
        return f"{self.place}reflection:{marked}"


def visible(prefix: str, scope: Scope) -> list[Keys]:
    """The keys of every scope visible from this one."""
    return [Keys(prefix, seen) for seen in scope.visible()]


def patterns(prefix: str, tenant: str) -> list[str]:
    """Patterns that match every key of a tenant, and no others."""
    escaped = "".join(f"\\{sign}" if sign in "*?[]\\" else sign for sign in prefix)
    globs = [f"{escaped}hardwon:{quote(tenant, safe='')}:*"]
    if tenant == Scope().tenant:
        globs += [f"{escaped}reflection:*", f"{escaped}hardwon-words:*"]
    return globs
