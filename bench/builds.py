"""This build beside another one: recall and hooks, in turns, so that noise hits both alike.

    python -m bench builds --other CHECKOUT [--lessons 10000] [--rounds 60]

CHECKOUT is a working tree of another commit with its own `.venv`. Each build fills a store of its
own and is asked by its own interpreter. Read the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import hardwon
from bench.corpus import SCOPE, TOOL, Corpus
from bench.foundation import BASE, PROMPT_WORDS
from bench.foundation import filled as filled_for_hooks
from bench.hooks import INSTALLED, events, hook
from bench.recall_speed import Questions, filled
from bench.timing import cold, interleaved, median, table

HERE = Path(__file__).resolve().parent.parent
ASKED = 20  # questions of a door in one round
BARE = "bare imports"

Job = Callable[[], object]


def recalls(agent: hardwon.Agent, asked: Questions) -> dict[str, Job]:
    """One question for each door; the error door is asked without recording a step."""

    def each(texts: list[str], ask: Callable[[str], object]) -> Job:
        endless = (text for _ in iter(int, 1) for text in texts)
        return lambda: ask(next(endless))

    return {
        "recall, turn": each(asked.prompts, agent.before_turn),
        "recall, action": each(asked.calls, lambda call: agent.before_action(TOOL, call)),
        "recall, error": each(asked.errors, lambda text: agent.explain("error", text, tool=TOOL)),
    }


def hooks(home: str, prompt: str) -> dict[str, Job]:
    """A whole hook event of each sort, in a fresh process, and one that only imports."""
    found = events(prompt, Corpus(1).text(12)).items()
    return {BARE: cold(BASE)} | {
        f"hook, {name}": hook(INSTALLED, home, event) for name, event in found
    }


def worker(lessons: int) -> None:
    """Answer each line of input with the seconds of one round."""
    prompt = Corpus(1).text(PROMPT_WORDS)
    with (
        tempfile.TemporaryDirectory() as home,
        filled_for_hooks(home, lessons) as hw,
        hardwon.open(filled(lessons)) as store,
    ):
        hw.agent(SCOPE.agent, project=SCOPE.project).learn(prompt)  # something to say
        agent = store.agent(SCOPE.agent, project=SCOPE.project)
        asking, starting = recalls(agent, Questions(lessons)), hooks(home, prompt)
        interleaved(asking, rounds=20)
        interleaved(starting, rounds=2)
        print("ready", flush=True)
        for _ in sys.stdin:
            taken = interleaved(asking, rounds=ASKED) | interleaved(starting, rounds=1)
            print(json.dumps(taken), flush=True)


class Build:
    """A checkout whose worker answers round by round."""

    def __init__(self, folder: Path, lessons: int) -> None:
        environ = os.environ | {"PYTHONPATH": f"{folder / 'src'}:{folder}"}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        code = [str(folder / ".venv/bin/python"), __file__, "--worker", str(lessons)]
        self._process = subprocess.Popen(
            code, cwd=folder, env=environ, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.seconds: dict[str, list[float]] = {}

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def ready(self) -> None:
        """Wait until its stores are filled."""
        if self._line().strip() != "ready":
            raise SystemExit("a build did not start")

    def round(self) -> None:
        """Ask for the seconds of one round."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        for name, taken in json.loads(self._line()).items():
            self.seconds.setdefault(name, []).extend(taken)

    def close(self) -> None:
        """End the worker."""
        self._process.communicate()


def compared(other: Path, lessons: int, rounds: int) -> list[tuple[str, ...]]:
    """The rows of the table."""
    ours, theirs = builds = [Build(folder, lessons) for folder in (HERE, other)]
    for build in builds:
        build.ready()
    for _ in range(rounds):
        for build in builds:
            build.round()
    for build in builds:
        build.close()
    rows: list[tuple[str, ...]] = []
    for name in ours.seconds:
        new, old = median(ours.seconds[name]), median(theirs.seconds[name])
        bare = [median(build.seconds[BARE]) for build in builds]
        starts = f"{new / bare[0]:.2f} / {old / bare[1]:.2f}" if name.startswith("hook") else ""
        rows.append((name, f"{new * 1e3:.2f}", f"{old * 1e3:.2f}", f"{new / old:.2f}", starts))
    return rows


def main() -> None:
    """Print the table, where another build is named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--other", type=Path)
    parser.add_argument("--lessons", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--worker", type=int)
    given, _ = parser.parse_known_args()
    if given.worker:
        worker(given.worker)
    elif given.other is None:
        print("name a checkout of another commit: --other FOLDER")
    else:
        rows = compared(given.other.resolve(), given.lessons, given.rounds)
        head = (
            "median",
            "this build, ms",
            "the other, ms",
            "ratio",
            "÷ bare imports, this / other",
        )
        table(f"Two builds, {given.lessons:,} lessons, {given.rounds} rounds", [head, *rows])


if __name__ == "__main__":
    main()
