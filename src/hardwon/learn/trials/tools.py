"""Read what verifiers print: errors with their places, and counts.

A tool is known by its command or, behind `npm test` and `make check`, by its output. A few general
forms are enough to read them all: lines that name a file and a line, messages above an arrow with
the place, blocks about failed tests, JSON and JUnit XML.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.reading.error_line import error_line
from hardwon.learn.trials.diagnostics import (
    ESLINT,
    GO,
    MOST_ERRORS,
    RUFF,
    RUST,
    SYNTAX,
    TSC,
    TYPED,
    WIDE,
    ToolReport,
    as_int,
    document,
    error,
    from_json,
    matches,
    placed,
)
from hardwon.learn.trials.failed_tests import (
    CARGO,
    JEST,
    UNITTEST,
    VITEST,
    TestForm,
    failed_tests,
    go_tests,
    junit,
    pytest_errors,
)
from hardwon.learn.trials.values import (
    ErrorType,
    StructuredError,
    VerificationMetrics,
    VerificationType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


class Tool(NamedTuple):
    """A known tool: its kind of verification, how to recognize it, and what it prints."""

    name: str
    kind: VerificationType
    command: str = r"(?!)"
    printed: str = r"(?!)"  # output that only that tool prints
    lines: tuple[str, ...] = ()  # forms of a line with an error
    tests: TestForm | None = None
    counted: str = ""  # the line that counts the tests
    parser: Callable[[str, Tool], ToolReport] | None = None

    def parse(self, text: str) -> ToolReport:
        """The errors and counts in the output of the tool."""
        if self.parser is not None:
            report = self.parser(text, self)
            return report._replace(metrics=_counts(text, self)) if self.counted else report
        errors = from_json(document(text), self)
        errors = errors or [*placed(text, self), *failed_tests(text, self)]
        is_run = self.kind == "unit_tests"
        metrics = _counts(text, self) if is_run else _problems(text, errors, self)
        return ToolReport(tuple(errors[:MOST_ERRORS]), metrics)


def _counts(text: str, tool: Tool) -> VerificationMetrics:
    """The tests that passed and failed, and the coverage; absent if nothing was counted."""
    parsed = document(text)
    if isinstance(parsed, dict) and "numFailedTests" in parsed:
        good, bad = as_int(parsed.get("numPassedTests")), as_int(parsed["numFailedTests"])
        return VerificationMetrics(good, bad, good + bad)
    if ran := re.search(r"(?m)^Ran (\d{1,9}) tests? in ", text):
        bad = sum(map(int, re.findall(r"(?:failures|errors)=(\d{1,9})", text[ran.end() :][:500])))
        good = max(0, int(ran[1]) - bad)
        return VerificationMetrics(good, bad, good + bad)
    rows = [line[:400] for line in text.splitlines() if re.search(tool.counted, line[:400])]
    count: Counter[str] = Counter()
    for row in rows if tool.lines is RUST else rows[-1:]:
        pairs = re.findall(r"(\d{1,9}) (passed|failed|error|xfailed)", row)
        count.update({word: int(number) for number, word in pairs})
    good, bad = count["passed"] + count["xfailed"], count["failed"] + count["error"]
    metrics = VerificationMetrics(good, bad, good + bad) if count else VerificationMetrics()
    return metrics._replace(coverage_percentage=_coverage(text))


def _coverage(text: str) -> float | None:
    """Lines covered, in the last row for all files: of pytest-cov, or of `jest --coverage`."""
    cell = r"\s{0,20}[\d.]{1,8}\s{0,20}\|"
    rows = (
        r"TOTAL\s.{0,200}?\s(\d{1,3}(?:\.\d{1,3})?)%$",
        rf"All files\s{{0,200}}\|{cell}{cell}{cell}\s{{0,20}}(\d{{1,3}}(?:\.\d{{1,4}})?)\s",
    )
    shares = [float(match[1]) for row in rows for match in matches(row, text)]
    return min(shares[-1], 100.0) if shares else None


def _problems(text: str, errors: Sequence[StructuredError], tool: Tool) -> VerificationMetrics:
    """How many problems a checker or linter found; absent if it does not say."""
    if tool.kind not in ("type_check", "lint"):
        return VerificationMetrics()
    stated = _last(r"Found (\d{1,9}) err|problems? \((\d{1,9}) err|^(\d{1,9}) errors?, \d", text)
    is_clean = "Success: no issues found" in text or "All checks passed" in text
    if stated is None and not errors and not is_clean:
        return VerificationMetrics()
    bad = max(stated or 0, sum(problem.severity == "error" for problem in errors))
    if tool.kind == "type_check":
        return VerificationMetrics(type_errors=bad)
    warned = _last(r"problems? \(\d{1,9} errors?, (\d{1,9}) warn", text) or 0
    odd = max(warned, sum(problem.severity != "error" for problem in errors))
    return VerificationMetrics(lint_errors=bad, lint_warnings=odd)


def _last(pattern: str, text: str) -> int | None:
    """The number in the last line that the pattern matches."""
    number = None
    for line in text.splitlines():
        if match := re.search(pattern, line[:500]):
            number = int(next(group for group in match.groups() if group))
    return number


# Any other tool.
_FRAME = re.compile(r'\s{1,8}File "(.{1,500})", line (\d{1,9})')
_RAISED = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Za-z_]\w{0,80}(?:: |$)")
_FOREIGN = re.compile(r"site-packages|dist-packages|/lib/python\d|<frozen ")


def _anything(text: str, tool: Tool) -> ToolReport:
    """Lines with an error, else a traceback, else the line that tells most."""
    lines = placed(text, tool)[:MOST_ERRORS]
    if any(entry.severity == "error" for entry in lines):
        return ToolReport(tuple(lines))
    main = traceback(text, tool=tool.name)
    if main is None and (line := error_line(text)):
        main = error("other", line, tool=tool.name, trace=text[-2000:])
    return ToolReport((main, *lines) if main else tuple(lines))


def traceback(text: str, *, tool: str) -> StructuredError | None:
    """The last exception and its place, in the user's own code if possible; None without one."""
    newest = deque(_exceptions(text), maxlen=1)
    if not newest:
        return None
    message, frames = newest[0]
    own = [frame for frame in frames if not _FOREIGN.search(frame[1])] or frames
    kind: ErrorType = "syntax_error" if re.match(SYNTAX, message) else "runtime_error"
    return error(kind, message, tool=tool, file=own[-1][1], line=own[-1][2], trace=text[-2000:])


def _exceptions(text: str) -> Iterator[tuple[str, list[re.Match[str]]]]:
    """Every exception with its frames: the first line that is not indented below some frames."""
    frames: list[re.Match[str]] = []
    for line in text.splitlines():
        if frame := _FRAME.match(line[:WIDE]):
            frames.append(frame)
        elif frames and line[:1].strip():
            if _RAISED.match(line[:WIDE]):
                yield line, frames
            frames = []


# The first tool whose command matches counts.
_CARGO_COMMAND = r"cargo (?:\+\S+ )?"
_JEST_COUNT = r"^\s{0,8}Tests:?\s"
KNOWN = (
    Tool("pytest", "unit_tests", r"pytest|py\.test",
         r"^=+ .{0,80}(?:short test summary|test session starts)|^(?:FAILED|ERROR) \S+\.py\b"
         r"|^\d+ (?:passed|failed)\b.{0,80} in [\d.]+s",
         counted=r"\d (?:passed|failed|error|xfailed|xpassed|skipped).* in \d[\d.]{0,12}s\b",
         parser=pytest_errors),
    Tool("unittest", "unit_tests", r"-m unittest|manage\.py test", r"^Ran \d+ tests? in ",
         tests=UNITTEST, counted=r"(?!)"),
    Tool("mypy", "type_check", r"d?mypy",
         r"^Found \d+ errors? in \d+ files? \(|^Success: no issues found in ", (TYPED,)),
    Tool("pyright", "type_check", r"(?:based)?pyright",
         r"^\d+ errors?, \d+ warnings?, \d+ info|^\s*\"generalDiagnostics\": \[", (TYPED,)),
    Tool("ruff", "lint", r"ruff|flake8|pycodestyle",
         r"^\S+\.py:\d+:\d+: [A-Z]{1,5}\d{1,5} |^ +--> \S+\.py:\d+:\d+$|^ +\"noqa_row\": ", RUFF),
    Tool("tsc", "type_check", r"(?:vue-)?tsc", r"\berror TS\d+: ", (TYPED, *TSC)),
    Tool("eslint", "lint", r"eslint|markdownlint", r"^✖ \d+ problems? \(|^\[\{\"filePath\":",
         ESLINT),
    Tool("jest", "unit_tests", r"jest", r"^Tests: +.{0,80}\d+ total|^\{\"numFailedTestSuites\":",
         (r"\s{0,4}(?:Jest|ERROR): (?P<message>.{0,200}(?P<rule>coverage) .{0,200}threshold.*)",),
         JEST, _JEST_COUNT),
    Tool("vitest", "unit_tests", r"vitest", r"^ +Tests +.{0,80}\(\d+\)", (), VITEST, _JEST_COUNT),
    Tool("go test", "unit_tests", r"go test",
         r"^(?:--- FAIL: |FAIL\t|ok  \t)|^\{\"Time\":.{0,80}\"Action\":", GO, parser=go_tests),
    Tool("go build", "compilation", r"go (?:build|vet)", lines=GO),
    Tool("cargo test", "unit_tests", rf"{_CARGO_COMMAND}(?:nextest|test)", r"^test result: ",
         RUST, CARGO, r"^test result: "),
    Tool("cargo clippy", "lint", rf"{_CARGO_COMMAND}clippy", lines=RUST),
    Tool("cargo build", "compilation", rf"{_CARGO_COMMAND}(?:build|check)|rustc",
         r"^error(?:\[E\d+\])?: could not compile", RUST),
    Tool("junit", "unit_tests", printed=r"<testsuites?\b", parser=junit),
)  # fmt: skip
_COMPILERS = r"(?:gcc|g\+\+|clang|cc|make|cmake|ninja|javac|mvn|gradle|dotnet)"
_NAMED = r"(?:^|[\s/;&|({])(?:{0})(?=$|[\s;&|)])"


def tool_of(command: str, output: str = "") -> Tool:
    """The tool behind a command."""
    short = command[:WIDE]
    for tool in KNOWN:
        if re.search(_NAMED.replace("{0}", tool.command), short):
            return tool
    for tool in KNOWN:
        if re.search(tool.printed, output, re.MULTILINE):
            return tool
    is_compiler = re.search(_NAMED.replace("{0}", _COMPILERS), short)
    name = (short.split() or ["command"])[0].rsplit("/", 1)[-1][:60]
    kind: VerificationType = "compilation" if is_compiler else "heuristic"
    return Tool(name, kind, lines=(TYPED,), parser=_anything)
