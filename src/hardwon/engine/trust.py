"""Which folders may write into a project that is claimed by name: trust on first use.

A repository names its project in its own files, so any folder can claim any project. The first
folder that does is trusted, as ssh trusts a host. Later folders read the project's lessons, but
what they learn is kept apart until a person trusts the folder.

The file `projects` in the home has a line for each claim, with fields separated by tabs. If it is
damaged, no folder is trusted for being the first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, NotFound, storage_error
from hardwon.core.project import ClaimedProject, claim_of
from hardwon.core.text.clean import one_line
from hardwon.core.text.secrets import without_secrets
from hardwon.core.values.lesson import Status
from hardwon.core.values.scope import Scope, apart, check_name, folder_digest

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime

NAME = "projects"
_HEAD = "hardwon projects 1"
_LIMIT = 1 << 18  # bytes; a file that is longer counts as damaged
_APART_KEPT = 100  # at most, untrusted folders that are listed; the latest ones
_TRUSTED, _APART = "trusted", "apart"


class FolderClaim(NamedTuple):
    """A folder that claims to belong to a project of a tenant."""

    tenant: str
    project: str
    digest: str  # of the folder's real path
    folder: str  # the same path, readable
    is_trusted: bool = False

    def writes_to(self) -> str:
        """The project that this folder's lessons are stored in."""
        return self.project if self.is_trusted else apart(self.project, self.digest)

    def is_same(self, other: FolderClaim) -> bool:
        """Whether both are about one folder and one project."""
        return self[:3] == other[:3]


class Claims(NamedTuple):
    """All claims of a home."""

    all: tuple[FolderClaim, ...] = ()
    is_whole: bool = True

    def judge(self, claim: FolderClaim) -> FolderClaim:
        """The stored claim of this folder, or this one; the first of a project is trusted."""
        for existing in self.all:
            if existing.is_same(claim):
                return existing
        names = {(other.tenant, other.project) for other in self.all if other.is_trusted}
        is_first = (claim.tenant, claim.project) not in names
        return claim._replace(is_trusted=self.is_whole and is_first)

    def having(self, claim: FolderClaim) -> Claims:
        """The claims with this one replacing the earlier claim of the folder."""
        remaining = self.without(claim.is_same).all
        trusted = tuple(other for other in remaining if other.is_trusted)
        untrusted = tuple(other for other in remaining if not other.is_trusted)[1 - _APART_KEPT :]
        return self._replace(all=(*trusted, *untrusted, claim))

    def without(self, leaves: Callable[[FolderClaim], bool]) -> Claims:
        """The claims without those for which `leaves` is true."""
        return self._replace(all=tuple(claim for claim in self.all if not leaves(claim)))


def project_for(folder: str, home: str, *, tenant: str, is_look: bool = False) -> str | None:
    """The project that work in this folder writes to; None for a path that is not absolute.

    Without a home nothing is stored, and every folder has the project it claims. With `is_look`
    no claim is stored, so that no folder becomes trusted.
    """
    claimed = claim_of(folder)
    if claimed is None or not claimed.is_by_name or not home:
        return claimed.project if claimed else None
    claims, claim = read(home), _of_tenant(claimed, tenant)
    judged = claims.judge(claim)
    if judged not in claims.all and claims.is_whole and not is_look:
        try:
            os.makedirs(home, mode=0o700, exist_ok=True)
            claims = change_claims(home, lambda claims: claims.having(claims.judge(claim)))
        except OSError:  # the home cannot be written
            claims = read(home)
        judged = claims.judge(claim)
    return judged.writes_to()


def _of_tenant(claimed: ClaimedProject, tenant: str) -> FolderClaim:
    names = check_name(tenant, "tenant"), check_name(claimed.project, "project")
    return FolderClaim(*names, folder_digest(claimed.folder), claimed.folder)


def settle_scope(home: str, scope: Scope) -> Scope:
    """The scope; that of the project if its folder has been trusted since."""
    original = scope.claimed_project()
    if original is None:
        return scope
    own = (claim for claim in read(home).all if claim.is_trusted and claim.tenant == scope.tenant)
    was_apart = [apart(claim.project, claim.digest) for claim in own]
    return original if scope.project in was_apart else scope


def read(home: str) -> Claims:
    """The claims of a home; `is_whole` is False when some could not be read."""
    try:
        raw = _files.content(os.path.join(home, NAME), _LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Claims()
    except OSError:
        return Claims(is_whole=False)
    head, *lines = raw.decode("utf-8", "replace").split("\n")
    claims = [_parse_claim(line) for line in lines[:-1]]
    is_ended = lines[-1:] == [""] and len(raw) <= _LIMIT
    is_whole = head == _HEAD and is_ended and None not in claims
    return Claims(tuple(claim for claim in claims if claim is not None), is_whole)


def forget(home: str, tenant: str) -> None:
    """Remove all claims of a tenant."""
    if any(claim.tenant == tenant for claim in read(home).all):
        change_claims(home, lambda claims: claims.without(lambda claim: claim.tenant == tenant))


def change_claims(home: str, change: Callable[[Claims], Claims]) -> Claims:
    """Change and store the claims; damaged lines are dropped. Raises OSError."""
    with _files.Lock(os.path.join(home, f"{NAME}.lock")):
        after = change(read(home))._replace(is_whole=True)
        text = "".join(f"{line}\n" for line in (_HEAD, *map(_line, after.all)))
        _files.replace(os.path.join(home, NAME), text.encode(), durable=True)
        return after


def _parse_claim(line: str) -> FolderClaim | None:
    state, *fields = line.split("\t")
    if state not in {_TRUSTED, _APART} or len(fields) != 4 or not all(fields):
        return None
    tenant, project, digest, folder = fields
    return FolderClaim(tenant, project, digest, folder, state == _TRUSTED)


def _line(claim: FolderClaim) -> str:
    state = _TRUSTED if claim.is_trusted else _APART
    folder = one_line(without_secrets(claim.folder)) or "?"
    return "\t".join((state, *claim[:3], folder))


class Projects:
    """Folders that claim a project by name. The first folder of each project is trusted."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    def list(self, *, tenant: str = "default") -> Sequence[FolderClaim]:
        """Every folder that claims a project of the tenant, the trusted ones first."""
        own = [claim for claim in read(self._home).all if claim.tenant == tenant]
        return sorted(own, key=lambda claim: (not claim.is_trusted, claim.project, claim.folder))

    def trust(self, folder: str | os.PathLike[str], *, tenant: str = "default") -> FolderClaim:
        """Let a folder write into the project that it claims, and move its lessons there."""
        path = os.path.abspath(folder)
        claimed = claim_of(path)
        if claimed is None or not claimed.is_by_name:  # its own path needs no trust
            raise InvalidInput(f"{path!r} has no remote `origin`, so there is nothing to trust")
        claim = _of_tenant(claimed, tenant)._replace(is_trusted=True)
        self._change(lambda claims: claims.having(claim))
        self._gather(claim)
        return claim

    def forget(self, what: str, *, tenant: str = "default") -> Sequence[FolderClaim]:
        """Forget the claims of a folder or on a project; the next folder to claim is trusted."""
        path = os.path.abspath(what)
        claimed = claim_of(path) if os.path.isdir(path) else None  # a misspelt name is no folder
        names = {what, path, folder_digest(claimed.folder) if claimed else path}

        def leaves(claim: FolderClaim) -> bool:
            return claim.tenant == tenant and not names.isdisjoint(claim[1:4])

        forgotten = [claim for claim in read(self._home).all if leaves(claim)]
        if not forgotten:
            raise NotFound("folder or project", what)
        self._change(lambda claims: claims.without(leaves))
        return forgotten

    def _change(self, change: Callable[[Claims], Claims]) -> None:
        try:
            change_claims(self._home, change)
        except OSError as error:
            raise storage_error(error, os.path.join(self._home, NAME)) from error

    def _gather(self, claim: FolderClaim) -> None:
        """Move the folder's separate lessons into the project, all or none."""
        store = self._engine.store
        with store.together():
            for scope in store.scopes(claim.tenant, apart(claim.project, claim.digest)):
                target = scope._replace(project=claim.project)
                for lesson in store.lessons.recent(scope, status=Status.ALL, limit=1_000_000):
                    if lesson.scope == scope:
                        store.lessons.delete(scope, lesson.id)
                        self._engine.keep(lesson._replace(scope=target, id=0))
                store.move(scope, target)

    @property
    def _home(self) -> str:
        if not self._engine.on_disk:
            raise InvalidInput("folders are trusted in a home; this hardwon is in memory")
        return self._engine.settings.home
