"""How recall and keeping a lesson behave as a store grows, with all lessons in one agent's scope.

    python -m bench recall_speed [--sizes 1000,10000,100000,1000000]

The lessons are made up, their words as unevenly common as those of real text. Prompts are twelve
words of a lesson, calls and errors those behind a lesson; a common prompt consists of the twelve
commonest words there are. Stores are kept in `$HARDWON_BENCH_CACHE`. Read the ratios: other work
on the machine moves both sides.
"""

from __future__ import annotations

import argparse
import compileall
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import hardwon
from bench.corpus import SCOPE, TOOL, Corpus, call_of, error_of
from bench.timing import at, cache, cold, interleaved, median, table
from hardwon.core.values.lesson_formats import to_lines
from hardwon.storage.sql.rows import values_of
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.database import SCHEMA

SIZES = "1000,10000,100000"
ASKED, ROUNDS, INSERTS, STARTS, BULK = 200, 600, 260, 15, 10_000
BARE = "import json, sqlite3"
COLD = "import hardwon; hardwon.open({0!r}).agent({1!r}, project={2!r}).before_turn({3!r})"
WRITER = """
import sys
from bench.corpus import Corpus
from hardwon.storage.stores.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
for lesson in Corpus(99).lessons(1_000_000):
    store.lessons.add(lesson)
"""


def filled(size: int) -> str:
    """The home of a store with so many lessons, made when it is not there."""
    home = cache() / f"recall-{SCHEMA}-{size}"
    if not home.exists():
        making = Path(tempfile.mkdtemp(dir=cache()))
        store = SqliteStore(str(making))
        with store.together():
            for lesson in Corpus(size).lessons(size):
                store.lessons.add(lesson)
        store.close()
        making.rename(home)
    return str(home)


def in_bulk(count: int) -> tuple[str, ...]:
    """Milliseconds of CPU a lesson: many in one transaction, and as a pack through the face."""
    lessons = list(Corpus(count).lessons(count))
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        pack = Path(folder, "pack.jsonl")
        pack.write_text(to_lines(lessons), encoding="utf-8")
        store = SqliteStore(folder)
        began = time.process_time()
        with store.together():
            for lesson in lessons:
                store.lessons.add(lesson)
        stored = time.process_time()
        with hardwon.open(f"{folder}/imported") as hw:
            hw.agent(SCOPE.agent, project=SCOPE.project).lessons.import_from(str(pack), trust=True)
        imported = time.process_time()
        store.close()
    spans = (stored - began, imported - stored)
    return (f"{count:,}", *(f"{span / count * 1e3:.2f}" for span in spans))


class Questions:
    """What is asked, over and over: prompts, calls and errors of lessons in the store."""

    def __init__(self, size: int) -> None:
        corpus, chance = Corpus(size), random.Random(size)
        lessons = list(corpus.lessons(min(ASKED, size)))
        self.corrections = [one.correction for one in lessons]
        self.prompts = [" ".join(chance.sample(one.correction.split(), 12)) for one in lessons]
        self.calls = [call_of(one.situation) for one in lessons]
        self.errors = [error_of(one.situation) for one in lessons]
        self.common = [corpus.common(12, start) for start in range(60)]


def doors(agent: hardwon.Agent, asked: Questions) -> dict[str, list[float]]:
    """Seconds at each door. The error door is asked without recording a step."""
    jobs: dict[str, Callable[[], object]] = {
        "start": lambda: agent.start(again=True),
        "turn": _each(asked.prompts, agent.before_turn),
        "common": _each(asked.common, agent.before_turn),
        "action": _each(asked.calls, lambda call: agent.before_action(TOOL, call)),
        "error": _each(asked.errors, lambda text: agent.explain("error", text, tool=TOOL)),
    }
    interleaved(jobs, rounds=20)
    return interleaved(jobs, rounds=ROUNDS)


def _each(texts: list[str], ask: Callable[[str], object]) -> Callable[[], object]:
    endless = (text for _ in iter(int, 1) for text in texts)
    return lambda: ask(next(endless))


def found(hw: hardwon.Hardwon, asked: Questions) -> float:
    """The share of prompts whose own lesson is among those shown, each in a run of its own."""
    pairs = list(zip(asked.prompts, asked.corrections, strict=True))
    hits = 0
    for number, (prompt, correction) in enumerate(pairs):
        run = hw.agent(SCOPE.agent, project=SCOPE.project, run=f"found-{number}")
        hits += any(lesson.correction == correction for lesson in run.before_turn(prompt).lessons)
    return hits / len(pairs)


def inserts(home: str, agent: hardwon.Agent) -> tuple[float, float, float]:
    """Keeping a lesson over the bare commit of its row: median, mean, and through the face."""
    store = SqliteStore(home)
    lessons = Corpus(5).lessons(10**9)
    with tempfile.TemporaryDirectory(dir=cache()) as folder:

        def keep() -> None:
            one = next(lessons)
            agent.lessons.add(one.situation, one.correction, mistake=one.mistake)

        ready = [next(lessons) for _ in range(INSERTS)]
        values = [values_of(one) for one in ready]
        bare, columns = _table(f"{folder}/bare.db", len(values[0])), len(values[0])
        rows = iter(values)
        again = iter(ready)
        taken = interleaved(
            {
                "bare": lambda: bare.execute(_insert(columns), next(rows)),
                "store": lambda: store.lessons.add(next(again)),
                "face": keep,
            },
            rounds=INSERTS,
        )
        bare.close()
    store.close()
    base, mean = median(taken["bare"]), sum(taken["bare"]) / INSERTS
    return (
        median(taken["store"]) / base,
        sum(taken["store"]) / INSERTS / mean,
        median(taken["face"]) / base,
    )


def _insert(columns: int) -> str:
    return f"INSERT INTO lessons VALUES (NULL{', ?' * columns})"


def _table(path: str, width: int) -> sqlite3.Connection:
    """A plain table that takes the same row; every insert is a synced commit."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    columns = ", ".join(f"c{number}" for number in range(width))
    connection.execute(f"CREATE TABLE lessons (id INTEGER PRIMARY KEY, {columns})")
    return connection


@contextmanager
def writer(home: str) -> Iterator[None]:
    """Another process that keeps one lesson after another meanwhile."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, home])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def disturbed(home: str, agent: hardwon.Agent, asked: Questions) -> float:
    """The 99th percentile of the turn door while another process writes, over that without."""
    jobs = {"turn": _each(asked.prompts, agent.before_turn)}
    alone: list[float] = []
    beside: list[float] = []
    for _ in range(3):
        alone += interleaved(jobs, rounds=ROUNDS)["turn"]
        with writer(home):
            beside += interleaved(jobs, rounds=ROUNDS)["turn"]
    return at(beside, 0.99) / at(alone, 0.99)


def started(home: str, prompt: str) -> float:
    """A whole process that recalls, over one that only imports json and sqlite3."""
    code = COLD.format(home, SCOPE.agent, SCOPE.project, prompt)
    seconds = interleaved({"ours": cold(code), "bare": cold(BARE)}, rounds=STARTS)
    return median(seconds["ours"]) / median(seconds["bare"])


def measured(size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The rows of one size; writing is measured on a copy, so that the store stays as it was."""
    asked = Questions(size)
    home = filled(size)
    with hardwon.open(home) as hw:
        agent = hw.agent(SCOPE.agent, project=SCOPE.project)
        taken, hits = doors(agent, asked), found(hw, asked)
    start = started(home, asked.prompts[0])
    with tempfile.TemporaryDirectory(dir=cache()) as copy:
        shutil.copytree(home, copy, dirs_exist_ok=True)
        with hardwon.open(copy) as hw:
            agent = hw.agent(SCOPE.agent, project=SCOPE.project)
            usual, mean, face = inserts(copy, agent)
            beside = disturbed(copy, agent, asked)
    spans = [f"{at(taken[d], 0.5) * 1e3:.2f} / {at(taken[d], 0.99) * 1e3:.2f}" for d in taken]
    common = median(taken["common"]) / median(taken["turn"])
    ratios = (common, beside, start, usual, mean, face)
    return (f"{size:,}", *spans, f"{hits:.3f}"), (f"{size:,}", *(f"{one:.2f}" for one in ratios))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=SIZES)
    given, _ = parser.parse_known_args()
    compileall.compile_dir(Path(hardwon.__file__).parent, quiet=1)
    rows, ratios = zip(*map(measured, map(int, given.sizes.split(","))), strict=True)
    table(
        "Recall, p50 / p99 in ms",
        [
            ("lessons", "start", "turn", "of common words", "action", "error", "found at the turn"),
            *rows,
        ],
    )
    head = (
        *("lessons", "common ÷ usual prompt", "p99 with a writer ÷ without"),
        *("cold process ÷ bare imports", "insert ÷ bare commit", "its mean", "through the face"),
    )
    table("Ratios", [head, *ratios])
    bulk = ("lessons", "stored at once", "imported as a pack")
    table("In bulk, ms of CPU a lesson", [bulk, in_bulk(BULK)])


if __name__ == "__main__":
    main()
