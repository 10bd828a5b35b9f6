"""Lessons in PostgreSQL: guards are cached while the versions of their shelves do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.storage.sql import scopes
from hardwon.storage.sql.lessons import SqlLessons
from hardwon.storage.stores.postgres.index import FRESH, Index

if TYPE_CHECKING:
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope
    from hardwon.storage.postgres.database import Database

    Versions = tuple[tuple[int, int], ...]  # of shelves, each by its number

_MOST = 512  # cached answers; the oldest are dropped first


class PostgresLessons(SqlLessons):
    """The lesson store of many machines."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self.index = Index(database, fresh)
        super().__init__(database, self.index)
        self._guards: dict[Scope, tuple[Versions, list[Lesson]]] = {}

    def guards(self, scope: Scope) -> list[Lesson]:
        shelves = scopes.visible_in_turn(self._db, scope)
        if shelves is not None and scope in self._guards:
            versions, guards = self._guards[scope]
            if versions == shelves.versions:
                return guards
        visible, guards = self._read_guards(scope)
        if not self._db.is_open:
            self._guards[scope] = visible.versions, guards
            while len(self._guards) > _MOST:
                self._guards.pop(next(iter(self._guards)), None)
        return guards
