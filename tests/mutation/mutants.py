"""One wrong change of the sources, and the list of those that people wrote down."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "hardwon"
LIST = Path(__file__).with_name("mutants.toml")


class Mutant(NamedTuple):
    """One wrong change, and the tests that should notice it."""

    file: str
    at: int  # where the old text begins, in characters; -1 when the file no longer holds it
    old: str
    new: str
    tests: tuple[str, ...]

    def applied(self, text: str) -> str:
        """The file with the change in it."""
        return text[: self.at] + self.new + text[self.at + len(self.old) :]

    def __str__(self) -> str:
        return f"{self._place}: {self.old.strip()!r} -> {self.new.strip()!r}"

    @property
    def _place(self) -> str:
        """The file, and the changed line as it reads then."""
        if self.at < 0:
            return self.file
        text = source(self.file)
        line = self.applied(text)[text.rfind("\n", 0, self.at) + 1 :].split("\n", 1)[0]
        return f"{self.file}:{1 + text.count(chr(10), 0, self.at)} `{line.strip()}`"


def listed() -> Iterator[Mutant]:
    """All mutants of the list."""
    for group in _rows("group"):
        text = source(group["file"])
        for old, new in group["mutants"]:
            yield Mutant(group["file"], text.find(old), old, new, tuple(group["tests"]))


def near_tests(file: str) -> tuple[str, ...]:
    """The tests that try a made mutant: those near its package, in the list, or of its name."""
    for row in _rows("near"):
        if file.startswith(tuple(row["files"])):
            return tuple(row["tests"])
    named = [group["tests"] for group in _rows("group") if group["file"] == file]
    return tuple(named[0]) if named else (_mirror(Path(file)),)


def own_tests(file: str) -> tuple[str, ...]:
    """The test files of a module's name, or of its folder's: beside it, or in the contract."""
    path = Path(file)
    named = [path.parent / f"test_{path.stem}.py"]
    if len(path.parts) > 2:
        named += [Path("contract") / named[0].name]
        named += [path.parent.parent / f"test_{path.parent.name}.py"]
    return tuple(str(test) for name in named if (ROOT / (test := Path("tests") / name)).exists())


def source(file: str) -> str:
    """The text of a module below src/hardwon."""
    return (SOURCES / file).read_text()


def _rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(LIST.read_text())[name]
    return found


def _mirror(file: Path) -> str:
    own = Path("tests") / file.parent / f"test_{file.stem}.py"
    folders = [
        Path("tests") / file.with_suffix(""),
        own,
        *(own.parents if file.parent.name else ()),
    ]
    return next(str(place) for place in folders if (ROOT / place).exists())
