"""R19: SQLite, memory and PostgreSQL give the same answers to the same random calls."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from hardwon import Lesson, Scope
from hardwon.core.values.delivery import Delivery
from hardwon.core.values.lesson import Status
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.report import Window
from hardwon.knowledge.ranking.query import query
from hardwon.storage.ports import Store
from hardwon.storage.postgres.database import Database
from hardwon.storage.sql.dialect import Statement
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import SqliteStore
from tests.postgres_server import running
from tests.samples import NOW, lesson
from tests.stores.plain import PlainStore

_CALLS = 14  # of one sequence
_WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "größe")
_STATES = (Status.PROVEN, Status.PROVEN, Status.PROVEN, Status.CANDIDATE, Status.SEEN)
_COMMON = 330  # lessons with a common word: more than a recall reads


class Told:
    """One store, and which of its lessons is which of the others'."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._numbers: dict[int, int] = {}
        self.lessons: list[Lesson] = []

    def add(self, made: Lesson) -> int:
        kept = self.store.lessons.add(made)
        if kept.id not in self._numbers:
            self._numbers[kept.id] = len(self.lessons)
            self.lessons.append(kept)
        return self._numbers[kept.id]

    def names(self, found: list[Lesson]) -> list[int]:
        return [self._numbers[one.id] for one in found]

    def name(self, number: int) -> int:
        return self._numbers.get(number, -1)


Act = Callable[[Told], Any]


def r19(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` sequences, each in a scope of its own; how many were not answered alike."""
    with running() as server:
        shared = [
            PostgresStore(server.database().url, str(folder), fresh=fresh) for fresh in (0, 4)
        ]
        for one in shared:
            one.database.ask = _shuffled(one.database, chance)  # type: ignore[method-assign]
        for name in ("now", "later"):
            (folder / name).mkdir()
        files = SqliteStore(str(folder / "now"), fresh=0), SqliteStore(str(folder / "later"))
        bad = 0
        for turn in range(n):
            told = [
                Told(PlainStore()),
                Told(files[0]),
                Told(shared[0]),
                Told(files[1]),
                Told(shared[1]),
            ]
            bad += not _alike(told, f"agent{turn}", chance, is_large=turn % 200 == 0)
        stores: list[Store] = [*shared, *files]
        bad += sum(bool(store.check()) for store in stores)
        for store in stores:
            store.close()
    return n, bad


def _shuffled(database: Database, chance: random.Random) -> Callable[..., Any]:
    """Rows in any order where a statement asks for none: no answer may depend on it."""
    ask = database.ask

    def shuffled(tenant: str, *statements: Statement) -> Any:
        found = ask(tenant, *statements)
        for statement, rows in zip(statements, found, strict=True):
            if not _is_ordered(statement.sql):
                chance.shuffle(rows)
        return found

    return shuffled


@functools.cache
def _is_ordered(sql: str) -> bool:
    """Whether the statement itself orders its rows, not only a query inside it."""
    while (outer := re.sub(r"\([^()]*\)", "", sql)) != sql:
        sql = outer
    return "ORDER BY" in sql


def _alike(told: list[Told], agent: str, chance: random.Random, *, is_large: bool) -> bool:
    scope = Scope("acme", agent, "api")
    if is_large:
        for one in told:
            with one.store.together():
                for number in range(_COMMON):
                    one.add(lesson(f"common {_WORDS[number % 7]} {number}", scope))
    for _ in range(_CALLS):
        name, act = _chosen(chance, scope, len(told[0].lessons))
        answers = [act(one) for one in told]
        if name == "match":  # counts of rarity may lag where changes wait for the index
            exact = answers[1:3] if is_large else answers[:3]  # memory reads all of a common word
            sets = [] if is_large else [sorted(one[0] for one in found) for found in answers]
            if not (_are_same(exact) and _are_same(sets)):
                return False
        elif not _are_same(answers[is_large:3] if name == "best" else answers):
            return False
    return True


def _are_same(answers: list[Any]) -> bool:
    return all(answer == answers[0] for answer in answers)


def _chosen(chance: random.Random, scope: Scope, count: int) -> tuple[str, Act]:
    """One call with all its values: the same for every store."""
    place = scope if chance.random() < 0.8 else scope.everywhere()
    kinds = [_add, _add, _add, _match, _match, _match, _read, _log]
    if count:
        kinds += [_change, _change, _drop]
    return chance.choice(kinds)(chance, place, count)


def _words(chance: random.Random, most: int = 5) -> str:
    return " ".join(chance.choice(_WORDS) for _ in range(chance.randint(1, most)))


def _add(chance: random.Random, scope: Scope, count: int) -> tuple[str, Act]:
    made = lesson(
        _words(chance),
        scope,
        status=chance.choice(_STATES),
        signatures=tuple(chance.sample("stuv", chance.randint(0, 2))),
        kinds=tuple(chance.sample("klm", chance.randint(0, 2))),
        calls=tuple(chance.choice(("go build", "go test", "make")) for _ in range(2)),
        tags=tuple(chance.sample(_WORDS, chance.randint(0, 2))),
        met=chance.randint(1, 4),
        updated_at=NOW + timedelta(minutes=chance.randint(0, 3)),
        job=chance.choice(("", "", "j1", "j2")),
    )
    return "add", lambda told: told.add(made)


def _change(chance: random.Random, scope: Scope, count: int) -> tuple[str, Act]:
    which = chance.randrange(count)
    change: dict[str, Any] = chance.choice(
        (
            {"correction": _words(chance), "situation": _words(chance)},
            {"status": chance.choice((Status.RETIRED, Status.PROVEN, Status.SEEN))},
            {"met": chance.randint(1, 9), "confidence": chance.random()},
        )
    )

    def act(told: Told) -> Any:
        told.lessons[which] = told.lessons[which]._replace(**change)
        try:
            told.store.lessons.update(told.lessons[which])
        except LookupError:
            return "gone"
        except ValueError as error:
            return type(error).__name__
        return "changed"

    return "change", act


def _drop(chance: random.Random, scope: Scope, count: int) -> tuple[str, Act]:
    which = chance.randrange(count)

    def act(told: Told) -> Any:
        gone = told.lessons[which]
        try:
            told.store.lessons.delete(gone.scope, gone.id)
        except ValueError as error:
            return type(error).__name__
        return "deleted"

    return "drop", act


def _match(chance: random.Random, scope: Scope, count: int) -> tuple[str, Act]:
    calls = (chance.choice(("go build", "make")),) if chance.random() < 0.3 else ()
    asked = query(
        "turn",
        chance.choice((_words(chance), f"common {_words(chance, 2)}")),
        signature=chance.choice(("", "s", "t")),
        kind=chance.choice(("", "k")),
        calls=calls,
    )
    limit = chance.choice((3, 50))

    def act(told: Told) -> Any:
        found = told.store.lessons.match(scope, asked, now=NOW, limit=limit)
        return [(told.name(one.lesson.id), *one[1:]) for one in found]

    return "match" if limit > 3 else "best", act


def _read(chance: random.Random, scope: Scope, count: int) -> tuple[str, Act]:
    text, status = chance.choice(_WORDS), chance.choice((Status.ACTIVE, Status.ALL, Status.SEEN))
    window = Window(scope, NOW - timedelta(days=3))
    acts: dict[str, Act] = {
        "search": lambda told: told.names(told.store.lessons.search(scope, text, limit=20)),
        "recent": lambda told: told.names(
            told.store.lessons.recent(scope, status=status, limit=20)
        ),
        "commonest": lambda told: told.store.failures.commonest(scope, limit=5),
        "states": lambda told: told.store.statistics.lessons(
            window._replace(is_whole=False), new=NOW
        ),
        "reflections": lambda told: told.store.reflections.recent(scope, now=NOW, limit=9),
        "alike": lambda told: told.store.reflections.alike(scope, [text], now=NOW, limit=9),
    }
    name = chance.choice(sorted(acts))
    return name, acts[name]


def _log(chance: random.Random, scope: Scope, count: int) -> tuple[str, Act]:
    name, text = chance.choice("abc"), _words(chance)
    shown, identity = chance.randrange(count) if count else -1, f"d{chance.random()}"

    def deliver(told: Told) -> Any:
        lessons = (told.lessons[shown].id,) if shown >= 0 else ()
        one = Delivery(identity, scope, "turn", text, lessons, (1.0,), 9, 9, NOW)
        told.store.deliveries.log(one)
        told.store.deliveries.report(scope, identity, "helped")
        return [found.outcome for found in told.store.deliveries.recent(scope, limit=3)]

    def reflect(told: Told) -> Any:
        at = NOW + timedelta(seconds=count)
        return told.store.reflections.save(Reflection(scope, name, text, at), keep=2)

    acts: dict[str, Act] = {
        "met": lambda told: told.store.failures.count(scope, name, f"text {name}", NOW),
        "deliver": deliver,
        "reflect": reflect,
    }
    return "log", acts[chance.choice(sorted(acts))]
