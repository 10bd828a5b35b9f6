"""What the doors say by words alone: what is asked for, and silence where nothing fits.

    python -m bench turns [--sizes 60,1500,20000]

The lessons of data/other-words.jsonl, written by hand, stand among others made from templates. Each
is asked for before a turn in its own words, by half of them, within another task and in entirely
other words. data/unrelated*.txt hold prompts and errors that no lesson fits.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from typing import TYPE_CHECKING

from bench.internals import opened
from bench.meaning import Asking, Corpus, Question, lines, share
from bench.timing import table

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, str]

SIZES = "60,1500,20000"
_LONG = 7  # letters of a word that is never left out


def _half(row: Row) -> str:
    words = row["situation"].split()
    kept = (word for at, word in enumerate(words) if at % 2 == 0 or len(word) > _LONG)
    return f"I have to deal with this: {' '.join(kept)}"


_WAYS: dict[str, Callable[[Row], str]] = {
    "in its own words": lambda row: f"What should I do when {row['situation']}?",
    "by half of them": _half,
    "within another task": lambda row: f"{row['task']}. By the way, {row['situation']}. Take care.",
    "in other words": lambda row: row["task"],
}


def main() -> None:
    """Print one table: hits and precision of each way, and what is said in vain."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=SIZES)
    given, _ = parser.parse_known_args()
    heads = ("lessons", *_WAYS, "unrelated prompt", "unrelated error")
    rows = [_measured(int(size)) for size in given.sizes.split(",")]
    table("Shown before a turn: hits / precision; and anything where nothing fits", [heads, *rows])


def _measured(distractors: int) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as home:
        corpus = Corpus(home, distractors=distractors)
        with opened(home) as hw:
            asking = Asking(hw)
            told = [_told(way, corpus, asking) for way in _WAYS.values()]
            vain = [
                share(bool(asking.shown(one)) for one in questions)
                for questions in corpus.unrelated.values()
            ]
    return (f"{corpus.size:,}", *told, *vain)


def _told(way: Callable[[Row], str], corpus: Corpus, asking: Asking) -> str:
    rows = [json.loads(line) for line in lines("other-words.jsonl")]
    numbers = [question.lesson for question in corpus.questions["task"]]
    shown = [asking.shown(Question("turn", way(row))) for row in rows]
    right = [number in ids for number, ids in zip(numbers, shown, strict=True)]
    count = sum(map(len, shown))
    precision = f"{sum(right) / count:.2f}" if count else "–"
    return f"{share(right)} / {precision}"
