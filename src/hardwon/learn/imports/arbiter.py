"""The `lessons` table of a tenant store: one signature and one text a row."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hardwon.errors import InvalidInput
from hardwon.values.evidence import Evidence
from hardwon.values.lesson import Lesson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon.values.scope import Scope

_ROWS = (
    "SELECT id, signature, lesson_text, hit_count, created_at, updated_at, last_seen_at"
    " FROM lessons WHERE agent_id = ? OR ? = 'default' ORDER BY id"
)


def read(path: str, scope: Scope) -> Iterator[Lesson]:
    """The agent's own rows; as agent `default`, the rows of all agents."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        rows = connection.execute(_ROWS, (scope.agent, scope.agent)).fetchall()
    except sqlite3.Error as error:
        raise InvalidInput(f"{path!r} holds no table of lessons: {error}") from error
    finally:
        connection.close()
    for number, signature, text, hits, created, updated, seen in rows:
        yield Lesson(
            scope,
            situation=signature,
            correction=text,
            origin=f"import:arbiter:{number}",
            evidence=(Evidence("arbiter", f"{number}"),),
            hits=hits,
            created_at=datetime.fromtimestamp(created, UTC),
            updated_at=datetime.fromtimestamp(updated, UTC),
            last_seen_at=datetime.fromtimestamp(seen, UTC),
        )
