"""A local copy of a server's shelves for hooks, which read only SQLite.

Lessons learnt here have high numbers until the server has them too and the copy is updated. Lessons
changed here are read again then. Those of the repository's own files are never sent.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from hardwon.core import _files
from hardwon.core.values.lesson import FILE_TAG, PROVISIONAL, Lesson
from hardwon.core.values.scope import Scope
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import read_queries
from hardwon.storage.sql.journal import Journal, Spool, server_spool
from hardwon.storage.stores.sqlite import SqliteLessons
from hardwon.storage.stores.sqlite.database import Database, marks

Vector = tuple[int, int, str, bytes]  # its number, lesson, embedder, bytes

_SQL = read_queries(__file__, PROVISIONAL=PROVISIONAL)
_SCHEMA = [sql for name, sql in _SQL.items() if name.startswith("create_")]


def path(home: str, url: str) -> str:
    """The path of a server's copy."""
    return os.path.join(home, f"mirror-{_files.database_digest(url)}.db")


def open_copy(home: str, url: str) -> tuple[Database, Journal]:
    """The database of a copy, for reading; notes also go to the server."""
    place = path(home, url)
    database = Database(place)
    prepare(database)
    spool = Spool(f"{place}.spool")
    return database, Journal(database, spool, copy=server_spool(home, url))


def prepare(database: Database) -> None:
    """Add the tables for copies to a new database."""
    if database.row(_SQL["is_ready"]):
        return
    with database as db:
        if not db.row(_SQL["is_ready"]):  # another process may have done it
            for statement in _SCHEMA:
                db.run(statement)


class Mirror:
    """The writing side of a copy, used when the server was read."""

    def __init__(self, home: str, url: str) -> None:
        self._db = Database(path(home, url))
        prepare(self._db)
        with self._db as db:
            db.run(_SQL["vectors"])
        self._lessons = SqliteLessons(self._db)

    def scopes(self) -> list[Scope]:
        """The scopes that were used on this machine, and those visible from them."""
        used = scopes.every(self._db).values()
        return sorted({visible for scope in used for visible in scope.visible()}, key=str)

    def want(self, scope: Scope) -> None:
        """Copy this scope from now on."""
        if scopes.own(self._db, scope) is None:
            with self._db as db:
                scopes.ensure(db, scope)

    def state(self, scope: Scope) -> tuple[int, dict[int, int]]:
        """The version of the copied shelf, and the mark of each unchanged lesson."""
        shelf = scopes.own(self._db, scope)
        row = self._db.row(_SQL["version"], (shelf,))
        rows = self._db.rows(_SQL["marks"], (shelf,))
        return row[0] if row else -1, dict(rows)

    def numbers(self, scope: Scope) -> set[int]:
        """The lessons of exactly this scope that came from the server."""
        rows = self._db.rows(_SQL["numbers"], (scopes.own(self._db, scope), PROVISIONAL))
        return {number for (number,) in rows}

    def provisional(self) -> list[tuple[int, Scope]]:
        """The lessons that the server does not have yet; those of the repository stay here."""
        shelves = scopes.every(self._db)
        rows = self._db.rows(_SQL["provisional"], (PROVISIONAL, f'%"{FILE_TAG}%'))
        return [(number, shelves[shelf]) for number, shelf in rows]

    def keep(
        self, scope: Scope, lessons: Iterable[tuple[Lesson, int]], gone: Sequence[int]
    ) -> None:
        """Update lessons of a scope, each with its mark, and delete others."""
        with self._db as db:
            shelf = scopes.ensure(db, scope)
            for number in gone:
                self._lessons.delete(scope, number)
            db.run(_SQL["forget_lessons"].format(marks(gone)), gone)
            for lesson, mark in lessons:
                self._lessons.place(lesson)
                db.run(_SQL["note_lesson"], (lesson.id, shelf, mark))
            self._lessons.index.settle_all()

    def note(self, scope: Scope, version: int) -> None:
        """Store how far a shelf was copied."""
        with self._db as db:
            row = (scopes.ensure(db, scope), version, 0)
            db.run(_SQL["note_shelf"], row)

    def last_vector(self, scope: Scope) -> int:
        """The number up to which vectors of this scope were copied."""
        shelf = scopes.own(self._db, scope)
        row = self._db.row(_SQL["last_vector"], (shelf,))
        return row[0] if row else 0

    def keep_vectors(self, scope: Scope, vectors: Iterable[Vector]) -> None:
        """Store vectors by number, up to the first whose lesson is not here yet."""
        lessons = self.numbers(scope)
        with self._db as db:
            shelf, last = scopes.ensure(db, scope), self.last_vector(scope)
            for number, lesson, embedder, vector in vectors:
                if lesson not in lessons:
                    break
                db.run(_SQL["keep_vector"], (lesson, shelf, embedder, vector))
                last = max(last, number)
            db.run(_SQL["note_vector"], (shelf, last))

    def set_share(self, tenant: str, share: float) -> None:
        """Withhold lessons as often as every other client of the server."""
        with self._db as db:
            db.run(_SQL["set_share"], (share, tenant))

    def share_salt(self, salt: str) -> None:
        """Use the same salt as all clients of the server."""
        if self._db.row(_SQL["salt"]) != (salt,):
            with self._db as db:
                db.run(_SQL["set_salt"], (salt,))

    def drop(self, provisional: Iterable[tuple[int, Scope]]) -> None:
        """Delete local lessons that the server has by now."""
        remaining = dict(self.provisional())
        with self._db:
            for number, scope in provisional:
                if number in remaining:
                    self._lessons.delete(scope, number)

    def close(self) -> None:
        """Release the file."""
        self._db.close()
