"""The tables that are copied; both databases have them, with the same column names."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from hardwon.storage.sql.rows import COLUMNS, DELIVERY, DREAM, ENDED_RUN, REFLECTION

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Row = tuple[Any, ...]

_MASK = (1 << 64) - 1


class Table(NamedTuple):
    """One table: its columns, and the key columns that identify and order its rows."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    truths: frozenset[str] = frozenset()  # boolean columns

    def key_of(self, row: Row) -> Row:
        """The values of the key columns of a row."""
        return tuple(row[self.columns.index(name)] for name in self.key)


def _table(name: str, columns: str, key: str = "id", truths: str = "") -> Table:
    return Table(
        name, tuple(columns.split(", ")), tuple(key.split(", ")), frozenset(truths.split())
    )


# Each after the tables that it refers to. The index is not copied: the target builds its own.
TABLES = (
    _table("shelves", "id, agent_id, project"),
    _table("lessons", f"id, shelf, {COLUMNS}", truths="guard"),
    _table("lesson_vectors", "id, lesson, shelf, embedder, vector"),
    _table("lesson_history", "id, shelf, lesson, act, before, at"),
    _table("reflections", f"id, shelf, kind, {REFLECTION}"),
    _table("reflection_words", "shelf, kind, word, reflection", "shelf, kind, word, reflection"),
    _table("deliveries", DELIVERY),
    _table("ended_runs", ENDED_RUN),
    _table("past_runs", "shelf, digest, state", "shelf, digest"),
    _table(
        "failures",
        "shelf, signature, text, met_count, first_at, last_at",
        "shelf, signature",
    ),
    _table("failure_days", "shelf, day, signature, met", "shelf, day, signature"),
    _table(
        "units",
        "shelf, run, family, door, withheld, share, at, lesson, wording, position, score, outcome",
        "shelf, run, family",
        "withheld",
    ),
    _table("dream_log", f"number, {DREAM}, created_at, shelf", "number"),
    _table(
        "dream_changes",
        "number, dream, kind, lesson, project, reason, before, after, tags",
        "number",
    ),
)


class Sum(NamedTuple):
    """The number of rows, and a digest of them that does not depend on their order."""

    rows: int = 0
    digest: int = 0

    def plus(self, rows: Iterable[Row]) -> Sum:
        """The sum with more rows."""
        count, digest = self
        for row in rows:
            text = json.dumps([_plain(value) for value in row]).encode()
            raw = blake2b(text, digest_size=8).digest()
            count, digest = count + 1, (digest + int.from_bytes(raw, "big")) & _MASK
        return Sum(count, digest)


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return value.hex() if isinstance(value, bytes) else value
