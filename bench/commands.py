"""What short commands cost beside a program that only uses click: `python -m bench commands`.

Processor time of the whole process, medians of interleaved rounds, with lessons in store.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from bench.corpus import Corpus
from bench.internals import opened
from bench.timing import median, table

ROUNDS = 15
_CLICK = "import click; click.Command('x', callback=lambda: None).main([], standalone_mode=False)"


def main() -> None:
    """Print a row for each command."""
    options = argparse.ArgumentParser()
    options.add_argument("--lessons", type=int, default=10_000)
    count = options.parse_known_args()[0].lessons
    program = str(Path(sys.executable).with_name("hardwon"))
    commands = {
        "click only": [sys.executable, "-c", _CLICK],
        "--version": [program, "--version"],
        "lesson list": [program, "lesson", "list"],
        "status": [program, "status"],
    }
    with tempfile.TemporaryDirectory() as home:
        with opened(home) as hw, hw.runtime.store.together():
            for lesson in Corpus(count).lessons(count):
                hw.runtime.store.lessons.add(lesson)
        spent: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                spent[name].append(_spend(command, home))
    base = median(spent["click only"])
    rows = [
        (name, f"{1e3 * median(times):.0f}", f"{median(times) / base:.1f}")
        for name, times in spent.items()
    ]
    table(f"{count:,} lessons in store", [("command", "ms of CPU", "÷ click only"), *rows])


def _spend(command: list[str], home: str) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    environ = os.environ | {"HARDWON_HOME": home}
    subprocess.run(command, env=environ, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
