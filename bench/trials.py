"""What a loop of trials costs besides its actor and its verifiers."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import hardwon
from bench.timing import at, median, table

SIZES = (100, 10_000)
TRIALS = 60
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")


def fill(home: Path, count: int) -> None:
    """A home with so many loops of three trials each."""
    answers = iter(["no", "not yet", True])
    with hardwon.open(home) as hw:
        hw.agent("a").loops.run(
            "fix bug 0", actor=lambda p: "x", evaluate=lambda s: next(answers), loop_id="loop-0"
        )
    first = home / "loops" / "loop-0"
    for number in range(1, count):
        _copy(first, home / "loops" / f"loop-{number}")


def _copy(first: Path, copy: Path) -> None:
    shutil.copytree(first, copy, ignore=shutil.ignore_patterns("trials", "lock"))
    for path in copy.glob("*.json*"):
        path.write_text(path.read_text().replace("loop-0", copy.name))


def trials(home: Path, **options: Any) -> list[float]:
    """Seconds from one attempt to the next; the actor and the judge take no time themselves."""
    begins: list[float] = []

    def actor(prompt: str) -> str:
        begins.append(time.perf_counter())
        return "x"

    def evaluate(answer: str) -> str:
        return f"error: {WORDS[len(begins) % len(WORDS)]} is wrong"

    with hardwon.open(home) as hw:
        hw.agent("a").loops.run(
            "another task", actor=actor, evaluate=evaluate, max_trials=TRIALS, repeats=0,
            patience=0, **options,
        )  # fmt: skip
    return [after - before for before, after in itertools.pairwise(begins)]


def shown(seconds: list[float]) -> str:
    """Median and 95th percentile in milliseconds."""
    return f"{median(seconds) * 1000:.1f} / {at(seconds, 0.95) * 1000:.1f} ms"


def measured(count: int) -> tuple[str, ...]:
    """The row of one size."""
    with tempfile.TemporaryDirectory() as place:
        home, work = Path(place) / "home", Path(place) / "work"
        work.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=work, check=True)
        for number in range(100):
            (work / f"file{number}.py").write_text(f"x = {number}\n" * 50)
        fill(home, count)
        plain, in_git = trials(home), trials(home, cwd=str(work))
        began = time.perf_counter()
        with hardwon.open(home) as hw:
            found = hw.agent("a").loops.analyze()
        took = time.perf_counter() - began
        assert found.loops == count + 2
    return f"{count:,}", shown(plain), shown(in_git), f"{took:.2f} s"


def main() -> None:
    """Print the table."""
    head = ("stored loops", "a trial (p50 / p95)", "with pictures of a git tree", "loop analyze")
    table("The loop's own cost", [head, *(measured(count) for count in SIZES)])
