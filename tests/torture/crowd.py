"""R20: writers and settlers of one PostgreSQL are killed; no entry of any block is lost."""

from __future__ import annotations

import random
import time
from pathlib import Path

from hardwon import Scope
from hardwon.knowledge.ranking.query import query
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import running
from tests.samples import NOW, lesson
from tests.torture.kill import fork, kill, note, noted

_SCOPE = Scope("acme", "coder", "api")
_WRITERS, _SETTLERS = 6, 2
_LIFE = 0.05, 0.4  # seconds of a process that is killed
_PAUSE = 0.05  # seconds between two lessons: a kill should find little to compare
_LETTERS = str.maketrans("0123456789", "abcdefghij")  # a word that shares no part with another
_FRESH = 5  # rows that wait: a writer settles often


def r20(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` kills; how many acknowledged lessons are lost or not found, and what else is wrong."""
    with running() as server:
        url = server.database().url

        def write(name: int) -> None:
            store = PostgresStore(url, str(folder), fresh=_FRESH)
            for number in range(100_000):
                word = f"{name}x{number}".translate(_LETTERS)
                kept = store.lessons.add(lesson(f"common {word} both", _SCOPE))
                note(folder / "acks", f"{kept.id}:{word}")
                time.sleep(_PAUSE)
                if number % 5 == 4:
                    store.lessons.update(kept._replace(correction="changed common", met=number))

        def settle() -> None:
            store = PostgresStore(url, str(folder))
            while True:
                store.tend()

        names = iter(range(10_000_000))
        crew = [fork(lambda name=next(names): write(name)) for _ in range(_WRITERS)]  # type: ignore[misc]
        crew += [fork(settle) for _ in range(_SETTLERS)]
        for _ in range(n):
            time.sleep(chance.uniform(*_LIFE))
            which = chance.randrange(len(crew))
            kill(crew[which])
            crew[which] = (
                fork(lambda name=next(names): write(name)) if which < _WRITERS else fork(settle)  # type: ignore[misc]
            )
        for child in crew:
            kill(child)
        return n, _wrong(url, folder)


def _wrong(url: str, folder: Path) -> int:
    """What is lost or not found, before and after all is settled."""
    store = PostgresStore(url, str(folder))
    acked = dict(line.split(":") for line in noted(folder / "acks"))
    bad = 0
    for _ in range(2):
        changed = _found(store, "changed")
        bad += sum(
            not _is_found(store, int(number), word, changed) for number, word in acked.items()
        )
        bad += len(store.check())
        store.tend()
    store.close()
    return bad + (not acked)


def _is_found(store: PostgresStore, number: int, word: str, changed: set[int]) -> bool:
    """By its own word, or by the one that it was changed to."""
    is_changed = store.lessons.get(_SCOPE, number).correction.startswith("changed")
    return number in (changed if is_changed else _found(store, word))


def _found(store: PostgresStore, word: str) -> set[int]:
    asked = query("turn", word, reach=1_000_000)
    found = store.lessons.match(_SCOPE, asked, now=NOW, limit=100_000)
    return {one.lesson.id for one in found}
