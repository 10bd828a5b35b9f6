"""Scopes: every read and write names a tenant, an agent and a project, and stays inside."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from hardwon.core.text.clean import name
from hardwon.core.text.secrets import without_secrets

APART = "@apart-"  # followed by the digest of an untrusted folder that claims the project
_DIGEST = 16  # hexadecimal digits


class Scope(NamedTuple):
    """Tenant, agent and project. `project=None` means: holds everywhere for that agent."""

    tenant: str = "default"
    agent: str = "default"
    project: str | None = None

    def everywhere(self) -> Scope:
        """The same agent without a project."""
        return self._replace(project=None)

    def visible(self) -> tuple[Scope, ...]:
        """The scopes whose lessons are visible from here, nearest first."""
        if self.project is None:
            return (self,)
        claimed = self.claimed_project()
        return (self, self.everywhere()) if claimed is None else (self, claimed, self.everywhere())

    def changeable(self) -> tuple[Scope, ...]:
        """The scopes whose lessons may be changed from here: not that of a claimed project."""
        claimed = self.claimed_project()
        return tuple(scope for scope in self.visible() if scope != claimed)

    def claimed_project(self) -> Scope | None:
        """The scope of the project that an untrusted folder claims; None for any other scope."""
        project, mark, digest = (self.project or "").rpartition(APART)
        is_apart = project and mark and len(digest) == _DIGEST
        return self._replace(project=project) if is_apart else None

    def __str__(self) -> str:
        return "/".join(part for part in self if part is not None)


def folder_digest(folder: str) -> str:
    """The id of a folder among those that claim a project."""
    raw = folder.encode("utf-8", "surrogateescape")
    return blake2b(raw, digest_size=_DIGEST // 2).hexdigest()


def apart(project: str, digest: str) -> str:
    """The project name that stores the lessons of an untrusted folder."""
    return f"{project}{APART}{digest}"


def scope(agent: str, *, project: str | None = None, tenant: str = "default") -> Scope:
    """A scope made of checked names."""
    return Scope(
        check_name(tenant, "tenant"),
        check_name(agent, "agent"),
        None if project is None else check_name(project, "project"),
    )


def check_name(text: str, label: str) -> str:
    """The name as it is stored; one with a secret is replaced by a digest."""
    plain = name(text, label)
    if without_secrets(plain) == plain:
        return plain
    return f"redacted-{blake2b(plain.encode(), digest_size=8).hexdigest()}"
