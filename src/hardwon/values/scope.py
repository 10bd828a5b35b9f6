"""Whose knowledge it is: every read and write names a scope, and nothing crosses it."""

from __future__ import annotations

from hardwon._cold.hashing import blake2b
from hardwon.text.clean import name
from hardwon.text.secrets import without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from hardwon._cold.namedtuple import NamedTuple


class Scope(NamedTuple):
    """Tenant, agent and project. `project=None` means: holds everywhere for that agent."""

    tenant: str = "default"
    agent: str = "default"
    project: str | None = None

    def everywhere(self) -> Scope:
        """The same agent without a project."""
        return self._replace(project=None)

    def visible(self) -> tuple[Scope, ...]:
        """The scopes whose lessons are seen from here, nearest first."""
        return (self,) if self.project is None else (self, self.everywhere())

    def __str__(self) -> str:
        return "/".join(part for part in self if part is not None)


def scope(agent: str, *, project: str | None = None, tenant: str = "default") -> Scope:
    """A scope made of checked names."""
    return Scope(
        _named(tenant, "tenant"),
        _named(agent, "agent"),
        None if project is None else _named(project, "project"),
    )


def _named(text: str, what: str) -> str:
    """The name as it is stored; one that holds a secret becomes another that tells them apart."""
    plain = name(text, what)
    if without_secrets(plain) == plain:
        return plain
    return f"redacted-{blake2b(plain.encode(), digest_size=8).hexdigest()}"
