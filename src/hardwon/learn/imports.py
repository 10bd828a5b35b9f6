"""Import lessons from other systems and from hardwon's own packs."""

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime
from itertools import chain
from typing import Any, TypeVar
from urllib.parse import quote

from hardwon.core.errors import InvalidInput, StorageError, Unavailable
from hardwon.core.text.clean import one_line
from hardwon.core.values import time_of
from hardwon.core.values.lesson import EPOCH, Evidence, Kind, Lesson
from hardwon.core.values.lesson_formats import TITLE, claim_origin, from_lines, from_markdown
from hardwon.core.values.run import Trigger
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.redis.server import RedisClient

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
        return read_wasp(source, scope)
    path = os.path.expanduser(source)
    if os.path.isdir(path):  # everything in it that can be read: reflections, insights, packs
        names = sorted(
            os.path.join(folder, name)
            for folder, _, files in os.walk(path)
            for name in files
            if name.endswith((".json", ".jsonl", ".md")) and not name.startswith("index.")
        )
        if not names:
            raise InvalidInput(f"nothing in {path!r} can be imported")
        return chain.from_iterable(_text(name, scope) for name in names)
    if is_database(path):
        return read_arbiter(path, scope, tenant=tenant, agent=agent)
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
        return pack if is_pack else parse_insights(text, path, scope)
    if path.endswith(".json"):
        text = "".join(_lines(path))
        if '"loop_id"' in text:
            return parse_aiwg(text, path, scope)
        return parse_chatcli(text, scope)
    raise InvalidInput(f"{path!r} is neither a pack nor a store that can be imported")


def _lines(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        yield from file


log = logging.getLogger("hardwon")
_OWN_TAGS = ("reflexion", "trigger:")  # of chatcli
_PATIENCE = 10.0  # seconds; a person waits for Redis
_INDEX = "reflection:recent_goals"
EVERY_AGENT, _DEFAULT = "*", "default"
V = TypeVar("V", str, int)
_OWNERS = "SELECT DISTINCT tenant_id, agent_id FROM lessons"
_ROWS = (
    "SELECT id, agent_id, signature, lesson_text, hit_count, created_at, updated_at, last_seen_at"
    " FROM lessons WHERE tenant_id = ? AND (agent_id = ? OR ? = '*') ORDER BY id"
)


def read_arbiter(path: str, scope: Scope, *, tenant: str = "", agent: str = "") -> Iterator[Lesson]:
    """The `lessons` table of a tenant store: the rows of one tenant and one agent.

    By default of those that the scope names: lessons never cross either. `*` stands for all agents;
    then each lesson belongs to the agent that learnt it.
    """
    # Quoted: a `?` in the name would begin the options, and SQLite would open another file.
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
    try:
        owners = connection.execute(_OWNERS).fetchall()
        columns = {row[1] for row in connection.execute("PRAGMA table_info(tenants)")}
        names = dict[str, int]()
        if {"id", "name"} <= columns:  # else the store does not name its tenants
            names = dict(connection.execute("SELECT CAST(name AS TEXT), id FROM tenants"))
        numbers = {str(number): number for number, _ in owners}
        numbers |= {name: n for name, n in names.items() if n in numbers.values()}
        tenant_id = _choose(numbers, tenant, scope.tenant, "tenant")
        agents = {name: name for owner, name in owners if owner == tenant_id}
        chosen = _choose({**agents, EVERY_AGENT: EVERY_AGENT}, agent, scope.agent, "agent")
        rows = connection.execute(_ROWS, (tenant_id, chosen, chosen)).fetchall()
    except sqlite3.Error as error:
        raise InvalidInput(f"{path!r} holds no table of lessons: {error}") from error
    finally:
        connection.close()
    is_every = chosen == EVERY_AGENT
    return (
        Lesson(
            scope._replace(agent=owner) if is_every else scope,
            situation=signature,
            correction=text,
            origin=f"import:arbiter:{number}",
            evidence=(Evidence("arbiter", f"{number}"),),
            hits=hits,
            created_at=moment(created),
            updated_at=moment(updated),
            last_seen_at=moment(seen or created),
        )
        for number, owner, signature, text, hits, created, updated, seen in rows
    )


def _choose(known: dict[str, V], asked: str, own: str, what: str) -> V:
    """What is asked for by name, else what the scope names; by default the only one."""
    if (asked or own) in known:
        return known[asked or own]
    only = {value for name, value in known.items() if name != EVERY_AGENT}
    if not asked and own == _DEFAULT and len(only) == 1:
        return only.pop()
    names = ", ".join(sorted(known, key=lambda name: (name == EVERY_AGENT, name)))
    raise InvalidInput(
        f"no lessons of {what} {asked or own!r}; --from-{what} takes:"
        f" {names if only else 'none: there are no lessons'}"
    )


def parse_chatcli(text: str, scope: Scope) -> Iterator[Lesson]:
    """The facts of category `lesson` in `memory_index.json`; unreadable ones are logged."""
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"memory index is not JSON: {error}") from error
    if not isinstance(facts, list):
        raise InvalidInput("memory index is not an array of facts")
    for fact in facts:
        if isinstance(fact, dict) and fact.get("category") == "lesson":
            try:
                yield _chatcli_lesson(fact, scope)
            except InvalidInput as error:
                log.warning("%s; this lesson is left out", error)


def _chatcli_lesson(fact: dict[str, Any], scope: Scope) -> Lesson:
    name = f"fact {fact.get('id', '')!r}"
    content = fact.get("content")
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput(f"content of {name} is {content!r}, not a text")
    lines = dict(re.findall(r"^(?:- )?([A-Z]+): (.*)$", content, re.MULTILINE))
    created, accessed = moment(fact.get("created_at")), moment(fact.get("last_accessed"))
    tags = words(fact.get("tags"), f"tags of {name}")
    evidence: tuple[Evidence, ...] = (Evidence("fact", f"{fact.get('id', '')}"),)
    if source := fact.get("source_project"):  # it does not limit the lesson to that project
        evidence += (Evidence("project", str(source)),)
    return Lesson(
        scope,
        situation=lines.get("LESSON", content),
        mistake=lines.get("MISTAKE", "").replace("(unknown)", ""),
        correction=lines.get("CORRECTION", content),
        trigger=lines.get("TRIGGER", "manual"),
        tags=tuple(tag for tag in tags if not tag.startswith(_OWN_TAGS)),
        origin=f"import:chatcli:{fact.get('id', '')}",
        evidence=evidence,
        confidence=share(fact.get("confidence"), f"confidence of {name}", default=0.6),
        created_at=created,
        updated_at=created,
        last_seen_at=max(created, accessed),
    )


def parse_aiwg(text: str, path: str, scope: Scope) -> Iterator[Lesson]:
    """A reflection in the published schema: its lessons, else its insights, else its text."""
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{path!r} is not JSON: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("self_reflection"), dict):
        return
    reflection = record["self_reflection"]
    corrections = reflection.get("lessons_learned") or reflection.get("actionable_insights")
    blame, loop = reflection.get("credit_assignment") or {}, record.get("loop_id", "")
    task = record.get("task_description") or f"loop {loop}"
    for correction in corrections or [reflection.get("reflection_text", "")]:
        if str(correction).strip():
            cause = str(blame.get("root_cause") or reflection.get("reflection_text", ""))
            yield Lesson(
                scope,
                situation=one_line(f"When the task is like “{task}”"),
                mistake=one_line(cause),
                correction=str(correction),
                tags=tuple(tag for tag in (blame.get("failure_category"),) if tag),
                trigger=Trigger.VERIFICATION,
                origin=f"import:aiwg:{loop}",
                evidence=(Evidence("reflection", f"{loop}/{record.get('iteration', '')}"),),
                confidence=float(reflection.get("confidence") or 0.6),
            )


def parse_insights(text: str, path: str, scope: Scope) -> Iterator[Lesson]:
    """One lesson for each section of `.insights/*.md`; without sections, one for each paragraph."""
    match = re.match(r"---\n(.*?)\n---\n(.*)", text.lstrip("\ufeff"), re.DOTALL)
    front, body = (match[1], match[2]) if match else ("", text)
    tags = tuple(_items(front, "tags") + _items(front, "keywords"))
    name = os.path.splitext(os.path.basename(path))[0]
    parts = re.split(r"^#{1,4} (.+)$", body, flags=re.MULTILINE)
    sections = [*zip(map(one_line, parts[1::2]), parts[2::2], strict=True)]
    for heading, section in sections or [(name, part) for part in re.split(r"\n\s*\n", body)]:
        if words := one_line(section):
            yield Lesson(
                scope,
                situation=heading,
                correction=words,
                tags=tags,
                trigger=Trigger.SESSION,
                origin=f"import:insights:{name}",
                created_at=moment(next(iter(_items(front, "date")), "")),
                evidence=tuple(Evidence(Kind.SESSION, item) for item in _items(front, "session")),
            )


def _items(front: str, key: str) -> list[str]:
    """The values of a list in front matter, written on one line or as dashes."""
    match = re.search(rf"^{key}:[ \t]*(.*(?:\n[ \t]*- .*)*)", front, re.MULTILINE)
    return [item.strip(" \"'") for item in re.split(r"[\[\],\n]|^- ", match[1])] if match else []


def read_wasp(url: str, scope: Scope) -> Iterator[Lesson]:
    """The reflections under `reflection:{goal_id}` in Redis, as lessons."""
    try:
        # Lists and sets beside the reflections are indexes, so only texts are read.
        with closing(RedisClient(url, timeout=_PATIENCE)) as server:
            values = server.texts("reflection:*")
    except (Unavailable, ValueError) as error:
        raise StorageError(url.split("@")[-1], str(error), "check that Redis answers") from error
    for key, value in sorted(values.items()):
        if key != _INDEX:
            yield from parse_wasp(value, key.removeprefix("reflection:"), scope)


def parse_wasp(text: str, goal: str, scope: Scope) -> Iterator[Lesson]:
    """The reflections of one key, in both published sets of fields; anything else is skipped."""
    try:
        entries = json.loads(text)
    except ValueError:
        return
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict) and (insight := _first(entry, "insight", "reflection")):
            state = _first(entry, "goal_state", "outcome")
            title = _first(entry, "goal_title", "objective") or f"goal {goal}"
            yield Lesson(
                scope,
                situation=f"When the goal is like “{title}”",
                correction=str(insight),
                mistake=f"the goal ended as {state}" if state else "",
                trigger=Trigger.GOAL,
                origin=f"import:wasp:{goal}",
                evidence=(Evidence("goal", f"{goal}"),),
                importance=share(
                    entry.get("importance"), f"importance of goal {goal!r}", default=0.5
                ),
                created_at=moment(_first(entry, "created_at", "timestamp")),
            )


def _first(entry: dict[str, Any], *names: str) -> Any:
    """The first of these fields that holds something."""
    return next(filter(None, map(entry.get, names)), None)


def share(value: Any, field: str, *, default: float) -> float:
    """A number in 0 … 1; the default if it is missing or 0, else InvalidInput."""
    if value is None or value == 0:
        return default
    try:
        return min(1.0, max(0.0, float(value)))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{field} is {value!r}, not a number") from error


def words(value: Any, field: str) -> tuple[str, ...]:
    """A list of words; a single text counts as a list of one."""
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str | int) for item in items):
        raise InvalidInput(f"{field} is {value!r}, not a list of words")
    return tuple(str(item) for item in items)


def moment(value: object) -> datetime:
    """A time in RFC 3339 or seconds since 1970; the epoch if it cannot be read."""
    return time_of(value) or EPOCH
