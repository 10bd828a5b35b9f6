"""Read what verifiers print: errors with their places, and counts.

The forms are the same for every output: lines that name a file and a line, messages above an
arrow with the place, blocks about failed tests, JSON and JUnit XML. Which tool printed it (known by
its command or, behind `npm test` and `make check`, by its output) only says what an error means.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

from hardwon.core.text.clean import clean, clip, clip_middle, one_line
from hardwon.core.text.protocol import documents
from hardwon.knowledge.reading.error_line import error_line
from hardwon.knowledge.reading.reports import TestCounts, count_tests, failed_tests
from hardwon.learn.trials.values import (
    ErrorType,
    Severity,
    StructuredError,
    VerificationMetrics,
    VerificationType,
)

_MOST_ERRORS, _WIDE = 200, 2000
_MESSAGE, _TRACE = 1000, 4000
_DEPTH = 8  # of JSON


Parts = dict[str, Any]  # of a complaint: its message, place, rule, level, test, trace


class ToolReport(NamedTuple):
    """Errors and counts; empty when the output was not understood."""

    errors: tuple[StructuredError, ...] = ()
    metrics: VerificationMetrics = VerificationMetrics()


class Tool(NamedTuple):
    """A tool, the kind of its verification, and how to recognize it."""

    name: str
    kind: VerificationType
    command: str = r"(?!)"
    printed: str = r"(?!)"  # output that only that tool prints


_CARGO = r"cargo (?:\+\S+ )?"
KNOWN = (  # the first tool whose command matches counts
    Tool("pytest", "unit_tests", r"pytest|py\.test",
         r"^=+ .{0,80}(?:short test summary|test session starts)|^(?:FAILED|ERROR) \S+\.py\b"
         r"|^\d+ (?:passed|failed)\b.{0,80} in [\d.]+s"),
    Tool("unittest", "unit_tests", r"-m unittest|manage\.py test", r"^Ran \d+ tests? in "),
    Tool("mypy", "type_check", r"d?mypy",
         r"^Found \d+ errors? in \d+ files? \(|^Success: no issues found in "),
    Tool("pyright", "type_check", r"(?:based)?pyright",
         r"^\d+ errors?, \d+ warnings?, \d+ info|^\s*\"generalDiagnostics\": \["),
    Tool("ruff", "lint", r"ruff|flake8|pycodestyle",
         r"^\S+\.py:\d+:\d+: [A-Z]{1,5}\d{1,5} |^ +--> \S+\.py:\d+:\d+$|^ +\"noqa_row\": "),
    Tool("tsc", "type_check", r"(?:vue-)?tsc", r"\berror TS\d+: "),
    Tool("eslint", "lint", r"eslint|markdownlint", r"^✖ \d+ problems? \(|^\[\{\"filePath\":"),
    Tool("jest", "unit_tests", r"jest", r"^Tests: +.{0,80}\d+ total|^\{\"numFailedTestSuites\":"),
    Tool("vitest", "unit_tests", r"vitest", r"^ +Tests +.{0,80}\(\d+\)"),
    Tool("go test", "unit_tests", r"go test",
         r"^(?:--- FAIL: |FAIL\t|ok  \t)|^\{\"Time\":.{0,80}\"Action\":"),
    Tool("go build", "compilation", r"go (?:build|vet)"),
    Tool("cargo test", "unit_tests", rf"{_CARGO}(?:nextest|test)", r"^test result: "),
    Tool("cargo clippy", "lint", rf"{_CARGO}clippy"),
    Tool("cargo build", "compilation", rf"{_CARGO}(?:build|check)|rustc",
         r"^error(?:\[E\d+\])?: could not compile"),
    Tool("junit", "unit_tests", printed=r"<testsuites?\b"),
)  # fmt: skip
_COMPILERS = r"(?:gcc|g\+\+|clang|cc|make|cmake|ninja|javac|mvn|gradle|dotnet)"
_COMMAND = r"(?:^|[\s/;&|({])(?:%s)(?=$|[\s;&|)])"


def tool_of(command: str, output: str = "") -> Tool:
    """The tool behind a command."""
    short = command[:_WIDE]
    for tool in KNOWN:
        if re.search(_COMMAND % tool.command, short):
            return tool
    for tool in KNOWN:
        if re.search(tool.printed, output, re.MULTILINE):
            return tool
    name = (short.split() or ["command"])[0].rsplit("/", 1)[-1][:60]
    return Tool(name, "compilation" if re.search(_COMMAND % _COMPILERS, short) else "heuristic")


def read_report(text: str, tool: Tool) -> ToolReport:
    """The errors and counts in the output of a tool."""
    if "<testsuite" in text and (written := read_junit(text)).metrics.tests_total:
        return written
    document = next(filter(None, documents(text, r"(?m)^[\[{]")), None)
    found = list(itertools.islice(_in_json(document), _MOST_ERRORS))
    if '"Action":' in text[:_WIDE]:
        text = _event_outputs(text)
    found = found or [*_complaints(text), *_failed_tests(text)]
    errors = []
    for parts in found[:_MOST_ERRORS]:
        rule = parts.get("rule") or parts.get("code") or parts.get("report") or ""
        errors.append(
            error(
                parts.get("kind") or _type_of(parts["message"], rule, tool),
                parts["message"],
                tool=tool.name,
                trace=parts.get("trace", ""),
                severity=_LEVELS.get(str(parts.get("level")).lower(), "error"),
                rule=rule,
                **{name: parts.get(name) for name in ("file", "line", "column", "test")},
            )
        )
    if tool.kind in ("type_check", "lint"):
        metrics = _problem_counts(text, errors, tool)
    else:
        metrics = _test_metrics(text, document)
    return ToolReport(tuple(errors), metrics)


def error(
    kind: ErrorType,
    message: str,
    *,
    tool: str,
    trace: str = "",
    severity: Severity = "error",
    **where: Any,
) -> StructuredError:
    """An error, cut to the limits of what is stored; `where`: file, line, column, rule, test."""
    file, rule, test = (where.get(name) or "" for name in ("file", "rule", "test"))
    return StructuredError(
        type=kind,
        message=one_line(message, _MESSAGE) or "(no message)",
        file=clip(file, 500) or None,
        line=_natural(where.get("line")),
        column=_natural(where.get("column")),
        stack_trace=clip_middle(clean(trace).strip(), _TRACE) if trace.strip() else None,
        severity=severity,
        rule=clip(rule, 100) or None,
        tool=tool.split(" ")[0],
        test=one_line(test, 300) or None,
    )


def _natural(value: object) -> int | None:
    """The number if it is a small natural number, else None."""
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 <= number < 1_000_000_000 else None


# Lines with an error. Every repetition is bounded, and lines are cut, so a long one costs little.
_FILE = r"(?P<file>[^\s:(][^:(]{0,400}?)"
_POINT = r"(?P<line>\d{1,9}):(?P<column>\d{1,9}):"
_WORDS = r"(?P<message>.{1,1500}?)"
_CODE = r"(?P<code>[A-Z]{1,5}\d{1,5}|invalid-syntax|SyntaxError)"
_LINES = (
    rf"\s{{0,40}}{_FILE}:(?P<line>\d{{1,9}}):(?:(?P<column>\d{{1,9}}):?)?(?:\d{{1,9}}:\d{{1,9}}:)?"
    rf" (?:- )?(?:fatal )?(?P<level>error|warning|information)(?: (?P<code>TS\d{{1,6}}))?: {_WORDS}"
    r"(?:  \[(?P<rule>[a-z0-9-]{1,60})\]| \((?P<report>report\w{1,60})\))?$",
    rf"(?:{_FILE}\((?P<line>\d{{1,9}}),(?P<column>\d{{1,9}})\): )?(?P<level>error|warning) "
    rf"(?P<code>TS\d{{1,6}}): {_WORDS}$",
    r"\s{1,10}(?P<line>\d{1,9}):(?P<column>\d{1,9})\s{1,20}(?P<level>error|warning)\s{1,20}"
    rf"{_WORDS}(?:\s{{2,40}}(?P<rule>\S{{1,100}}))?$",  # its file is the heading above
    rf"{_FILE}:{_POINT} {_WORDS} \[(?P<level>Error|Warning)(?:/(?P<rule>\S{{1,100}}))?\]$",
    rf"{_FILE}:{_POINT} {_CODE}:? (?:\[\*\] )?{_WORDS}$",
    rf"(?:vet: )?(?P<file>[^\s:][^:]{{0,300}}\.\w{{1,5}}):{_POINT} (?!note: ){_WORDS}$",
    r"(?P<message>[Ww]ould reformat):? (?P<file>.{1,500})$",
    r"(?P<message>panic: .{1,500})",
    r"\s{0,4}(?:\w{1,20}): (?P<message>.{0,200}(?P<rule>coverage) .{0,200}threshold.*)",
)
_HEADING = r"(?P<file>\S.{0,500}\.[A-Za-z]{1,5})$"  # the file of the lines below
_ARROW = rf"\s{{0,20}}--> {_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})"
_TITLE = (  # the message above an arrow
    r"(?:(?P<level>error|warning)(?:\[(?P<rule>[\w:]{1,60})\])?: "
    rf"|{_CODE}(?: \[\*\])?:? )(?P<message>.{{1,1500}})$"
)
_SYNTAX = (
    r"(?:E +)?(?:SyntaxError|IndentationError|TabError|Parsing error|invalid syntax)\b"
    r"|.{0,200}syntax error|expected (?:one of|['‘`\"])"
)
_SYNTAX_RULE = r"invalid-syntax|SyntaxError|E999|syntax|TS1\d{3}"
_LEVELS: dict[str, Severity] = {"warning": "warning", "information": "info", "1": "warning"}


def _complaints(text: str) -> list[Parts]:
    """The complaints in lines that name their place, or stand below their file or above it."""
    found: list[Parts] = []
    heading, title = "", None
    for line in text.splitlines():
        short = line[:_WIDE]
        if (arrow := re.match(_ARROW, short)) and title:
            found.append(title.groupdict() | arrow.groupdict())
            title = None
        elif fitting := next(filter(None, (re.match(form, short) for form in _LINES)), None):
            parts = fitting.groupdict()
            has_file = parts.get("file") or not parts.get("line")
            found.append(parts if has_file else {**parts, "file": heading})
        elif match := re.match(_HEADING, short):
            heading = match["file"]
        elif found and (named := re.match(r"\s.{0,400}\((report\w{1,60})\)$", short)):
            found[-1]["report"] = named[1]  # the rule may end indented lines
        elif re.match(r"\S", short):
            title = re.match(_TITLE, short)
    return found


def _type_of(message: str, rule: str, tool: Tool) -> ErrorType:
    if re.match(_SYNTAX, message) or re.fullmatch(_SYNTAX_RULE, rule):
        return "syntax_error"
    if message.startswith("panic: "):
        return "runtime_error"
    if tool.kind in ("lint", "heuristic"):
        return "lint_error" if tool.kind == "lint" else "other"
    return "type_error"


# Places in the lines about a failed test.
_OUTER_FRAME = (  # frames in which the innermost comes first
    r"(?:\s{1,20}at .{0,300}?\(?|\s{0,10}❯ )(?P<file>(?!\S*node_modules)[^\s():]{1,400}"
    r"\.[cm]?[jt]sx?):(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?"
)
_INNER_FRAMES = (
    r"thread '.{0,300}'(?: \(\d{1,12}\))? panicked at (?:'(?P<message>.{0,1000})', )?"
    r"(?P<file>[^\s:]{1,300}):(?P<line>\d{1,9}):(?P<column>\d{1,9}):?",
    r'(?:E {1,40}|  )File "(?P<file>.{1,500})", line (?P<line>\d{1,9})',
    r"(?P<file>[^\s:]{1,400}\.py):(?P<line>\d{1,9}): ",
    r"\s{1,40}(?P<file>[^\s:]{1,300}\.go):(?P<line>\d{1,9}): (?P<message>.{0,1500})$",
)


_COMPARED = r"\s{0,10}(?:Expected|Received|left|right)\b.{0,300}$"


def _failed_tests(text: str) -> Iterator[Parts]:
    """Each failed test that the output names, with what the lines about it say."""
    every = failed_tests(text, last=len(text))[:_MOST_ERRORS]
    names = [name for name in every if not any(other.endswith(f" {name}") for other in every)]
    if not names:
        return
    blocks = _blocks(text, [_title(name) for name in names])
    rows = dict(re.findall(r"(?m)^[A-Z]{4,6} (\S{1,500}) - (.{0,2000})", text))
    broken = "\n".join(re.findall(r"(?m)^[_ ]{0,150}ERROR\b.{0,500}", text))
    holders = "\n".join(["", *names])
    for name in names:
        title, inner = _title(name), re.search(r"\(([\w.]+)\)$", name)
        own = blocks.get(title, [])  # the first with a place, else the longest
        if lines := next(filter(_place, own), max(own, key=len, default=[])):
            own.remove(lines)  # the next test of this title gets another one
        place, test = _place(lines), inner[1] if inner else name
        if not place and f"\n{name}/" in holders:
            continue  # it only holds others
        compared = [line.strip() for line in lines[:60] if re.match(_COMPARED, line)]
        told = error_line("\n".join(lines))
        statement = " ".join([told, *(line for line in compared if line not in told)]).strip()
        words = rows.get(name) or place.get("message") or statement or f"{test} failed"
        is_broken = re.search(rf"(?<!\w){re.escape(title)}(?!\w)", broken)
        kind = "runtime_error" if is_broken else "test_failure"
        if re.match(_SYNTAX, words) or "SyntaxError" in "".join(lines[:8]):
            kind = "syntax_error"
        file = name.split("::")[0] if name in rows or "::" in name else ""
        named = {"kind": kind, "message": words, "trace": "\n".join(lines[:60]), "test": test}
        yield {"file": file if "." in file else "", **place, **named}


def _title(name: str) -> str:
    """The part of a name by which headers and lines name the test."""
    return name.split(" (")[0].split("::")[-1]


def _blocks(text: str, titles: Sequence[str]) -> dict[str, list[list[str]]]:
    """The lines below each line that names a failed test, up to the next one or to a rule."""
    blocks: dict[str, list[list[str]]] = {}
    longest_first = sorted(titles, key=len, reverse=True)
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    own, lines = "", list[str]()
    for line in text.splitlines():
        short = line[:_WIDE]
        found = named.search(short)
        is_header = re.match(r"[_=-]{2,150} .+ [_=-]{2,150}$", short)
        if found and (found[0] != own or is_header):
            own, lines = found[0], []
            blocks.setdefault(own, []).append(lines)
        elif re.match(r"[=-]{20,}$|=+ .{1,80} =+$", short):
            own = own if not lines else ""  # a rule below the header, or after the block
        elif own and len(lines) < _WIDE:
            lines.append(short)
    return blocks


def _place(lines: list[str]) -> dict[str, str]:
    """The place in a block, with the message beside it if there is one."""
    outer = next((m for line in lines if (m := re.match(_OUTER_FRAME, line))), None)
    inner = [m for line in lines for form in _INNER_FRAMES if (m := re.match(form, line))]
    found = outer or (inner[-1] if inner else None)
    return found.groupdict() if found else {}


def _event_outputs(text: str) -> str:
    """The output inside the events of `go test -json`, and the lines around them."""
    lines = text.splitlines(keepends=True)
    events = (
        next(documents(line), {}) if line.startswith("{") else {"Output": line} for line in lines
    )
    return "".join(str(event.get("Output") or "") for event in events)


def read_junit(text: str) -> ToolReport:
    """Every failure and error; nothing when it is not XML or would expand entities."""
    start = text.find("<?xml") if "<?xml" in text else text.find("<testsuite")
    if start < 0 or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return ToolReport()
    try:
        root = ElementTree.fromstring(text[start:].strip())
    except (ElementTree.ParseError, ValueError):
        return ToolReport()
    cases = [case for case in root.iter("testcase") if case.find("skipped") is None]
    errors = []
    for case in cases:
        problem = next((one for tag in ("failure", "error") for one in case.findall(tag)), None)
        if problem is None:
            continue
        trace = problem.text or ""
        place = re.findall(r"^([^\s:]{1,400}):(\d{1,9}): ", trace[-8000:], re.MULTILINE)
        file, line = place[-1] if place else (case.get("file"), case.get("line"))
        name = f"{case.get('classname') or ''}.{case.get('name') or ''}".strip(".")
        kind: ErrorType = "test_failure" if problem.tag == "failure" else "runtime_error"
        words = problem.get("message") or trace.strip()[:200]
        errors.append(
            error(kind, words, tool="junit", file=file, line=line, trace=trace, test=name)
        )
    count = VerificationMetrics(len(cases) - len(errors), len(errors), len(cases))
    return ToolReport(tuple(errors[:_MOST_ERRORS]), count)


def _in_json(value: Any, file: str = "", depth: int = 0) -> Iterator[Parts]:
    """Every object that has a message and a place, or is a failed test."""
    if isinstance(value, dict):
        file = _first_text(value, "filePath", "filename", "file", "name") or file
        line, column = _json_place(value)
        parts = {"file": file, "line": line, "column": column}
        if isinstance(value.get("message"), str) and line is not None:
            parts["rule"] = _first_text(value, "ruleId", "code", "rule")
            yield {**parts, "message": value["message"], "level": value.get("severity")}
        elif value.get("status") == "failed" and isinstance(value.get("failureMessages"), list):
            trace = "\n".join(map(str, value["failureMessages"]))
            parts |= {"kind": "test_failure", "test": _first_text(value, "fullName", "title")}
            yield {**parts, "message": trace.strip().split("\n")[0], "trace": trace}
    if depth < _DEPTH and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _in_json(item, file, depth + 1)


def _first_text(value: dict[str, Any], *names: str) -> str:
    return next((value[name] for name in names if isinstance(value.get(name), str)), "")


def _json_place(value: dict[str, Any]) -> tuple[int | None, int | None]:
    """The line and the column of an object; None if it has no place."""
    span = value.get("range")
    if isinstance(span, dict) and isinstance(start := span.get("start"), dict):  # counted from 0
        line, column = _natural(start.get("line")), _natural(start.get("character"))
        return (line or 0) + 1, (column or 0) + 1
    location = value.get("location")
    place = location if isinstance(location, dict) else value
    return _natural(place.get("row", place.get("line"))), _natural(place.get("column"))


def _test_metrics(text: str, document: Any) -> VerificationMetrics:
    """The tests that passed and failed, and the coverage; absent if nothing was counted."""
    counts = count_tests(text, last=len(text))
    if isinstance(document, dict) and "numFailedTests" in document:
        good, bad = (_natural(document.get(f"num{how}Tests")) or 0 for how in ("Passed", "Failed"))
        counts = TestCounts(good, bad)
    # Lines covered, in the last row for all files: of pytest-cov, or of `jest --coverage`.
    cell = r"\s{0,20}[\d.]{1,8}\s{0,20}\|"
    rows = (
        r"TOTAL\s.{0,200}?\s(\d{1,3}(?:\.\d{1,3})?)%$",
        rf"All files\s{{0,200}}\|{cell}{cell}{cell}\s{{0,20}}(\d{{1,3}}(?:\.\d{{1,4}})?)\s",
    )
    lines = [line[:_WIDE] for line in text.splitlines()]
    shares = [float(m[1]) for row in rows for line in lines if (m := re.match(row, line))]
    coverage = VerificationMetrics(coverage_percentage=min(shares[-1], 100.0) if shares else None)
    if not counts or not sum(counts):
        return coverage
    good, bad = counts
    return coverage._replace(tests_passed=good, tests_failed=bad, tests_total=good + bad)


def _problem_counts(text: str, errors: list[StructuredError], tool: Tool) -> VerificationMetrics:
    """How many problems a checker or linter found; absent if it does not say."""
    stated = _last_number(
        r"Found (\d{1,9}) err|problems? \((\d{1,9}) err|^(\d{1,9}) errors?, \d", text
    )
    is_clean = "Success: no issues found" in text or "All checks passed" in text
    if stated is None and not errors and not is_clean:
        return VerificationMetrics()
    bad = max(stated or 0, sum(problem.severity == "error" for problem in errors))
    if tool.kind == "type_check":
        return VerificationMetrics(type_errors=bad)
    warned = _last_number(r"problems? \(\d{1,9} errors?, (\d{1,9}) warn", text) or 0
    odd = max(warned, sum(problem.severity != "error" for problem in errors))
    return VerificationMetrics(lint_errors=bad, lint_warnings=odd)


def _last_number(pattern: str, text: str) -> int | None:
    """The number in the last line that the pattern matches."""
    found = [m for line in text.splitlines() if (m := re.search(pattern, line[:500]))]
    return int(next(group for group in found[-1].groups() if group)) if found else None


_FRAME = r'(?m)^\s{1,8}File "(.{1,500}?)", line (\d{1,9})'
_FOREIGN = re.compile(r"site-packages|dist-packages|/lib/python\d|<frozen ")


def main_message(text: str, tool: Tool) -> StructuredError | None:
    """The error line, with its place in the user's own code if a traceback leads to it."""
    message, trace = error_line(text), text[-2000:]
    if not message:
        return None
    frames = re.findall(_FRAME, text[: text.rfind(message)])
    if not frames:
        return error("other", message, tool=tool.name, trace=trace)
    file, line = ([frame for frame in frames if not _FOREIGN.search(frame[0])] or frames)[-1]
    kind: ErrorType = "syntax_error" if re.match(_SYNTAX, message) else "runtime_error"
    return error(kind, message, tool=tool.name, file=file, line=line, trace=trace)
