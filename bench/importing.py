"""What importing a pack costs a lesson: screened, compared with all others and indexed.

python -m bench importing [--lessons 10000]

Then lessons are added one by one beside them, as the agent's own program does it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import hardwon
from bench.corpus import SCOPE, Corpus
from bench.timing import at, median, table
from hardwon.core.values.lesson_formats import to_lines

ADDED = 600


def main() -> None:
    """Print a row for a pack that somebody vouches for, and for one that waits."""
    options = argparse.ArgumentParser()
    options.add_argument("--lessons", type=int, default=10_000)
    count = options.parse_known_args()[0].lessons
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder, "pack.jsonl")
        pack.write_text(to_lines(list(Corpus(count).lessons(count))), encoding="utf-8")
        rows = [_imported(pack, trust=trust) for trust in (True, False)]
        added = _added(pack, count)
    table(f"Importing {count:,} lessons", [("pack", "ms of CPU a lesson"), *rows])
    row = (f"{median(added):.2f}", f"{at(added, 0.99):.2f}", f"{max(added):.0f}")
    table(f"Adding {ADDED} more, ms of CPU", [("p50", "p99", "at most"), row])


def _added(pack: Path, count: int) -> list[float]:
    """Milliseconds of the processor for each of the lessons that are added to a pack."""
    spent = []
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        lessons = hw.agent(SCOPE.agent, project=SCOPE.project).lessons
        lessons.import_from(str(pack), trust=True)
        for lesson in list(Corpus(count + ADDED).lessons(count + ADDED))[count:]:
            began = time.process_time()
            lessons.add(lesson.situation[:120], lesson.correction)
            spent.append(1e3 * (time.process_time() - began))
    return spent


def _imported(pack: Path, *, trust: bool) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        lessons = hw.agent(SCOPE.agent, project=SCOPE.project).lessons
        began = time.process_time()
        count = len(lessons.import_from(str(pack), trust=trust))
        spent = time.process_time() - began
    return ("with --trust" if trust else "without", f"{spent / count * 1e3:.2f}")
