"""What past goals cost a turn at 10,000 goals, and a dream over 100,000 lessons."""

from __future__ import annotations

import resource
import tempfile
import time
from datetime import timedelta

import hardwon
from bench.corpus import SCOPE, Corpus
from bench.timing import at, interleaved, median, table
from hardwon import Hardwon, Reflection
from hardwon.engine import utc_now

GOALS, ROUNDS = 10_000, 300
LESSONS = (25_000, 100_000)
AGAIN = 10  # one lesson in so many is said twice


def reflect_on_goals(hw: Hardwon, corpus: Corpus) -> None:
    """Two reflections on each of many goals."""
    store, now = hw._engine.store, utc_now()
    with store.dreams.together():
        for number in range(GOALS * 2):
            goal, later = f"goal-{number % GOALS}", timedelta(seconds=number)
            made = Reflection(SCOPE, goal, corpus.text(25), now + later, title=corpus.text(8))
            store.reflections.save(made._replace(expires_at=now + timedelta(days=7)), keep=3)


def contexts() -> list[tuple[str, ...]]:
    """Milliseconds of `goal_context`, by what is asked."""
    corpus = Corpus(3)
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        reflect_on_goals(hw, corpus)
        agent = hw.agent(SCOPE.agent, project=SCOPE.project)
        ids = iter(f"goal-{number * 7}" for number in range(ROUNDS))
        seconds = interleaved(
            {
                "a goal": lambda: agent.goal_context(next(ids)),
                "a new goal": lambda: agent.goal_context("new", objective=corpus.text(8)),
                "no goal": lambda: agent.goal_context(),
            },
            rounds=ROUNDS,
        )
    return [
        (name, f"{median(all_) * 1000:.2f}", f"{at(all_, 0.99) * 1000:.2f}")
        for name, all_ in seconds.items()
    ]


def dream(count: int) -> tuple[str, ...]:
    """Seconds and memory of one dream."""
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        store = hw._engine.store
        with store.dreams.together():
            for number, lesson in enumerate(Corpus(5).lessons(count)):
                store.lessons.add(lesson)
                if number % AGAIN == 0:
                    store.lessons.add(lesson)
        before, began = time.process_time(), time.perf_counter()
        row = hw.agent(SCOPE.agent).dreams.run()
        took, used = time.perf_counter() - began, time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{count + count // AGAIN:,}",
        f"{row.memories_consolidated:,}",
        f"{took:.1f}",
        f"{used:.1f}",
        f"{memory:.0f}",
    )


def main() -> None:
    """Measure, and print the tables."""
    head = ("asked for", "p50, ms", "p99, ms")
    table(f"goal_context on SQLite at {GOALS:,} goals", [head, *contexts()])
    columns = ("lessons", "consolidated", "seconds", "of CPU", "peak MB")
    table("A dream without a model", [columns, *(dream(count) for count in LESSONS)])
