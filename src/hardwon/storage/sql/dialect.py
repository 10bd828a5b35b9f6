"""The SQL that both databases are asked in, and the port through which they are asked.

A statement stands under its name in the `.sql` file beside the module that runs it. It is
written once, for PostgreSQL: its tables are in the schema `hardwon` and begin with
the column `tenant`. Values are written `:name`, and a list stands in `IN (:names)`. SQLite's tables
have no such column, as a shelf belongs to one tenant; `in_sqlite` leaves it out. So a statement
must name shelves, or ids that were read from shelves: the tenant alone is not enough.

`DAY_OF(time)` is the number of a day, `LIST_HAS(column, :value)` looks into a JSON list. Two marks
are for the planners. `IN (EACH :ids::bigint[])` hides the length of the list from PostgreSQL, so
that it plans only once. `/*+*/` before a column hides the column's indexes from SQLite.

PostgreSQL keeps a plan. One that was made while a table was empty, or had no statistics yet, may
filter all rows of a tenant by a long list; `Tenancy.of_each` looks each value up instead.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from hardwon.core.values.scope import Scope

Choices = Mapping[str, Sequence[int] | Sequence[str]]  # the values that a name may have

Row = tuple[Any, ...]

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *--.*\n", re.MULTILINE)
_PART = re.compile(r"\{([A-Za-z_]\w*)\}")
_VALUE = re.compile(r"(?<![:\w]):([a-z]\w*)")
_TYPED = re.compile(r"(?<![:\w]):([a-z]\w*)::(\w+)")
_VALUES = re.compile(r"VALUES \(([^()]*)\)")
_POSTGRES = (
    (re.compile(r"\bDAY_OF\((\w+)\) >= (:\w+)"), r"\1 >= (\2 * 86400)::float8"),
    (re.compile(r"\bDAY_OF\((\w+)\)"), r"floor(\1 / 86400)::int"),
    (re.compile(r"\bLIST_HAS\((\w+), (:\w+)\)"), r"\1::jsonb @> to_jsonb(\2::bigint)"),
    (re.compile(r"\bIN \(EACH (:\w+::\w+\[\])\)"), r"= ANY(ARRAY(SELECT unnest(\1)))"),
    (re.compile(r"\btenants\.key\b"), "tenants.name"),
    (re.compile(r"\bNOT IN \((:\w+)\)"), r"<> ALL(\1)"),
    (re.compile(r"\bIN \((:\w+)\)"), r"= ANY(\1)"),
)
_SQLITE = (
    (re.compile(r"\bDAY_OF\((\w+)\)"), r"CAST(\1 / 86400 AS INTEGER)"),
    (
        re.compile(r"\bLIST_HAS\((\w+), (:\w+)\)"),
        r"EXISTS (SELECT 1 FROM json_each(\1) WHERE value = \2)",
    ),
    (re.compile(r"\bhardwon\.(?=\w)"), ""),
    # These two have the number of the tenant, the others nothing.
    (
        re.compile(r"\b(shelves|proof_shares)\.tenant = :tenant"),
        r"\1.tenant = (SELECT tenants.key FROM tenants WHERE name = :owner)",
    ),
    (re.compile(r"\b(?:\w+\.)?tenant = (?::|\w+\.)tenant AND "), ""),
    (re.compile(r"\bAND guard AND\b"), "AND guard = 1 AND"),  # as its index says, to be used
    (re.compile(r":owner\b"), ":tenant"),
    (re.compile(r"\btenants\.key\b"), "tenants.id"),
    (re.compile(r"(\(|SELECT ):?tenant, "), r"\1"),
    (re.compile(r"::[a-z]\w*(\[\])?"), ""),
    (re.compile(r"\bIN \(EACH "), "IN ("),
    (re.compile(r"\b(dream_\w+)\.number\b"), r"\1.rowid"),
    (re.compile(r"\(number, "), "(rowid, "),
    (re.compile(r" OVERRIDING SYSTEM VALUE\b"), ""),
    (re.compile(r"/\*\+\*/"), "+"),
    (re.compile(r"\bgreatest\("), "max("),
    (re.compile(r"\bleast\("), "min("),
    (re.compile(r"\bstrpos\("), "instr("),
    (re.compile(r" FOR UPDATE\b"), ""),
)


class NotKept(Exception):
    """What a context that a transaction holds is left with if the transaction was rolled back."""


class Statement(NamedTuple):
    """A statement with its values; `:tenant` is set by the caller's tenant."""

    sql: str
    values: Mapping[str, object]


def bind(sql: str, **values: object) -> Statement:
    """A statement with its values."""
    return Statement(sql, values)


class Tenancy:
    """A database as one tenant sees it."""

    def __init__(self, database: SqlDatabase, tenant: str) -> None:
        self.database = database
        self.tenant = tenant

    def ask(self, *statements: Statement) -> list[list[Row]]:
        """The rows of each statement, in one round trip."""
        raise NotImplementedError

    def rows(self, sql: str, **values: object) -> list[Row]:
        """All rows of a statement."""
        return self.ask(Statement(sql, values))[0]

    def row(self, sql: str, **values: object) -> Row | None:
        """The first row, if there is one."""
        rows = self.rows(sql, **values)
        return rows[0] if rows else None

    def run(self, sql: str, **values: object) -> None:
        """Run a statement that changes something."""
        self.rows(sql, **values)

    def run_many(self, sql: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Run a change once for each row of values; no other value but the tenant is set.

        A server makes one statement of all, if each value has its type: `:name::type`.
        """
        raise NotImplementedError

    def new_numbers(self, table: str, count: int) -> Sequence[int]:
        """Numbers that no row of the table has or had, in ascending order."""
        raise NotImplementedError

    def reserve_lesson(self) -> int | None:
        """A number for a new lesson; None where inserting one without a number takes no longer."""
        return None

    def of_each(self, query: Statement, **each: Sequence[int] | Sequence[str]) -> Statement:
        """The query for any of several values of a name, which it compares with `= :name`.

        Rows are found by an index whatever a planner believes about the size of the table.
        """
        raise NotImplementedError

    def first_of_each(
        self, query: Statement, order: str, *, each: Choices, limit: int, is_cut: bool = True
    ) -> list[Row]:
        """The first rows of a query for each combination of the values in `each`.

        Over several shelves at once a database would sort all rows instead of using an index. With
        `is_cut` rows beyond the first `limit` of all may be missing; the caller puts them in order.
        """
        raise NotImplementedError


class SqlDatabase(Protocol):
    """`with database:` commits everything this thread writes, or nothing."""

    shelf_state: str  # columns: a shelf's version, its lessons not counted in the dictionary

    def of(self, tenant: str) -> Tenancy:
        """The database as one tenant sees it."""

    def tenants(self) -> list[str]:
        """The names of all tenants."""

    def close(self) -> None:
        """Release files and connections; the next use opens others."""

    def __enter__(self) -> Any: ...

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None: ...

    def snapshot(self) -> AbstractContextManager[None]:
        """All reads in the `with` block see the same state; others may go on writing."""

    def together(self) -> AbstractContextManager[object]:
        """A transaction in which no count of a scope that it uses changes."""

    def text_filter(self, text: str) -> Statement:
        """A condition that holds for all lessons that contain the text, and for some others."""

    def state(self) -> object:
        """A value that differs after every change by any process; None if that is not known."""

    def last_state(self, scope: Scope) -> object:
        """The same for what is seen from a scope, as it was when it was last searched there."""

    def is_current(self, scope: Scope, state: object) -> bool:
        """Whether that is still the state, in the open transaction of `together`."""

    @property
    def is_open(self) -> bool:
        """Whether this thread has a transaction or a snapshot open."""

    @property
    def is_writing(self) -> bool:
        """Whether this thread has a transaction open that may write."""

    @property
    def lesson_notes(self) -> dict[object, Any]:
        """What the open writing transaction knows of lessons; outside of one nothing is kept."""

    @property
    def shelf_notes(self) -> dict[object, Any]:
        """What is known of shelves until somebody changes one; where nobody tells, nothing."""

    @property
    def is_alone(self) -> bool:
        """Whether nobody else can change what the open transaction reads of a scope."""

    def touch(self, scope: Scope) -> None:
        """Lock a scope that is about to be read, if the transaction was begun by `together`."""

    def lock(self, scope: Scope) -> None:
        """Lock a scope until the transaction ends."""


def read_queries(module: str, **parts: object) -> dict[str, str]:
    """The statements of the file beside a module (`queries.sql` of a package), by name.

    A line `-- name: …` begins each. `{part}` stands for an earlier statement of the file, or for
    one of `parts`, which are constants of hardwon: no value from outside is ever a part of a
    statement. `{0}` is left to `str.format`, for the few parts that differ from call to call.
    """
    place, file_name = os.path.split(os.path.splitext(module)[0])
    path = os.path.join(place, f"{file_name.replace('__init__', 'queries')}.sql")
    with open(path, encoding="utf-8") as file:
        _, *pieces = _NAME.split(file.read())
    known = {part: str(value) for part, value in parts.items()}
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        statement = _COMMENT.sub("", text).strip()
        known[name] = _PART.sub(lambda part: known[part[1]], statement)
    return {name: known[name] for name in pieces[::2]}


def set_columns(names: Sequence[str]) -> str:
    """The assignments of an upsert: the new value of each column."""
    return ", ".join(f"{name} = excluded.{name}" for name in names)


def values_clause(names: Sequence[str]) -> str:
    """The values of these columns, each by its own name."""
    return ", ".join(f":{name}" for name in names)


@lru_cache(maxsize=512)
def in_postgres(sql: str) -> tuple[bytes, list[str]]:
    """The statement with numbered parameters, and the name of each."""
    for pattern, meaning in _POSTGRES:
        sql = pattern.sub(meaning, sql)
    places: dict[str, int] = {}

    def number(place: re.Match[str]) -> str:
        return f"${places.setdefault(place[1], len(places) + 1)}"

    return _VALUE.sub(number, sql).encode(), list(places)


@lru_cache(maxsize=64)
def for_rows(sql: str) -> str | None:
    """The change for many rows in PostgreSQL, each value a list; None if one has no type."""
    types = dict(_TYPED.findall(sql))
    if not types or {*_VALUE.findall(sql)} - {*types, "tenant"}:
        return None
    lists = ", ".join(f":{name}::{kind}[]" for name, kind in types.items())
    names = ", ".join(f"{name}_" for name in types)
    source = f"unnest({lists}) AS each ({names})"
    changed = _TYPED.sub(r"each.\1_", sql)
    if changed.startswith("INSERT"):
        return _VALUES.sub(lambda values: f"SELECT {values[1]} FROM {source}", changed)
    word = "USING" if changed.startswith("DELETE") else "FROM"
    return changed.replace(" WHERE ", f" {word} {source} WHERE ", 1)


def in_sqlite(sql: str, values: Mapping[str, object]) -> tuple[str, list[object]]:
    """The statement with one question mark for each value, and the values in that order."""
    first, *pieces = _sqlite_pieces(sql)
    text, arguments = [first], list[object]()
    for name, piece in zip(pieces[::2], pieces[1::2], strict=True):
        value = values[name]
        if isinstance(value, list | tuple):
            arguments += value
            text += (",".join("?" * len(value)), piece)
        else:
            arguments.append(value)
            text += ("?", piece)
    return "".join(text), arguments


def with_places(sql: str, columns: Sequence[str]) -> str:
    """The statement for SQLite with the number of a column for each value."""
    first, *pieces = _sqlite_pieces(sql)
    places = zip(pieces[::2], pieces[1::2], strict=True)
    return first + "".join(f"?{columns.index(name) + 1}{piece}" for name, piece in places)


@lru_cache(maxsize=512)
def _sqlite_pieces(sql: str) -> list[str]:
    """The statement for SQLite, cut at its values: text, name, text, name, …, text."""
    for pattern, meaning in _SQLITE:
        sql = pattern.sub(meaning, sql)
    return _VALUE.split(sql)
