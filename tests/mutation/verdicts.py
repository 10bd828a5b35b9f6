"""What earlier runs found: a mutant is tried again only after its file or its tests changed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.mutation.mutants import ROOT, Mutant, source

FILE = ROOT / ".mutants.json"


class Verdicts:
    """For each mutated file: the test that noticed it, or the tests that did not."""

    def __init__(self, *, is_new: bool = False) -> None:
        is_there = FILE.exists() and not is_new
        self._known: dict[str, list[str]] = json.loads(FILE.read_text()) if is_there else {}

    def find(self, mutant: Mutant) -> str | None:
        """The test that noticed it, nothing when none did; None when that is not known."""
        noticed, tests = self._known.get(_digest(mutant.file, _mutated(mutant)), (None, ""))
        return noticed if noticed or tests == _tests(mutant) else None

    def add(self, mutant: Mutant, noticed: str) -> None:
        """Keep a verdict at once: a long run may be ended at any time."""
        self._known[_digest(mutant.file, _mutated(mutant))] = [noticed, _tests(mutant)]
        FILE.write_text(json.dumps(self._known, indent=1))


def _mutated(mutant: Mutant) -> str:
    return mutant.applied(source(mutant.file))


def _tests(mutant: Mutant) -> str:
    files = [path for test in mutant.tests for path in _modules(ROOT / test)]
    return _digest(*(path.read_text() for path in files))


def _modules(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=12).hexdigest()
