"""Importing, adding and searching lessons beside other memories, on the same texts and vectors.

    python -m bench.peers.recall [--sizes 1000,10000]

Every memory runs in a process and an environment of its own; the environments are made on first use
and kept in `$HARDWON_BENCH_CACHE`. No model and no network: the vectors are made beforehand from
the words of the texts and looked up. hardwon finds by words, the others by these vectors. The
memories take turns, so that other work on the machine hits all alike.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from array import array
from contextlib import ExitStack, suppress
from math import sqrt
from pathlib import Path
from typing import Self

from bench.corpus import Corpus
from bench.timing import at, cache, median, table

PACKAGES = {
    "hardwon": [],
    "langgraph": ["langgraph-checkpoint-sqlite==3.1.2", "pysqlite3-binary==0.5.4.post2"],
    "chroma": ["chromadb==1.5.9"],
    "mem0": ["mem0ai==2.2.1", "qdrant-client==1.20.0"],
}
SIZES = "1000,10000"
ASKED, ADDED, ROUNDS = 20, 10, 5  # in one round
DIMENSIONS = 384


class Peer:
    """A memory in its own process."""

    def __init__(self, name: str, folder: str, data: str) -> None:
        self._process = subprocess.Popen(
            [python_with(name), str(Path(__file__).with_name("serve.py")), name, folder, data],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def told(self, verb: str, *span: int) -> list[float]:
        """What the process answers to a command; raises RuntimeError when it has ended."""
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):
            print(verb, *span, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"ended with {self._process.wait()}")
        answered: list[float] = json.loads(line)
        return answered

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def python_with(name: str) -> str:
    """An interpreter that has the memory; ours has hardwon."""
    if not PACKAGES[name]:
        return sys.executable
    folder = cache() / "peers" / name
    python, ready = folder / "bin" / "python", folder / ".ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "--quiet", "install", *PACKAGES[name]]
        subprocess.run(install, check=True, capture_output=True, timeout=900)
        ready.touch()
    return str(python)


def write_data(folder: str, size: int) -> None:
    """The texts that are imported, those that are added, and the prompts, with their vectors."""
    corpus, chance = Corpus(size), random.Random(size)
    texts = [corpus.text(chance.randint(60, 120)) for _ in range(size + ADDED * ROUNDS)]
    asked = chance.sample(texts[:size], ASKED * ROUNDS)
    texts += [" ".join(chance.sample(text.split(), 12)) for text in asked]
    with open(os.path.join(folder, "texts.json"), "w", encoding="utf-8") as file:
        json.dump(texts, file)
    words: dict[str, list[float]] = {}
    with open(os.path.join(folder, "vectors.f32"), "wb") as file:
        for text in texts:
            _vector(text, words).tofile(file)


def _vector(text: str, words: dict[str, list[float]]) -> array[float]:
    """The mean of a random direction for each word, of length one."""
    total = [0.0] * DIMENSIONS
    for word in text.split():
        if word not in words:
            chance = random.Random(word)
            words[word] = [chance.uniform(-1, 1) for _ in range(DIMENSIONS)]
        total = [a + b for a, b in zip(total, words[word], strict=True)]
    length = sqrt(sum(one * one for one in total))
    return array("f", (one / length for one in total))


def measured(size: int) -> list[tuple[str, ...]]:
    """A row for each memory that holds `size` texts."""
    with tempfile.TemporaryDirectory() as data, ExitStack() as ends:
        write_data(data, size)
        peers, troubles = {}, {}
        for name in PACKAGES:
            folder = ends.enter_context(tempfile.TemporaryDirectory())
            try:
                peers[name] = ends.enter_context(Peer(name, folder, data))
                peers[name].told("add", size, size)
            except (RuntimeError, subprocess.SubprocessError) as error:
                peers.pop(name, None)
                troubles[name] = f"does not run here: {error}"
        found = side_by_side(peers, size)
    rows = [_row(size, name, found[name], found["hardwon"]) for name in found]
    return rows + [(f"{size:,}", name, why, *[""] * 6) for name, why in troubles.items()]


def side_by_side(peers: dict[str, Peer], size: int) -> dict[str, dict[str, float]]:
    """Seconds of each operation, and megabytes; the memories take turns."""
    found = {name: {"import": peer.told("import", 0, size)[0]} for name, peer in peers.items()}
    adds: dict[str, list[float]] = {name: [] for name in peers}
    searches: dict[str, list[float]] = {name: [] for name in peers}
    for number in range(ROUNDS):
        first, asked = size + number * ADDED, size + ADDED * ROUNDS + number * ASKED
        for name, peer in peers.items():
            adds[name] += peer.told("add", first, first + ADDED)
            searches[name] += peer.told("search", asked, asked + ASKED)
    for name, peer in peers.items():
        found[name] |= {"add": median(adds[name]), "search": median(searches[name])}
        found[name] |= {"p95": at(searches[name], 0.95), "memory": peer.told("memory")[0]}
    return found


def _row(size: int, name: str, own: dict[str, float], ours: dict[str, float]) -> tuple[str, ...]:
    return (
        f"{size:,}",
        name,
        f"{own['import']:.1f} s",
        f"{own['import'] / ours['import']:.2f}",
        f"{own['add'] * 1e3:.2f} ms",
        f"{own['add'] / ours['add']:.2f}",
        f"{own['search'] * 1e3:.2f} ms",
        f"{own['search'] / ours['search']:.2f}",
        f"{own['memory']:.0f} MB",
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=SIZES)
    given = parser.parse_args()
    head = (
        "texts",
        "memory",
        "import",
        "÷ ours",
        "add p50",
        "÷ ours",
        "search p50",
        "÷ ours",
        "RSS",
    )
    rows = [row for size in given.sizes.split(",") for row in measured(int(size))]
    table("Beside other memories: the same texts and vectors, interleaved", [head, *rows])


if __name__ == "__main__":
    main()
