"""Which tests run which lines, so that a mutant is tried by few of them, the quickest first."""

from __future__ import annotations

import ast
import json
import sys
import threading
from collections.abc import Generator, Iterable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

from tests.mutation.mutants import Mutant, source


class Reach(NamedTuple):
    """What one test ran: its seconds, whether it started a process, and lines by file."""

    seconds: float
    has_children: bool
    lines: dict[str, set[int]]


_STARTS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.spawn"}  # audit events


class Tracer:
    """A plugin of pytest that writes down the lines of some files that each test runs."""

    def __init__(self, folder: Path, files: Iterable[str], out: Path) -> None:
        self._names = {str(folder / file): file for file in files}
        self._out = out
        self._seconds: dict[str, float] = {}
        self._ran: dict[str, dict[str, set[int]]] = {}
        self._now: dict[str, set[int]] = {}
        self._test = ""
        self._parents: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Trace one test with its fixtures."""
        if not self._test:
            sys.addaudithook(self._heard)
        self._test = item.nodeid
        self._now = self._ran[item.nodeid] = {}
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up how long a test takes."""
        spent = self._seconds.get(report.nodeid, 0.0)
        self._seconds[report.nodeid] = spent + report.duration

    def pytest_sessionfinish(self) -> None:
        """Write what was seen."""
        found = {
            test: [
                self._seconds.get(test, 0.0),
                test in self._parents,
                {file: sorted(ran[file]) for file in ran},
            ]
            for test, ran in self._ran.items()
        }
        self._out.write_text(json.dumps(found))

    def _heard(self, event: str, _: tuple[object, ...]) -> None:
        if event in _STARTS:
            self._parents.add(self._test)

    def _called(self, frame: FrameType, event: str, value: object) -> Any:
        file = self._names.get(frame.f_code.co_filename)
        if file is None or frame.f_code.co_name == "<module>":
            return None
        lines = self._now.setdefault(file, set())

        def ran(frame: FrameType, event: str, value: object) -> Any:
            lines.add(frame.f_lineno)
            return ran

        return ran


def read(path: Path) -> dict[str, Reach]:
    """What a tracer wrote."""
    return {
        test: Reach(seconds, has_children, {file: set(lines) for file, lines in ran.items()})
        for test, (seconds, has_children, ran) in json.loads(path.read_text()).items()
    }


def chosen(mutant: Mutant, reached: dict[str, Reach]) -> list[str]:
    """The tests that run a mutant's statement, quickest first, then those whose processes may.

    The tests of its module come last: they may look at a constant, or at what a cache remembers.
    None when no test is known to run it: then any may.
    """
    lines = _statement(mutant)
    own = {test: ran.lines.get(mutant.file, set()) for test, ran in reached.items()}
    runs = [test for test, ran in own.items() if (ran if lines is None else ran & lines)]
    if not runs:
        return []
    named = f"/test_{Path(mutant.file).stem}.py::"
    others = [
        test
        for test in reached
        if test not in runs and (reached[test].has_children or named in test)
    ]
    by_seconds = [sorted(tests, key=lambda test: reached[test].seconds) for tests in (runs, others)]
    return [*by_seconds[0], *by_seconds[1]]


def _statement(mutant: Mutant) -> set[int] | None:
    """The lines of the smallest statement around a mutant; None when it runs at import."""
    text = source(mutant.file)
    first = 1 + text.count("\n", 0, mutant.at + _indent(mutant.old))
    last = 1 + text.count("\n", 0, mutant.at + len(mutant.old.rstrip()))
    best: set[int] | None = None
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in ast.walk(function):
                span = _header(statement)
                if first in span and (best is None or len(span) < len(best)):
                    best = span
    return None if best is None else best | set(range(first, last + 1))


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _header(node: ast.AST) -> set[int]:
    """The lines of a statement without those of the statements in it."""
    if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return set()
    body = getattr(node, "body", None)
    end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return set(range(node.lineno, max(end, node.lineno) + 1))
