"""How long recall takes as a store grows: in process, in a cold process, and against a bare start.

    python -m bench recall_speed [--sizes 1000,10000,100000]

The lessons are synthetic: 60 to 120 words of a vocabulary in which, as in language, few words are
common and most are rare. All belong to one agent. Prompts are made of 12 words of one lesson, or
of the commonest words only. Ratios mean more than times: other work on the machine moves both.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

import hardwon
from hardwon.backends.sqlite import SqliteStore
from hardwon.domain.lesson import Lesson
from hardwon.domain.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

OWN = Scope("default", "bench")
WORDS = 40_000
COLD = "import hardwon; hardwon.open({home!r}).agent('bench').before_turn({prompt!r})"
BARE = "import json, sqlite3"


class Language:
    """Words whose frequency falls with their rank, as in every language."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = ["".join(self._chance.choices(letters, k=7)) for _ in range(WORDS)]
        self._weights = [1 / (rank + 10) for rank in range(WORDS)]

    def text(self, least: int, most: int) -> str:
        """So many words, common ones more often."""
        count = self._chance.randint(least, most)
        return " ".join(self._chance.choices(self.words, self._weights, k=count))

    def prompt(self, lesson: Lesson) -> str:
        """Twelve words of a lesson."""
        return " ".join(self._chance.sample(lesson.correction.split(), 12))


def filled(home: str, size: int, language: Language) -> list[Lesson]:
    """A store of that many lessons; some of them, to ask about."""
    store = SqliteStore(home)
    asked: list[Lesson] = []
    every = max(1, size // 200)
    with store._db:
        for number in range(size):
            lesson = Lesson(OWN, language.text(8, 16), language.text(52, 104))
            store.lessons.add(lesson)
            if number % every == 0:
                asked.append(lesson)
    store.close()
    return asked


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    began = perf_counter()
    call()
    return (perf_counter() - began) * 1000


def in_process(home: str, prompts: list[str]) -> tuple[float, float]:
    """The median and the 99th percentile of the turn door, in milliseconds."""
    with hardwon.open(home) as hw:
        agent = hw.agent("bench")
        for prompt in prompts[:20]:
            agent.before_turn(prompt)
        times = [timed(lambda text=prompt: agent.before_turn(text)) for prompt in prompts]  # type: ignore[misc]
    return median(times), quantiles(times, n=100)[98]


def inserted(home: str, language: Language) -> float:
    """The median of adding one lesson, indexed and durable, in units of a bare commit."""
    with hardwon.open(home) as hw:
        agent = hw.agent("bench")
        adding = [timed(lambda: agent.learn(language.text(60, 120))) for _ in range(20)]
        database = SqliteStore(home)._db

        def bare() -> None:
            with database as db:
                db.run("INSERT INTO tenants (name) VALUES (hex(randomblob(8)))")

        committing = [timed(bare) for _ in range(20)]
        database.close()
    return median(adding) / median(committing)


def cold(home: str, prompt: str, tries: int = 15) -> float:
    """A whole process that recalls, in units of one that imports json and sqlite3."""
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }

    def start(code: str) -> float:
        command = [sys.executable, "-c", code]
        return timed(lambda: subprocess.run(command, env=environment, check=True))

    code = COLD.format(home=home, prompt=prompt)
    start(code)
    pairs = [(start(code), start(BARE)) for _ in range(tries)]
    return median(ours for ours, _ in pairs) / median(bare for _, bare in pairs)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--keep", metavar="DIR", help="use and keep the stores in this directory")
    given, _ = parser.parse_known_args()
    print(" lessons   p50 ms   p99 ms   common p50   insert/commit   cold/bare")
    for size in map(int, given.sizes.split(",")):
        language = Language(seed=size)
        with tempfile.TemporaryDirectory() as temporary:
            home = os.path.join(given.keep or temporary, str(size))
            os.makedirs(home, exist_ok=True)
            asked = filled(home, size, language)
            prompts = [language.prompt(lesson) for lesson in asked]
            common = [" ".join(language.words[at : at + 12]) for at in range(60)]
            p50, p99 = in_process(home, prompts)
            usual, _ = in_process(home, common)
            print(
                f"{size:8} {p50:8.2f} {p99:8.2f} {usual:12.2f} {inserted(home, language):15.2f}"
                f" {cold(home, prompts[0]):11.2f}"
            )


if __name__ == "__main__":
    main()
