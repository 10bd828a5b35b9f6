"""What past goals cost a turn, on SQLite and on Redis, and a dream over 100,000 lessons."""

from __future__ import annotations

import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.corpus import SCOPE, Corpus
from bench.internals import Measured, opened
from bench.timing import at, interleaved, table
from hardwon import Lesson, Reflection
from hardwon.core.settings import GoalSettings, Settings
from hardwon.engine.runtime import utc_now

GOALS, ROUNDS = (100, 1_000, 10_000), 300
LESSONS = (10_000, 25_000, 50_000, 100_000)
AGAIN = 10  # one lesson in so many is said twice
_DREAM = "import sys; from bench.goals import dream; dream(sys.argv[1])"


def ms(seconds: list[float], share: float = 0.5) -> str:
    """The median, or another share, in milliseconds."""
    return f"{at(seconds, share) * 1000:.2f}"


def reflect(hw: Measured, corpus: Corpus, numbers: range) -> None:
    """One reflection on each of these goals."""
    store, now = hw.runtime.store, utc_now()
    for number in numbers:
        made = Reflection(SCOPE, f"goal-{number}", corpus.text(25), now, title=corpus.text(8))
        store.reflections.save(made._replace(expires_at=now + timedelta(days=7)), keep=3)


def questions(
    hw: Measured, corpus: Corpus, goals: int, reads: Callable[[], int]
) -> list[tuple[str, ...]]:
    """Milliseconds of `goals.context`, and how often the server was asked, by what is asked."""
    agent = hw.agent(SCOPE.agent, project=SCOPE.project)
    ids = iter(f"goal-{number * 7 % goals}" for number in range(ROUNDS + 1))
    asked: dict[str, Callable[[], object]] = {
        "a goal": lambda: agent.goals.context(next(ids)),
        "a new goal": lambda: agent.goals.context("new", objective=corpus.text(8)),
        "no goal": lambda: agent.goals.context(),
    }
    trips = {}
    agent.goals.context()  # connects
    for name, ask in asked.items():
        before = reads()
        ask()
        trips[name] = max(0, reads() - before - 1)  # the question itself is one
    seconds = interleaved(asked, rounds=ROUNDS)
    return [
        (f"{goals:,}", name, ms(every), ms(every, 0.99), str(trips[name]))
        for name, every in seconds.items()
    ]


def contexts(hw: Measured, together: Any, reads: Callable[[], int]) -> Iterator[tuple[str, ...]]:
    """The same at growing numbers of goals."""
    corpus, filled = Corpus(3), 0
    for goals in GOALS:
        with together():
            reflect(hw, corpus, range(filled, goals))
        filled = goals
        yield from questions(hw, corpus, goals, reads)


def on_sqlite() -> list[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as home, opened(home) as hw:
        return list(contexts(hw, hw.runtime.store.dreams.together, lambda: 0))


@contextmanager
def redis(folder: str) -> Iterator[Any]:
    """A server of our own."""
    from tests.redis_server import DURABLE, RedisServer

    server = RedisServer(Path(folder), *DURABLE)
    try:
        yield server
    finally:
        server.thaw()
        server.stop()


def with_redis(folder: str, url: str, **goals: Any) -> Measured:
    """A hardwon whose reflections are on that server."""
    values = Settings(folder, goals=GoalSettings(redis_url=url, **goals))
    return opened(folder, settings=values)


def on_redis(folder: str, server: Any) -> list[tuple[str, ...]]:
    """Patient, so that every question is answered and none is cut short."""
    with with_redis(folder, server.url, redis_patience=timedelta(seconds=5)) as hw:
        client = server.client

        def reads() -> int:
            return int(client.info("stats")["total_reads_processed"])

        return list(contexts(hw, nullcontext, reads))


def while_silent(folder: str, server: Any) -> list[tuple[str, ...]]:
    """Milliseconds of `goals.context` while the server does not answer."""
    seconds = []
    with with_redis(folder, server.url) as hw:
        agent = hw.agent(SCOPE.agent, project=SCOPE.project)
        agent.goals.context("goal-1")
        server.freeze()
        for _ in range(20):
            time.sleep(1.1)  # longer than it waits before another try
            seconds += interleaved({"": lambda: agent.goals.context("goal-1")}, rounds=1)[""]
        server.thaw()
    return [("p50, ms", "worst, ms"), (ms(seconds), ms(seconds, 1.0))]


def goals_ended() -> list[tuple[str, ...]]:
    """Milliseconds until an ended goal is durable."""
    tasks = [{"name": f"step {n}", "output": "done " * 30} for n in range(5)]
    with tempfile.TemporaryDirectory() as home, opened(home) as hw:
        agent = hw.agent(SCOPE.agent)
        numbers = iter(range(ROUNDS))

        def end() -> None:
            agent.goals.ended(f"g{next(numbers)}", "Research", "failed", tasks=tasks)

        seconds = interleaved({"": end}, rounds=ROUNDS)[""]
    return [("p50, ms", "p99, ms"), (ms(seconds), ms(seconds, 0.99))]


def dream(home: str) -> None:
    """Dream in this process, and print what it cost."""
    with opened(home) as hw:
        before, began = time.process_time(), time.perf_counter()
        row = hw.agent(SCOPE.agent).dreams.run()
        took, used = time.perf_counter() - began, time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([row.memories_consolidated, took, used, memory]))


def dreams() -> Iterator[tuple[int, list[float]]]:
    """What a dream costs at growing numbers of lessons, each in a process of its own."""
    corpus, filled = Corpus(5), 0
    with tempfile.TemporaryDirectory() as folder:
        home, copy = f"{folder}/home", f"{folder}/copy"
        for count in LESSONS:
            fill(home, corpus, count - filled)
            filled = count
            shutil.copytree(home, copy)
            command = [sys.executable, "-c", _DREAM, copy]
            found = json.loads(subprocess.check_output(command))
            print(f"{count:,}: {found[1]:.1f} s", file=sys.stderr, flush=True)
            yield count + count // AGAIN, found
            shutil.rmtree(copy)


def fill(home: str, corpus: Corpus, count: int) -> None:
    """So many lessons more, and every tenth of them twice."""
    with opened(home) as hw:
        store = hw.runtime.store
        for pragma in ("synchronous = OFF", "cache_size = -262144"):  # only for this process
            store._db.rows(f"PRAGMA {pragma}")  # type: ignore[attr-defined]
        with store.dreams.together():
            for number, lesson in enumerate(lessons(corpus, count)):
                for _ in range(1 + (number % AGAIN == 0)):
                    store.lessons.add(lesson)


def lessons(corpus: Corpus, count: int) -> Iterator[Lesson]:
    """Lessons of 40 words, as long as those that models write."""
    now = utc_now()
    times = {"created_at": now, "updated_at": now, "last_seen_at": now}
    for _ in range(count):
        words = {"situation": corpus.text(10), "mistake": corpus.text(10)}
        yield Lesson(SCOPE, **words, correction=corpus.text(20), **times)  # type: ignore[arg-type]


def exponent(points: list[tuple[float, float]]) -> float:
    """The slope of the line through the points when both axes are logarithmic."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    middle = [sum(values) / len(logs) for values in zip(*logs, strict=True)]
    above: float = sum((x - middle[0]) * (y - middle[1]) for x, y in logs)
    wide: float = sum((x - middle[0]) ** 2 for x, _ in logs)
    return above / wide


def main() -> None:
    """Measure, and print the tables."""
    head = ("goals", "asked for", "p50, ms", "p99, ms", "round trips")
    table("goals.context on SQLite", [head, *on_sqlite()])
    if shutil.which("redis-server"):
        with tempfile.TemporaryDirectory() as folder, redis(folder) as server:
            table("goals.context on Redis", [head, *on_redis(folder, server)])
            table("goals.context while Redis is silent", while_silent(folder, server))
    table("goal_ended, durable on return", goals_ended())
    found = list(dreams())
    rows = [
        (f"{n:,}", f"{merged:,}", f"{took:.1f}", f"{used:.1f}", f"{memory:.0f}")
        for n, (merged, took, used, memory) in found
    ]
    columns = ("lessons", "consolidated", "seconds", "of CPU", "peak MB")
    table("A dream without a model", [columns, *rows])
    grown = exponent([(n, values[2]) for n, values in found])
    print(f"\nThe time grows with the number of lessons to the power of {grown:.2f}.")
