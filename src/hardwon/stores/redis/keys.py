"""Which key holds what. The default scope has exactly the published keys."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from hardwon.values.scope import Scope

_RECENT = "recent_goals"


class Keys(NamedTuple):
    """The keys of one scope: `reflection:<goal id>` behind a prefix that nothing else shares."""

    prefix: str
    scope: Scope

    @property
    def place(self) -> str:
        """What stands before `reflection:`; nothing for the default scope."""
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
        """What stands before a word of the index."""
        return f"{self.place}hardwon-words:"

    def goal(self, subject: str) -> str:
        """The reflections on one goal; an id that would clash with another key is marked."""
        marked = f"%{subject}" if subject == _RECENT or subject.startswith("%") else subject
        return f"{self.place}reflection:{marked}"


def visible(prefix: str, scope: Scope) -> list[Keys]:
    """The keys of every scope that is seen from this one."""
    return [Keys(prefix, seen) for seen in scope.visible()]


def patterns(prefix: str, tenant: str) -> list[str]:
    """What matches every key of a tenant, and no other's."""
    own = "".join(f"\\{sign}" if sign in "*?[]\\" else sign for sign in prefix)
    globs = [f"{own}hardwon:{quote(tenant, safe='')}:*"]
    if tenant == Scope().tenant:
        globs += [f"{own}reflection:*", f"{own}hardwon-words:*"]
    return globs
