"""Measuring on a noisy machine: interleave, repeat, compare medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def interleaved(jobs: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, list[float]]:
    """Seconds of every job in every round; the jobs take turns, so noise hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            began = time.perf_counter()
            job()
            seconds[name].append(time.perf_counter() - began)
    return seconds


def cold(code: str) -> Callable[[], object]:
    """A job that runs the code in a fresh interpreter, from compiled files as when installed."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return lambda: subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, env=environment
    )


def cache() -> Path:
    """Where what takes long to make is kept: `$HARDWON_BENCH_CACHE`, else a temporary folder."""
    default = os.path.join(tempfile.gettempdir(), "hardwon-bench")
    folder = Path(os.environ.get("HARDWON_BENCH_CACHE") or default)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def at(values: list[float], share: float) -> float:
    """The value below which `share` of all values lie."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def table(title: str, rows: Sequence[tuple[str, ...]]) -> None:
    """A table in Markdown, to be read here and pasted into the docs."""
    print(f"\n{title}\n")
    head, *rest = rows
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rest:
        print("| " + " | ".join(row) + " |")


median = statistics.median
