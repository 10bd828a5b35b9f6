"""Import lessons from other systems and from hardwon's own packs."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from urllib.parse import quote

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.lesson_formats import TITLE, claim_origin, from_lines, from_markdown
from hardwon.core.values.scope import Scope
from hardwon.learn.imports import formats

# Errors that readers raise on data of the wrong shape.
_WRONG_SHAPE = (TypeError, ValueError, OverflowError, AttributeError, LookupError, RecursionError)
_LINES = (".jsonl", ".ndjson")


def read(source: str, scope: Scope, *, tenant: str = "", agent: str = "") -> Iterator[Lesson]:
    """The lessons at a path or URL; InvalidInput or StorageError if it holds none.

    `tenant` and `agent` name whose rows of a tenant store are read, if not those of the scope.
    """
    try:
        yield from _read(source, scope, tenant=tenant, agent=agent)
    except InvalidInput:
        raise
    except OSError as error:
        raise StorageError(source, error.strerror or str(error), "name a file or folder") from error
    except _WRONG_SHAPE as error:
        raise InvalidInput(f"{source!r} cannot be imported: {error}") from error


def lines_in(source: str) -> int:
    """The number of lines of a pack of JSON lines, which is read line by line; else 0."""
    path = os.path.expanduser(source)
    if not path.endswith(_LINES) or not os.path.isfile(path):
        return 0
    try:
        with open(path, "rb") as file:
            return sum(not line.isspace() for line in file)
    except OSError:  # `read` will say so
        return 0


def _read(source: str, scope: Scope, *, tenant: str, agent: str) -> Iterable[Lesson]:
    """The lessons of a file; its content shows which system wrote it."""
    if source.startswith(("redis://", "rediss://", "unix://")):
        return formats.read_wasp(source, scope)
    path = os.path.expanduser(source)
    if os.path.isdir(path):
        return _folder(path, scope)
    if is_database(path):
        return formats.read_arbiter(path, scope, tenant=tenant, agent=agent)
    if tenant or agent:
        raise InvalidInput(
            f"{path!r} does not hold several tenants and agents; leave out tenant and agent"
        )
    return _text(path, scope)


def is_database(path: str) -> bool:
    """Whether a file is one of SQLite; OSError if there is none.

    Only SQLite looks: the file may be our own, and closing another descriptor of it would drop the
    locks that this process holds there.
    """
    os.stat(path)
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as database:
            return bool(database.execute("PRAGMA schema_version").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode != sqlite3.SQLITE_NOTADB


def _text(path: str, scope: Scope) -> Iterable[Lesson]:
    if path.endswith(_LINES):
        return map(claim_origin, from_lines(_lines(path), scope))
    if path.endswith(".md"):
        text = "".join(_lines(path))
        is_pack = text.lstrip("\ufeff \n").startswith(TITLE)
        pack = map(claim_origin, from_markdown(text, scope))
        return pack if is_pack else formats.parse_insights(text, path, scope)
    if path.endswith(".json"):
        text = "".join(_lines(path))
        if '"loop_id"' in text:
            return formats.parse_aiwg(text, path, scope)
        return formats.parse_chatcli(text, scope)
    raise InvalidInput(f"{path!r} is neither a pack nor a store that can be imported")


def _lines(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        yield from file


def _folder(path: str, scope: Scope) -> Iterable[Lesson]:
    """Everything in a folder that can be read: reflections, insights, packs."""
    names = sorted(
        os.path.join(folder, name)
        for folder, _, files in os.walk(path)
        for name in files
        if name.endswith((".json", ".jsonl", ".md")) and not name.startswith("index.")
    )
    if not names:
        raise InvalidInput(f"nothing in {path!r} can be imported")
    for name in names:
        yield from _text(name, scope)
