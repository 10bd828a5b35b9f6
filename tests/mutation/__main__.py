"""Runs the tests against small wrong changes: `make mutants`, or with some files' names.

Every mutant is tried in a copy of the sources. One that no test of its group fails survives.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("mutants.toml")
_LONGEST = 600.0  # seconds; a mutant that never ends is noticed, too
_PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly")


class Mutant(NamedTuple):
    """One wrong change, and the tests that should notice it."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}: {self.old.strip()!r} -> {self.new.strip()!r}"


def listed() -> Iterator[Mutant]:
    """All mutants of the list."""
    for group in tomllib.loads(LIST.read_text())["group"]:
        for old, new in group["mutants"]:
            yield Mutant(group["file"], old, new, tuple(group["tests"]))


def main(names: list[str]) -> int:
    """Try the mutants whose file has one of the names; how many survived."""
    named = [one for one in listed() if not names or any(name in one.file for name in names)]
    chosen = [one for one in named if _is_fitting(one)]
    with tempfile.TemporaryDirectory() as place:
        copy = _copied(Path(place))
        _ensure_green(copy, {test for one in chosen for test in one.tests})
        survivors = [one for one in chosen if not _is_killed(one, copy)]
    print(f"{len(chosen)} run, {len(chosen) - len(survivors)} killed")
    for one in survivors:
        print("survived", one)
    return len(survivors)


def _copied(place: Path) -> Path:
    copy = place / "copy"
    for name in ("src", "tests", "bench", "docs", "packages", "examples"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.glob("*.*"):
        if file.is_file():
            shutil.copy(file, copy)
    return copy


def _ensure_green(copy: Path, tests: set[str]) -> None:
    """Without a change all tests have to pass; else nothing is known of any mutant."""
    if _fails(copy, tuple(sorted(tests))):
        raise SystemExit("the tests fail without any change")


def _is_killed(mutant: Mutant, copy: Path) -> bool:
    path = copy / "src" / "hardwon" / mutant.file
    right = path.read_text()
    _write(path, right.replace(mutant.old, mutant.new, 1))
    try:
        is_killed = _fails(copy, mutant.tests)
    finally:
        _write(path, right)
    print("killed  " if is_killed else "SURVIVED", mutant, flush=True)
    return is_killed


def _write(path: Path, text: str) -> None:
    """Change a module; its byte code goes, for two texts of one second may look the same."""
    path.write_text(text)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def _is_fitting(mutant: Mutant) -> bool:
    """Whether the sources still hold what the mutant changes; says so when they do not."""
    is_there = mutant.old in (ROOT / "src" / "hardwon" / mutant.file).read_text()
    if not is_there:
        print("stale   ", mutant)
    return is_there


def _fails(copy: Path, tests: tuple[str, ...]) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    command = [sys.executable, *_PYTEST, *tests]
    try:
        ran = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=_LONGEST
        )
    except subprocess.TimeoutExpired:
        return True
    return ran.returncode != 0


if __name__ == "__main__":
    raise SystemExit(1 if main(sys.argv[1:]) else 0)
