"""The folders that may write into a project, and how a person trusts or forgets them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hardwon.core.errors import InvalidInput, NotFound, storage_error
from hardwon.core.project import claim_of
from hardwon.core.values.lesson import Status
from hardwon.core.values.scope import Scope, apart, folder_digest
from hardwon.engine import trust

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime
    from hardwon.engine.trust import Claims, FolderClaim

_ALL = 1_000_000  # lessons


class Projects:
    """Folders that claim a project by name. The first folder of each project is trusted."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    def list(self, *, tenant: str = "default") -> Sequence[FolderClaim]:
        """Every folder that claims a project of the tenant, the trusted ones first."""
        own = [claim for claim in trust.read(self._home).all if claim.tenant == tenant]
        return sorted(own, key=lambda claim: (not claim.is_trusted, claim.project, claim.folder))

    def trust(self, folder: str | os.PathLike[str], *, tenant: str = "default") -> FolderClaim:
        """Let a folder write into the project that it claims, and move its lessons there."""
        path = os.path.abspath(folder)
        claim = trust.claim_by_name(path, tenant=tenant)
        if claim is None:
            raise InvalidInput(f"{path!r} has no remote `origin`, so there is nothing to trust")
        claim = claim._replace(is_trusted=True)
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

        forgotten = [claim for claim in trust.read(self._home).all if leaves(claim)]
        if not forgotten:
            raise NotFound("folder or project", what)
        self._change(lambda claims: claims.without(leaves))
        return forgotten

    def _change(self, change: Callable[[Claims], Claims]) -> None:
        try:
            trust.change_claims(self._home, change)
        except OSError as error:
            raise storage_error(error, os.path.join(self._home, trust.NAME)) from error

    def _gather(self, claim: FolderClaim) -> None:
        """Move the folder's separate lessons into the project, all or none."""
        store = self._engine.store
        with store.together():
            for scope in store.scopes(claim.tenant, apart(claim.project, claim.digest)):
                target = scope._replace(project=claim.project)
                self._move_lessons(scope, target)
                store.move(scope, target)

    def _move_lessons(self, scope: Scope, target: Scope) -> None:
        lessons = self._engine.store.lessons
        for lesson in lessons.recent(scope, status=Status.ALL, limit=_ALL):
            if lesson.scope == scope:
                lessons.delete(scope, lesson.id)
                self._engine.keep(lesson._replace(scope=target, id=0))

    @property
    def _home(self) -> str:
        if not self._engine.on_disk:
            raise InvalidInput("folders are trusted in a home; this hardwon is in memory")
        return self._engine.settings.home
