"""A copy of the sources, and pytest in a forked process on it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import sys
import sysconfig
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis  # noqa: F401  (imported once here, not by every forked process)
import pytest

from tests.mutation.mutants import ROOT, Mutant

_OPTIONS = (
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:randomly",
    "-p",
    "no:xdist",
    "--assert=plain",
)
_FORK = multiprocessing.get_context("fork")
TIMEOUT = "(it did not end)"


class Sandbox:
    """Tries changes of the sources without touching them."""

    def __init__(self, place: Path) -> None:
        self.copy = place / "copy"
        self._said = place / "said"
        for name in ("src", "tests", "bench", "docs", "packages", "examples"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, self.copy / name, ignore=ignored)
        for file in ROOT.glob("*.*"):
            if file.is_file():
                shutil.copy(file, self.copy)
        self._python = _interpreter(place / "venv", self.copy)

    @contextlib.contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        """The copy with one mutant in it."""
        path = self.copy / "src" / "hardwon" / mutant.file
        right = path.read_text()
        _write(path, mutant.applied(right))
        try:
            yield
        finally:
            _write(path, right)

    def failing(
        self, tests: Sequence[str], only: Sequence[str] = (), *, plugin: object = None, limit: float
    ) -> str:
        """The first test that fails, among those of some files; nothing when all pass."""
        self._said.write_text("")
        files = list(dict.fromkeys(test.partition("::")[0] for test in only or tests))
        plugins = [_Watcher(only, self._said), *([plugin] if plugin else [])]
        process = _FORK.Process(target=_run, args=(self.copy, self._python, files, plugins))
        process.start()
        process.join(limit)
        if process.is_alive():
            process.kill()
            process.join()
            return TIMEOUT
        return self._said.read_text() or ("(an error)" if process.exitcode else "")


class _Watcher:
    """Keeps to the chosen tests in their order, and notes the first that fails."""

    def __init__(self, only: Sequence[str], said: Path) -> None:
        self._rank = {test: place for place, test in enumerate(only)}
        self._said = said

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if self._rank:
            items[:] = sorted(
                (item for item in items if item.nodeid in self._rank),
                key=lambda item: self._rank[item.nodeid],
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self._said.read_text():
            self._said.write_text(report.nodeid)


def _interpreter(place: Path, copy: Path) -> Path:
    """A Python that finds the copy first, also with `-I`: for processes that tests start."""
    venv.create(place, symlinks=True)
    python, own = place / "bin" / "python", Path(sys.executable)
    packages = next(place.glob("lib/python*/site-packages"))
    installed = sysconfig.get_path("purelib")
    found = [copy / "src", *copy.glob("packages/*/src")]
    lines = [*map(str, found), f"import site; site.addsitedir({installed!r})"]
    (packages / "copy.pth").write_text("\n".join(lines))
    script = own.with_name("hardwon").read_text().replace(str(own), str(python), 1)
    (place / "bin" / "hardwon").write_text(script)
    (place / "bin" / "hardwon").chmod(0o755)
    return python


def _run(copy: Path, python: Path, files: list[str], plugins: list[Any]) -> None:
    """In the forked process: the copy's own modules, no output, pytest's exit code."""
    os.setpgid(0, 0)
    os.chdir(copy)
    sys.executable = str(python)
    multiprocessing.set_executable(str(python))
    os.environ["PYTHONPATH"] = str(copy / "src")
    sys.path[:] = [str(copy), str(copy / "src"), *(path for path in sys.path if path)]
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    raise SystemExit(int(pytest.main([*_OPTIONS, *files], plugins=plugins)))


def _write(path: Path, text: str) -> None:
    """Change a module; its byte code goes, for two texts of one second may look the same."""
    path.write_text(text)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()
