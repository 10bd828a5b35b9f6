"""Failed tests in the output of test runners, and in JUnit XML."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from hardwon.learn.trials.diagnostics import (
    MOST_ERRORS,
    SYNTAX,
    WIDE,
    ToolReport,
    error,
    family,
    matches,
    placed,
)
from hardwon.learn.trials.values import ErrorType, StructuredError, VerificationMetrics

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from hardwon.learn.trials.tools import Tool


class TestForm(NamedTuple):
    """How a test runner prints a failed test: a header with its name, then lines about it."""

    header: str  # the group `test` is the name; `broken`: it could not run
    place: str  # groups file, line and perhaps column
    message: Callable[[list[str]], str]
    is_last: bool = True  # the place that counts is the last of a block, else the first


def failed_tests(text: str, tool: Tool) -> list[StructuredError]:
    form = tool.tests
    if form is None:
        return []
    found: dict[str, StructuredError] = {}
    for head, below in blocks(form.header, text):
        name, lines = head["test"].strip(), _between_rules(below)
        places = [m for line in lines if (m := re.match(form.place, line))]
        place = (places[-1 if form.is_last else 0] if places else head).groupdict()
        message = form.message(lines) or f"{name} failed"
        is_broken = bool(head.groupdict().get("broken"))
        kind: ErrorType = "runtime_error" if is_broken else "test_failure"
        words = [line.strip() for line in lines if line.strip()][:8]
        found.setdefault(
            name,
            error(
                "syntax_error" if any("SyntaxError" in line for line in words) else kind,
                message,
                tool=family(tool),
                file=place.get("file"),
                line=place.get("line"),
                column=place.get("column"),
                trace="\n".join(lines[:60]),
                test=name,
            ),
        )
    return list(found.values())


def _between_rules(lines: list[str]) -> list[str]:
    """The lines up to the next line of dashes; one may stand above them."""
    inner = itertools.dropwhile(_is_rule, lines)
    return list(itertools.takewhile(lambda line: not _is_rule(line), inner))


def _is_rule(line: str) -> bool:
    return bool(re.match(r"[=-]{20,}$", line))


def blocks(header: str, text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Every header line with the lines below it, up to the next header."""
    current: tuple[re.Match[str], list[str]] | None = None
    for line in text.splitlines():
        match = re.match(header, line[:WIDE])
        if match:
            if current:
                yield current
            current = match, []
        elif current and len(current[1]) < WIDE:
            current[1].append(line[:WIDE])
    if current:
        yield current


def _first_raised(lines: list[str]) -> str:
    raised = (line for line in lines if re.match(r"[A-Za-z_][\w.]{0,100}(?::|$)", line))
    return next((line for line in raised if not line.startswith("Traceback")), "")


def _expected_and_received(lines: list[str]) -> str:
    words = [line.strip() for line in lines if line.strip()]
    details = [line for line in words[1:30] if re.match(r"(?:Expected|Received)\b", line)]
    return " ".join([*words[:1], *details])


def _panicked(lines: list[str]) -> str:
    at = next((at for at, line in enumerate(lines) if re.match(_RUST_PANIC, line)), None)
    if at is None:
        return ""
    older = re.search(r"panicked at '(.{0,1000})', ", lines[at])
    return older[1] if older else " ".join(part.strip() for part in lines[at + 1 : at + 4])


_RUST_PANIC = (
    r"thread '.{0,300}'(?: \(\d{1,12}\))? panicked at (?:'.{0,1000}', )?"
    r"(?P<file>[^\s:]{1,300}):(?P<line>\d{1,9}):(?P<column>\d{1,9}):?"
)
_JS_PLACE = (
    r"(?:\s{1,20}at .{0,300}?\(?|\s{0,10}❯ )(?P<file>(?!\S*node_modules)[^\s():]{1,400}"
    r"\.[cm]?[jt]sx?):(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?"
)
UNITTEST = TestForm(
    r"(?:FAIL|(?P<broken>ERROR)): (?:\S{1,300} \((?=\S{1,400}\)))?(?P<test>[^\s)]{1,400})",
    r'  File "(?P<file>.{1,500})", line (?P<line>\d{1,9})',
    _first_raised,
)
JEST = TestForm(
    r"\s{1,4}● (?!Console|Validation)(?P<test>.{1,500})$", _JS_PLACE, _expected_and_received, False
)
VITEST = TestForm(
    r"\s{0,3}FAIL\s{1,3}(?P<test>\S{1,300}(?: > .{1,400}| \[ .{1,300} \]))$",
    _JS_PLACE, _expected_and_received, False,
)  # fmt: skip
CARGO = TestForm(r"---- (?P<test>\S{1,400}) stdout ----$", _RUST_PANIC, _panicked)


def pytest_errors(text: str, tool: Tool) -> ToolReport:
    """Every failed test and every collection error, with its place."""
    header = r"_{2,} (?:ERROR (?:collecting|at (?:setup|teardown) of) )?(.{1,400}?) _{2,}$"
    traces = {head[1]: lines for head, lines in blocks(header, text)}
    summary = r"(FAILED|ERROR) ([^\s:]\S*?\.py)(?:::(.{1,400}?))?(?: - (.*))?$"
    errors = []
    for verdict, file, test, message in (match.groups() for match in matches(summary, text)):
        lines = traces.get((test or "").replace("::", "."), traces.get(file, []))
        name = f"{file}::{test}" if test else file
        errors.append(_pytest_error(lines, name, message or "", file, verdict))
    if not errors:  # the short summary was switched off
        raised = ((name, lines) for name, lines in traces.items() if _pytest_message(lines))
        errors = [_pytest_error(lines, name, "", "", "FAILED") for name, lines in raised]
    return ToolReport(tuple(errors))


def _pytest_error(
    lines: list[str], test: str, message: str, file: str, verdict: str
) -> StructuredError:
    unparsed = [m for line in lines if (m := re.match(_UNPARSED, line))]
    places = unparsed or [m for line in lines if (m := re.match(r"(\S{1,400}\.py):(\d+): ", line))]
    words = message or _pytest_message(lines) or f"{test} failed"
    kind: ErrorType = "test_failure" if verdict == "FAILED" else "runtime_error"
    return error(
        "syntax_error" if re.match(SYNTAX, words) else kind,
        words,
        tool="pytest",
        file=places[-1][1] if places else file,
        line=places[-1][2] if places else None,
        trace="\n".join(lines),
        test=test,
    )


_UNPARSED = r'E {3,40}File "(.{1,500})", line (\d{1,9})'  # above a SyntaxError


def _pytest_message(lines: list[str]) -> str:
    messages = [line[1:] for line in lines if re.match(r"E {3,}\S", line)]
    is_unparsed = any(re.match(_UNPARSED, line) for line in lines)  # then its code comes first
    return messages[-1 if is_unparsed else 0].strip() if messages else ""


def go_tests(text: str, tool: Tool) -> ToolReport:
    """Every failed test with its first message; what does not compile; panics."""
    plain = _unwrapped(text) if text.lstrip().startswith('{"') else text
    places: dict[str, re.Match[str]] = {}
    verdicts: dict[str, str] = {}
    current = ""
    for line in plain.splitlines():
        if place := re.match(r"\s{1,40}([^\s:]{1,300}\.go):(\d{1,9}): (.{0,1500})$", line[:WIDE]):
            places.setdefault(current, place)
        elif running := re.match(r"=== (?:RUN|CONT|NAME)\s{1,4}(\S{1,300})", line[:WIDE]):
            current = running[1]
        elif verdict := re.match(r"\s{0,40}--- (PASS|FAIL|SKIP): (\S{1,300})", line[:WIDE]):
            current = verdict[2]  # without -v, the messages follow the verdict
            verdicts[current] = verdict[1]
    leaves = {
        name: how
        for name, how in verdicts.items()
        if not any(other.startswith(f"{name}/") for other in verdicts)
    }
    failing = [n for n, how in verdicts.items() if how == "FAIL" and (n in leaves or n in places)]
    errors = placed(plain, tool)
    for name in failing:
        file, number, message = places[name].groups() if name in places else (None, None, "")
        words = message or f"{name} failed"
        errors.append(error("test_failure", words, tool="go", file=file, line=number, test=name))
    count = Counter(leaves.values())
    good, bad = count["PASS"], count["FAIL"]
    metrics = VerificationMetrics(good, bad, good + bad) if verdicts else VerificationMetrics()
    return ToolReport(tuple(errors[:MOST_ERRORS]), metrics)


def _unwrapped(text: str) -> str:
    """The output inside the events of `go test -json`."""
    parts = []
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            parts.append(line + "\n")
            continue
        if isinstance(event, dict) and isinstance(event.get("Output"), str):
            parts.append(event["Output"])
    return "".join(parts)


def junit(text: str, tool: Tool | None = None) -> ToolReport:
    """Every failure and error; nothing when it is not XML or would expand entities."""
    start = text.find("<?xml") if "<?xml" in text else text.find("<testsuite")
    if start < 0 or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return ToolReport()
    try:
        root = ElementTree.fromstring(text[start:].strip())
    except (ElementTree.ParseError, ValueError):
        return ToolReport()
    cases = [case for case in root.iter("testcase") if case.find("skipped") is None]
    bad = [
        (case, problem)
        for case in cases
        for problem in [*case.findall("failure"), *case.findall("error")][:1]
    ]
    errors = tuple(_junit_error(*pair) for pair in bad[:MOST_ERRORS])
    return ToolReport(errors, VerificationMetrics(len(cases) - len(bad), len(bad), len(cases)))


def _junit_error(case: Element, problem: Element) -> StructuredError:
    trace = problem.text or ""
    place = re.findall(r"^([^\s:]{1,400}):(\d{1,9}): ", trace[-8000:], re.MULTILINE)
    file, line = place[-1] if place else (case.get("file"), case.get("line"))
    return error(
        "test_failure" if problem.tag == "failure" else "runtime_error",
        problem.get("message") or trace.strip()[:200],
        tool="junit",
        file=file,
        line=line,
        trace=trace,
        test=f"{case.get('classname') or ''}.{case.get('name') or ''}".strip("."),
    )
