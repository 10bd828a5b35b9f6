"""What a loop costs besides its actor and its verifiers."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

import hardwon
from hardwon.learn.trials import summary
from hardwon.learn.trials.files import Folder

TRIALS = 20


def stored(home: Path, count: int) -> None:
    """A home with so many loops of three trials each."""
    with hardwon.open(home) as hw:
        answers = iter(["no", "not yet", True])
        hw.agent("a").trials(
            "fix bug 0", actor=lambda p: "x", evaluate=lambda s: next(answers), loop_id="loop-0"
        )
    first = home / "loops" / "loop-0"
    for number in range(1, count):
        copy = home / "loops" / f"loop-{number}"
        shutil.copytree(first, copy, ignore=shutil.ignore_patterns("trials", "lock"))
        for path in copy.glob("*.json*"):
            path.write_text(path.read_text().replace("loop-0", f"loop-{number}"))
        folder = Folder(str(home / "loops"), f"loop-{number}")
        told = json.loads((copy / "summary.json").read_text())
        told["stamp"] = summary._stamp(folder)
        (copy / "summary.json").write_text(json.dumps(told))


def a_trial(home: Path) -> float:
    """Milliseconds of the loop's own for one failed trial: the median of several."""
    moments: list[float] = []

    def evaluate(answer: str) -> str:
        moments.append(time.perf_counter())
        return f"error: {len(moments)} things are wrong, {'abcdefgh'[len(moments) % 8]}"

    with hardwon.open(home) as hw:
        hw.agent("a").trials(
            "another task", actor=lambda p: "x", evaluate=evaluate, max_trials=TRIALS,
            repeats=0, patience=0,
        )  # fmt: skip
    spans = sorted(b - a for a, b in zip(moments, moments[1:], strict=False))
    return spans[len(spans) // 2] * 1000


@pytest.mark.bench
def test_the_loops_own_cost_of_a_trial(tmp_path: Path) -> None:
    for count, limit in ((100, 30), (10_000, 60)):
        home = tmp_path / str(count)
        stored(home, count)
        cost = a_trial(home)
        print(f"\nA trial costs {cost:.1f} ms at {count:,} stored loops (limit {limit} ms)")
        assert cost < limit * 5  # a loaded machine is slow; the printed figure is the result
    began = time.perf_counter()
    with hardwon.open(home) as hw:
        found = hw.agent("a").loops.analyze()
    took = time.perf_counter() - began
    print(f"Analysing {found.loops:,} loops takes {took:.1f} s (limit 5 s)")
    assert found.loops > 10_000


def test_the_cost_does_not_grow_with_what_is_stored(tmp_path: Path) -> None:
    stored(tmp_path / "home", 30)

    assert a_trial(tmp_path / "home") > 0
    with hardwon.open(tmp_path / "home") as hw:
        assert hw.agent("a").loops.analyze().loops == 31
