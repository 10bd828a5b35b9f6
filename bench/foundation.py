"""The gate, the turn door and the cold process."""

from __future__ import annotations

import compileall
import tempfile
import time
from pathlib import Path

import hardwon
from bench.corpus import SCOPE, Corpus
from bench.internals import Measured, opened
from bench.timing import at, cold, interleaved, median, table

SIZES = (10_000, 100_000)
ROUNDS = 300
BASE = "import json, sqlite3"
PROMPT_WORDS = 40


def filled(home: str, count: int) -> Measured:
    """A store with so many lessons in one scope."""
    hw = opened(home)
    store = hw.runtime.store
    database = store._db  # type: ignore[attr-defined]
    database.rows("PRAGMA cache_size = -400000")  # only to fill it: the usual cache is 2 MB
    with database:
        for lesson in Corpus().lessons(count):
            store.lessons.add(lesson)
    database.close()  # opens again with the usual settings
    return hw


def gate(agent: hardwon.Agent) -> float:
    """Microseconds of a run that needs no reflection."""
    rounds = 20_000
    began = time.perf_counter()
    for _ in range(rounds):
        agent.after_run(task="t", attempt="a")
    return (time.perf_counter() - began) / rounds * 1e6


def turns(agent: hardwon.Agent, corpus: Corpus) -> list[float]:
    """Seconds of the turn door, one prompt after another."""
    prompts = iter([corpus.text(PROMPT_WORDS) for _ in range(ROUNDS)])
    return interleaved({"turn": lambda: agent.before_turn(next(prompts))}, rounds=ROUNDS)["turn"]


def cold_ratio(home: str, corpus: Corpus) -> float:
    """A fresh process that opens the store, recalls and prints, over one that only imports."""
    recall = (
        f"import hardwon; print(hardwon.open({home!r}).agent({SCOPE.agent!r},"
        f" project={SCOPE.project!r}).before_turn({corpus.text(PROMPT_WORDS)!r}).text)"
    )
    starts = interleaved({"bare": cold(BASE), "recall": cold(recall)}, rounds=25)
    return median(starts["recall"]) / median(starts["bare"])


def measured(count: int) -> tuple[tuple[str, ...], float]:
    """The row of one size, and the time of the gate."""
    corpus = Corpus(1)
    with tempfile.TemporaryDirectory() as home, filled(home, count) as hw:
        agent = hw.agent(SCOPE.agent, project=SCOPE.project)
        seconds = turns(agent, corpus)
        p50, p99 = (f"{at(seconds, share) * 1e3:.2f} ms" for share in (0.5, 0.99))
        return (f"{count:,}", p50, p99, f"{cold_ratio(home, corpus):.2f}"), gate(agent)


def main() -> None:
    """Print the tables."""
    compileall.compile_dir(Path(hardwon.__file__).parent, quiet=1)
    rows, gates = zip(*(measured(count) for count in SIZES), strict=True)
    head = ("lessons", "turn p50", "turn p99", "cold process ÷ bare imports")
    table("Recall before a turn", [head, *rows])
    passed = ("a run that needs no reflection", f"{min(gates):.2f} µs")
    table("The gate", [("what", "time"), passed])


if __name__ == "__main__":
    main()
