"""The keys in Redis. The default scope uses exactly the published keys."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote

from hardwon.core.values.scope import Scope

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


def goal_patterns(prefix: str, scope: Scope) -> list[str]:
    """Patterns that match the goals of an agent in all projects; lists of recent goals as well."""
    names = ":".join(quote(part, safe="") for part in scope[:2])
    globs = [f"{_escape(prefix)}hardwon:{names}:*:reflection:*"]
    return [*globs, f"{_escape(prefix)}reflection:*"] if scope[:2] == Scope()[:2] else globs


def goal_of(prefix: str, key: str) -> tuple[Keys, str] | None:
    """The place and the id of a goal; None for a key that is no goal's."""
    place, rest = Scope(), key.removeprefix(prefix)
    if rest.startswith("hardwon:"):
        tenant, agent, project, rest = rest.removeprefix("hardwon:").split(":", 3)
        place = Scope(unquote(tenant), unquote(agent), unquote(project) or None)
    kind, _, marked = rest.partition(":")
    if kind != "reflection" or marked == _RECENT:
        return None
    return Keys(prefix, place), marked.removeprefix("%")


def _escape(prefix: str) -> str:
    return "".join(f"\\{sign}" if sign in "*?[]\\" else sign for sign in prefix)


def patterns(prefix: str, tenant: str) -> list[str]:
    """Patterns that match every key of a tenant, and no others."""
    escaped = _escape(prefix)
    globs = [f"{escaped}hardwon:{quote(tenant, safe='')}:*"]
    if tenant == Scope().tenant:
        globs += [f"{escaped}reflection:*", f"{escaped}hardwon-words:*"]
    return globs
