"""How often a lesson is found that is asked for in entirely different words.

    python -m bench meaning [--sizes 10000,100000]

The lessons of data/other-words.jsonl, written by hand, stand among 1,600 others made from
templates (and, when HARDWON_BENCH_RUNS names a file of runs, its failures). Each is asked for by
a task and by an error that use other words, and by the error while the task is known.
data/unrelated*.txt hold prompts and errors that no lesson fits. "Found" looks at the ranking alone;
"shown" is what the doors say, with their floors. Times are of vectors at random and made-up words.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import tempfile
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.corpus import SCOPE as OWN
from bench.internals import Measured, opened
from bench.recall_speed import Questions, filled
from bench.timing import at, table
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import Step
from hardwon.engine.pipeline import recall
from hardwon.engine.runtime import utc_now
from hardwon.knowledge.ranking.scores import UNKNOWN, WEIGHTS, judge
from hardwon.models.minilm import MiniLM
from hardwon.storage.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hardwon.knowledge.ranking.query import Query
    from hardwon.storage.ports import Embedder

DATA = Path(__file__).parent / "data"
DISTRACTORS = 1600
_TOOLS = (
    "the linter, the type checker, the bundler, the minifier, cmake, the protobuf compiler,"
    " ansible, vagrant, sphinx, webpack, the profiler, the debugger, valgrind, the fuzzer, kafka,"
    " rabbitmq, elasticsearch, grafana, celery, airflow, spark, haproxy, memcached, mongodb,"
    " cassandra, helm, jenkins, selenium, playwright, babel, the sass compiler, storybook,"
    " the code generator, the licence scanner, bazel, clang-format, the message catalogue, latex,"
    " the release script, the dependency bot"
)
_SYMPTOMS = (
    "exit code 2, a segmentation fault, a stack overflow, a syntax error, an empty report,"
    " a checksum mismatch, an unknown option, a missing header, a deprecation warning,"
    " a broken pipe, a version conflict, a failed assertion, garbled output, a deadlock"
)
_TIMES = (
    "it is started from another folder, two builds run at once, the laptop has slept,"
    " the path is very long, the trial licence has ended, the locale is Turkish,"
    " it runs as an unprivileged user, the sanitizer is on, the machine is an ARM,"
    " a VPN is up, strict mode is on, the configuration has tabs, warnings are errors,"
    " the mount is read-only, the tag has a slash, the clock is wrong, the cache is warm,"
    " the terminal is narrow, the input is empty, colours are off"
)
_REMEDIES = (
    "name the root folder explicitly, take a lock first, restart its helper, upgrade to the"
    " newest minor version, write the option in its long form, delete its working folder,"
    " set the locale to C, lower the level of optimisation, ask for the plain format,"
    " use the native build, switch the plugin off, indent with blanks, pin the older release,"
    " raise the limit of open files, warm it up once, quote the argument, split the input in two"
)


class Question(NamedTuple):
    """A text, the door it is asked at, the task if it is known, and the lesson that should come."""

    door: str
    text: str
    task: str = ""
    lesson: int = 0


def others(count: int) -> list[tuple[str, str]]:
    """Situations and corrections about other matters."""
    chance = random.Random(7)
    tools, symptoms, times, remedies = (
        [part.strip() for part in text.split(",")]
        for text in (_TOOLS, _SYMPTOMS, _TIMES, _REMEDIES)
    )
    every = [f"{a} ends with {b} when {c}" for a, b, c in product(tools, symptoms, times)]
    if count > len(every):
        every += [f"{a} gives {b} because {c}" for a, b, c in product(tools, symptoms, times)]
    return [(text, chance.choice(remedies)) for text in chance.sample(every, count)]


def failures() -> list[tuple[str, str]]:
    """The failures of the runs that HARDWON_BENCH_RUNS names, if it does."""
    name = os.environ.get("HARDWON_BENCH_RUNS", "")
    if not name:
        return []
    with gzip.open(name, "rt", encoding="utf-8") as lines:
        steps = [step for line in lines for step in json.loads(line)["steps"]]
    failed = [step for step in steps if step["returncode"] and step["output"].strip()]
    return [
        (f"`{step['command'][:80]}` fails", f"It fails with {step['output'].strip()[-200:]}")
        for step in failed
    ]


class Corpus:
    """A store that holds all lessons, and the questions by their kind."""

    def __init__(
        self, home: str, embedder: Embedder | None = None, *, distractors: int = DISTRACTORS
    ) -> None:
        self.home = home
        self.embedder = embedder
        rows = [json.loads(line) for line in lines("other-words.jsonl")]
        texts = [(row["situation"], row["correction"]) for row in rows]
        store = SqliteStore(home)
        with store.dreams.together():
            every = (*texts, *others(distractors), *failures())
            kept = [store.lessons.add(Lesson(OWN, *text)).id for text in every]
        store.close()
        self.size = len(kept)
        pairs = list(zip(rows, kept, strict=False))
        self.questions = {
            "task": [Question("turn", row["task"], "", number) for row, number in pairs],
            "error": [Question("error", row["error"], "", number) for row, number in pairs],
            "error, task known": [
                Question("error", row["error"], row["task"], number) for row, number in pairs
            ],
        }
        self.unrelated = {
            "prompt": [Question("turn", line) for line in lines("unrelated.txt")],
            "error": [Question("error", line) for line in lines("unrelated-errors.txt")],
        }


def lines(name: str) -> list[str]:
    """The lines of a file of texts."""
    return (DATA / name).read_text(encoding="utf-8").splitlines()


class Asking:
    """What the doors of an opened store answer."""

    def __init__(self, hw: Measured) -> None:
        engine = hw.runtime
        self._doors, self._lessons = engine.doors, engine.store.lessons

    def query(self, one: Question) -> Query:
        """The query that a door makes of a question."""
        if one.door == "turn":
            return recall.at_turn(one.text, self._doors.near_to(OWN))
        step = self._doors.prepare_step(Step("bash", "", one.text, failed=True), ())
        return recall.at_error(step, one.task, self._doors.near_to(OWN))

    def ranked(self, one: Question, how: str) -> list[int]:
        """Lesson ids, best first, floors aside."""
        asked, now = self.query(one), utc_now()
        found = self._lessons.match(OWN, asked, now=now, limit=30)
        scores = {
            "words": [match.words for match in found],
            "vectors": [max(0.0, match.meaning) for match in found],
            "fused": [judge(asked, m, outlook=UNKNOWN, by=WEIGHTS).score for m in found],
        }[how]
        able = [(-score, m.lesson.id) for score, m in zip(scores, found, strict=True) if score > 0]
        return [number for _, number in sorted(able)]

    def shown(self, one: Question) -> list[int]:
        """The ids of the lessons that the door shows."""
        found = recall.weigh(
            self.query(one), scope=OWN, lessons=self._lessons, now=utc_now(), limit=3
        )
        return [judged.match.lesson.id for judged in found if not judged.verdict]


def share(values: Iterable[bool]) -> str:
    """The share of what is true."""
    every = list(values)
    return f"{sum(every) / max(1, len(every)):.2f}"


def hits() -> None:
    """Print how often the lesson is found and shown."""
    with tempfile.TemporaryDirectory() as home:
        corpus = Corpus(home, MiniLM())
        with opened(home, embedder=corpus.embedder) as hw:
            hw.vectors.fill()
            found = [_found(corpus, Asking(hw), how) for how in ("words", "vectors", "fused")]
        kinds = [f"{kind} @{k}" for kind in corpus.questions for k in (3, 10)]
        count = len(corpus.questions["task"])
        title = f"Found: {count} lessons asked for in other words, among {corpus.size}"
        table(title, [("by", *kinds), *found])
        shown = [_shown(corpus, embedder) for embedder in (None, corpus.embedder)]
        unrelated = [f"anything for an unrelated {kind}" for kind in corpus.unrelated]
        heads = ("embedder", *corpus.questions, *unrelated, "ms CPU a question")
        table("Shown at the doors, three at most", [heads, *shown])


def _found(corpus: Corpus, asking: Asking, how: str) -> tuple[str, ...]:
    cells: list[str] = []
    for questions in corpus.questions.values():
        ranks = [(one.lesson, asking.ranked(one, how)) for one in questions]
        cells += [share(lesson in ids[:k] for lesson, ids in ranks) for k in (3, 10)]
    return (how, *cells)


def _shown(corpus: Corpus, embedder: Embedder | None) -> tuple[str, ...]:
    with opened(corpus.home, embedder=embedder) as hw:
        asking, began = Asking(hw), process_time()
        told = [
            share(one.lesson in asking.shown(one) for one in questions)
            for questions in corpus.questions.values()
        ]
        cost = process_time() - began
        false = [
            share(bool(asking.shown(one)) for one in questions)
            for questions in corpus.unrelated.values()
        ]
    asked = sum(map(len, corpus.questions.values()))
    name = embedder.name if embedder else "off"
    return (name, *told, *false, f"{cost * 1000 / asked:.1f}")


class Dice:
    """An embedder that takes no time and means nothing."""

    name = "dice"

    def __init__(self) -> None:
        self._chance = np.random.default_rng(7)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors at random."""
        vectors: list[list[float]] = self._chance.standard_normal((len(texts), 384)).tolist()
        return vectors


def speed(sizes: Iterable[int]) -> None:
    """Print how long the search takes beside the embedding of the question."""
    heads = ("lessons", "first search ms", "search p50", "p99", "turn p50", "turn without vectors")
    rows: list[tuple[str, ...]] = [heads]
    for size in sizes:
        prompts = Questions(size).prompts
        with tempfile.TemporaryDirectory() as home:
            shutil.copytree(filled(size), home, dirs_exist_ok=True)
            with opened(home, embedder=Dice()) as hw:
                hw.vectors.fill()
            rows.append((f"{size:,}", *_times(home, prompts)))
    table("Milliseconds, the embedding of the question left out", rows)


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that a call takes."""
    began = perf_counter()
    call()
    return (perf_counter() - began) * 1000


def _times(home: str, prompts: list[str]) -> tuple[str, ...]:
    dice = Dice()
    with opened(home, embedder=dice) as hw, opened(home) as plain:
        vectors = hw.runtime.store.vectors
        asked = iter(dice.embed(prompts * 2))

        def search() -> object:
            return vectors.nearest(OWN, dice.name, next(asked), limit=24)

        first = timed(search)
        agents = [one.agent(OWN.agent, project=OWN.project) for one in (hw, plain)]
        pairs = [
            [timed(partial(agent.before_turn, prompt)) for agent in agents] for prompt in prompts
        ]
        searches = [timed(search) for _ in prompts]
    both, words = (median(column) for column in zip(*pairs, strict=True))
    cells = (first, median(searches), at(searches, 0.99), both, words)
    return tuple(f"{cell:.2f}" for cell in cells)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="10000,100000")
    given, _ = parser.parse_known_args()
    hits()
    speed(int(size) for size in given.sizes.split(",") if size)


if __name__ == "__main__":
    main()
