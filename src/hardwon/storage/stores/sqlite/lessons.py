"""Lessons in SQLite: the file of guards beside them, copies of a server's lessons, lists."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.core.values.lesson import SHELVED, statuses
from hardwon.knowledge.ranking.query import index
from hardwon.storage.sql import scopes
from hardwon.storage.sql.lessons import SqlLessons
from hardwon.storage.sql.reports import ORDERS, SqlListing, quoted_tag
from hardwon.storage.sql.rows import ALL_TEXT, COLUMNS, damage, lesson_of, values_of
from hardwon.storage.stores import guard_file
from hardwon.storage.stores.sqlite.database import marks
from hardwon.storage.stores.sqlite.inverted.search import FRESH, Index

if TYPE_CHECKING:
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.report import ListQuery
    from hardwon.core.values.scope import Scope
    from hardwon.storage.sql.dialect import Row, Statement
    from hardwon.storage.stores.sqlite.database import Database

_FEW = 2_000  # candidates for a text: up to this many are sorted, more are read in order
_SELECT = f"SELECT id, shelf, {COLUMNS} FROM lessons"
_GUARDS = f"{_SELECT} WHERE guard = 1 AND status NOT IN ({marks(SHELVED)}) ORDER BY id"
_INSERT = f"INSERT INTO lessons (id, shelf, {COLUMNS}) VALUES (?, ?{', ?' * 23})"
_CANDIDATES = """
SELECT {1}, id FROM hardwon.lessons
WHERE {0} AND /*+*/shelf IN (:shelves) AND /*+*/status IN (:statuses)
AND {1} <= :at AND ({1} < :at OR id > :id) AND (:tag = '' OR strpos(tags, :tag) > 0)
ORDER BY {1} DESC, id LIMIT :limit
"""


class SqliteLessons(SqlLessons):
    """The lesson store of the embedded default."""

    def __init__(self, database: Database, fresh: int = FRESH) -> None:
        self._file = database
        self._inverted = Index(database, fresh)
        super().__init__(database, self._inverted)
        self._illegible: set[int] = set()

    def place(self, lesson: Lesson) -> None:
        """Store a lesson under the number that another store gave it; `settle` must follow.

        A lesson of the same job under another number is replaced.
        """
        db, shelf = self._file, scopes.ensure(self._file, lesson.scope)
        rows = db.rows(f"{_SELECT} WHERE id = ?", (lesson.id,))
        if lesson.job:
            of_job = f"{_SELECT} WHERE shelf = ? AND job = ? AND job <> ''"
            rows += db.rows(of_job, (shelf, lesson.job))
        replaced = {row[:2] for row in rows} - {(lesson.id, shelf)}
        for number, old_shelf in replaced:
            self.delete(scopes.every(db)[old_shelf], number)
        if len(rows) > len(replaced):
            self.update(lesson)
            return
        highest = db.rows("SELECT coalesce(max(id), 0) FROM lessons")[0][0]
        db.run(_INSERT, (lesson.id, shelf, *values_of(lesson)))
        self._inverted.place(shelf, lesson.id, index(lesson), is_highest=lesson.id > highest)
        self._publish(lesson)

    def tend(self) -> None:
        """Merge waiting entries of the index, if they are many."""
        self._inverted.tend()

    def settle(self) -> None:
        """Merge everything into the dictionary. Call inside `with database:`, like `place`."""
        self._inverted.settle_all()

    def publish_guards(self) -> None:
        """Rewrite the file of forbidden calls. Call inside `with database:`."""
        if not self._file.is_file:
            return
        owners, rows = scopes.every(self._file), self._file.rows(_GUARDS, SHELVED)
        home = os.path.dirname(self._file.path)
        guard_file.write(home, [lesson_of(row, owners) for row in rows])

    def _publish(self, *changed: Lesson) -> None:
        if any(lesson.guard for lesson in changed):
            self.publish_guards()

    def quarantine_damaged(self, tenant: str) -> list[str]:
        rows = self._file.rows(f"SELECT id, CAST({ALL_TEXT} AS BLOB) FROM lessons")
        self._illegible = {number for number, raw in rows if not _is_utf8(raw)}
        return super().quarantine_damaged(tenant)

    def _damage(self, row: Row, owners: dict[int, Scope]) -> str:
        return "not UTF-8" if row[0] in self._illegible else damage(row, owners)


class SqliteListing(SqlListing):
    """Lists that use the index of trigrams while it names few lessons."""

    def _first_ids(self, query: ListQuery, shelves: list[int], condition: Statement) -> list[Row]:
        tenancy, (where, values) = self._db.of(query.place.tenant), condition
        few = f"SELECT count(*) FROM (SELECT 1 FROM lessons WHERE {where} LIMIT {_FEW + 1})"
        if not (query.text or query.tag) or tenancy.rows(few, **values)[0][0] > _FEW:
            return super()._first_ids(query, shelves, condition._replace(sql="TRUE"))
        place, number = query.after or (float("inf"), "0")
        places = {"shelves": shelves, "statuses": statuses(query.status), "limit": query.limit}
        sql = _CANDIDATES.format(where, ORDERS[query.order])
        wanted = {"at": place, "id": int(number), "tag": quoted_tag(query)}
        return tenancy.rows(sql, **wanted, **places, **values)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
