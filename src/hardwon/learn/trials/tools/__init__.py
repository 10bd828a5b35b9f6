"""Known tools: how to recognize each, its kind of verification, and its parser.

A tool is recognized by its command or, behind `npm test` and `make check`, by its output.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon.learn.trials.tools import (
    anything,
    eslint,
    golang,
    jest,
    junit,
    pytests,
    pytypes,
    ruff,
    rust,
    typescript,
    unittests,
)
from hardwon.learn.trials.values import VerificationType

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.learn.trials.tools.report import ToolReport


class Tool(NamedTuple):
    """One known tool: its kind of verification, and how to read it."""

    name: str
    kind: VerificationType
    command: str
    parse: Callable[[str], ToolReport]


# The first tool whose command matches counts.
KNOWN = (
    Tool("pytest", "unit_tests", r"pytest|py\.test", pytests.parse),
    Tool("unittest", "unit_tests", r"-m unittest|manage\.py test", unittests.parse),
    Tool("mypy", "type_check", r"d?mypy", pytypes.mypy),
    Tool("pyright", "type_check", r"(?:based)?pyright", pytypes.pyright),
    Tool("ruff", "lint", r"ruff|flake8|pycodestyle", ruff.parse),
    Tool("tsc", "type_check", r"(?:vue-)?tsc", typescript.parse),
    Tool("eslint", "lint", r"eslint|markdownlint", eslint.parse),
    Tool("jest", "unit_tests", r"jest", jest.parse),
    Tool("vitest", "unit_tests", r"vitest", jest.parse),
    Tool("go test", "unit_tests", r"go test", golang.parse),
    Tool("go build", "compilation", r"go (?:build|vet)", golang.parse),
    Tool("cargo test", "unit_tests", r"cargo (?:\+\S+ )?(?:nextest|test)", rust.parse),
    Tool("cargo clippy", "lint", r"cargo (?:\+\S+ )?clippy", rust.parse),
    Tool("cargo build", "compilation", r"cargo (?:\+\S+ )?(?:build|check)|rustc", rust.parse),
    Tool("junit", "unit_tests", r"(?!)", junit.parse),
)
# Output that only that tool prints.
_PRINTED = {
    "pytest": r"^=+ .{0,80}(?:short test summary|test session starts)|^(?:FAILED|ERROR) \S+\.py\b"
    r"|^\d+ (?:passed|failed)\b.{0,80} in [\d.]+s",
    "unittest": r"^Ran \d+ tests? in ",
    "mypy": r"^Found \d+ errors? in \d+ files? \(|^Success: no issues found in ",
    "pyright": r"^\d+ errors?, \d+ warnings?, \d+ info|^\s*\"generalDiagnostics\": \[",
    "ruff": r"^\S+\.py:\d+:\d+: [A-Z]{1,5}\d{1,5} |^ +--> \S+\.py:\d+:\d+$|^ +\"noqa_row\": ",
    "tsc": r"\berror TS\d+: ",
    "eslint": r"^✖ \d+ problems? \(|^\[\{\"filePath\":",
    "jest": r"^Tests: +.{0,80}\d+ total|^\{\"numFailedTestSuites\":",
    "vitest": r"^ +Tests +.{0,80}\(\d+\)",
    "go test": r"^(?:--- FAIL: |FAIL\t|ok  \t)|^\{\"Time\":.{0,80}\"Action\":",
    "cargo test": r"^test result: ",
    "cargo build": r"^error(?:\[E\d+\])?: could not compile",
    "junit": r"<testsuites?\b",
}
_COMPILERS = r"(?:gcc|g\+\+|clang|cc|make|cmake|ninja|javac|mvn|gradle|dotnet)"
_NAMED = r"(?:^|[\s/;&|({])(?:{0})(?=$|[\s;&|)])"


def tool_of(command: str, output: str = "") -> Tool:
    """The tool behind a command."""
    short = command[:2000]
    for tool in KNOWN:
        if re.search(_NAMED.replace("{0}", tool.command), short):
            return tool
    for tool in KNOWN:
        if tool.name in _PRINTED and re.search(_PRINTED[tool.name], output, re.MULTILINE):
            return tool
    return _unknown(short)


def _unknown(command: str) -> Tool:
    compiler = re.search(_NAMED.replace("{0}", _COMPILERS), command)
    name = (command.split() or ["command"])[0].rsplit("/", 1)[-1][:60]
    kind: VerificationType = "compilation" if compiler else "heuristic"
    return Tool(name, kind, "", lambda text: anything.parse(text, tool=name))
