"""Errors in the output of tools: lines that name a file and a line, and JSON."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core.text.clean import clean, clip, clip_middle, one_line
from hardwon.learn.trials.values import (
    ErrorType,
    Severity,
    StructuredError,
    VerificationMetrics,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.tools import Tool

MOST_ERRORS, WIDE = 200, 2000
_MESSAGE, _TRACE = 1000, 4000
_DEPTH = 8  # of JSON
SYNTAX = r"(?:E +)?(?:SyntaxError|IndentationError|TabError|Parsing error|invalid syntax)\b"
_SYNTAX_RULE = r"invalid-syntax|SyntaxError|E999|syntax|TS1\d{3}"


class ToolReport(NamedTuple):
    """Errors and counts; empty when the output was not understood."""

    errors: tuple[StructuredError, ...] = ()
    metrics: VerificationMetrics = VerificationMetrics()


def error(
    kind: ErrorType,
    message: str,
    *,
    tool: str,
    file: str | None = None,
    line: str | int | None = None,
    column: str | int | None = None,
    trace: str = "",
    severity: Severity = "error",
    rule: str | None = None,
    test: str | None = None,
) -> StructuredError:
    """An error, cut to the limits of what is stored."""
    return StructuredError(
        type=kind,
        message=one_line(message, _MESSAGE) or "(no message)",
        file=clip(file, 500) if file else None,
        line=_number(line),
        column=_number(column),
        stack_trace=clip_middle(clean(trace).strip(), _TRACE) if trace.strip() else None,
        severity=severity,
        rule=clip(rule, 100) if rule else None,
        tool=tool,
        test=one_line(test, 300) if test else None,
    )


# Lines with an error. Every repetition is bounded, and lines are cut, so a long one costs little.
_FILE = r"(?P<file>[^\s:(][^:(]{0,400}?)"
_POINT = r"(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?"
_WORDS = r"(?P<message>.{1,1500}?)"
TYPED = (  # mypy, pyright, tsc and most compilers
    rf"\s{{0,40}}{_FILE}:(?P<line>\d{{1,9}}):(?:(?P<column>\d{{1,9}}):?)?"
    rf"(?:\d{{1,9}}:\d{{1,9}}:)? (?:- )?(?:fatal )?(?P<level>error|warning|information)"
    rf"(?: (?P<code>TS\d{{1,6}}))?: {_WORDS}"
    r"(?:  \[(?P<rule>[a-z0-9-]{1,60})\]| \((?P<report>report\w{1,60})\))?$"
)
TSC = (
    rf"(?:{_FILE}\((?P<line>\d{{1,9}}),(?P<column>\d{{1,9}})\): )?(?P<level>error|warning) "
    rf"(?P<rule>TS\d{{1,6}}): {_WORDS}$",
)
_CODE = r"(?P<rule>[A-Z]{1,5}\d{1,5}|invalid-syntax|SyntaxError)"
RUFF = (
    rf"{_FILE}:{_POINT} {_CODE}:? (?:\[\*\] )?{_WORDS}$",
    rf"{_CODE}(?: \[\*\])?:? {_WORDS}$",  # its place follows after an arrow
    r"(?P<message>[Ww]ould reformat):? (?P<file>.{1,500})$",
)
ESLINT = (
    r"\s{1,10}(?P<line>\d{1,9}):(?P<column>\d{1,9})\s{1,20}(?P<level>error|warning)\s{1,20}"
    rf"{_WORDS}(?:\s{{2,40}}(?P<rule>\S{{1,100}}))?$",
    rf"{_FILE}:{_POINT} {_WORDS} \[(?P<level>Error|Warning)(?:/(?P<rule>\S{{1,100}}))?\]$",
)
GO = (
    rf"(?:vet: )?(?P<file>[^\s:][^:]{{0,300}}\.go):{_POINT} {_WORDS}$",
    r"(?P<message>panic: .{1,500})",
)
RUST = (
    r"(?P<level>error|warning)(?:\[(?P<rule>E\d{1,5}|[\w:]{1,60})\])?: (?!could not compile"
    r"|aborting due to|test failed|`.{1,200}` \(|build failed|\d{1,9} target)"
    rf"{_WORDS}$",
)
_ARROW = rf"\s{{0,20}}--> {_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})"
_HEADING = r"(?P<file>\S.{0,500}\.[A-Za-z]{1,5})$"  # the file of the lines below
_LEVELS: dict[str, Severity] = {"warning": "warning", "information": "info"}


def placed(text: str, tool: Tool) -> list[StructuredError]:
    """The errors in lines of the tool's forms."""
    found: list[tuple[dict[str, str], list[str]]] = []
    heading = ""
    for line in text.splitlines() if tool.lines else ():
        short = line[:WIDE]
        if match := next((m for form in tool.lines if (m := re.match(form, short))), None):
            parts = {name: part for name, part in match.groupdict().items() if part}
            found.append(({"file": heading, **parts} if "line" in parts else parts, []))
        elif found and (arrow := re.match(_ARROW, short)) and not found[-1][0].get("file"):
            found[-1][0].update(arrow.groupdict())
        elif match := re.match(_HEADING, short):
            heading = match["file"]
        elif found and short[:2].isspace() and len(found[-1][1]) < 10:
            found[-1][1].append(short)
    return [
        _diagnostic(parts, below, tool)
        for parts, below in found
        if parts.get("file")
        or (tool.kind != "lint" and parts.get("level", "error").lower() == "error")
    ]


def _diagnostic(parts: dict[str, str], below: Sequence[str], tool: Tool) -> StructuredError:
    rule = parts.get("rule") or parts.get("code") or parts.get("report") or ""
    if not rule and below and (named := re.search(r"\((report\w{1,60})\)$", below[-1])):
        rule = named[1]  # pyright may name it at the end of indented lines
    return error(
        _type_of(parts["message"], rule, parts.get("file"), tool),
        parts["message"],
        tool=family(tool),
        file=parts.get("file"),
        line=parts.get("line"),
        column=parts.get("column"),
        severity=_LEVELS.get(parts.get("level", "").lower(), "error"),
        rule=rule,
    )


def _type_of(message: str, rule: str, file: str | None, tool: Tool) -> ErrorType:
    if re.match(SYNTAX, message) or "syntax error" in message or re.fullmatch(_SYNTAX_RULE, rule):
        return "syntax_error"
    if message.startswith("panic: "):
        return "runtime_error"
    if tool.lines is RUST and not rule:
        return "syntax_error" if file else "other"
    if tool.lines is RUST and re.fullmatch(r"E\d{4}", rule):
        return "type_error"
    if tool.kind == "heuristic" or (tool.lines == (TYPED,) and tool.kind == "compilation"):
        return "other"
    return "lint_error" if tool.kind == "lint" else "type_error"


def family(tool: Tool) -> str:
    return tool.name.split(" ")[0]


def document(text: str) -> Any:
    """The JSON that begins a line of the text; None without any."""
    for start in itertools.islice(re.finditer(r"^[\[{]", text, re.MULTILINE), 20):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        if value:
            return value
    return None


def from_json(value: Any, tool: Tool) -> list[StructuredError]:
    """Every object that has a message and a place, or is a failed test."""
    return list(itertools.islice(_objects(value, tool, ""), MOST_ERRORS))


def _objects(value: Any, tool: Tool, file: str, depth: int = 0) -> Iterator[StructuredError]:
    if isinstance(value, dict):
        names = (value.get(name) for name in ("filePath", "filename", "file", "name"))
        file = next((name for name in names if isinstance(name, str)), file)
        if isinstance(value.get("message"), str) and (place := _json_place(value)):
            yield _json_error(value, place, file, tool)
        elif value.get("status") == "failed" and "failureMessages" in value:
            yield _json_test(value, file, tool)
    if depth < _DEPTH and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects(item, tool, file, depth + 1)


def _json_place(value: dict[str, Any]) -> tuple[int | None, int | None] | None:
    """The line and the column of an object; None if it has no place."""
    span = value.get("range")
    if isinstance(span, dict) and isinstance(start := span.get("start"), dict):  # counted from 0
        return as_int(start.get("line")) + 1, as_int(start.get("character")) + 1
    location = value.get("location")
    place = location if isinstance(location, dict) else value
    line = place.get("row", place.get("line"))
    return (as_int(line), as_int(place.get("column"))) if line is not None else None


def _json_error(
    value: dict[str, Any], place: tuple[int | None, int | None], file: str, tool: Tool
) -> StructuredError:
    rules = (value.get(name) for name in ("ruleId", "code", "rule"))
    rule = next((rule for rule in rules if isinstance(rule, str)), "")
    level = value.get("severity")
    return error(
        _type_of(value["message"], rule, file, tool),
        value["message"],
        tool=family(tool),
        file=file,
        line=place[0],
        column=place[1],
        severity="warning" if level == 1 else _LEVELS.get(str(level), "error"),
        rule=rule,
    )


def _json_test(value: dict[str, Any], file: str, tool: Tool) -> StructuredError:
    messages = value.get("failureMessages")
    trace = "\n".join(map(str, messages)) if isinstance(messages, list) else ""
    place = _json_place(value) or (None, None)
    name = str(value.get("fullName") or value.get("title") or "")
    return error(
        "test_failure", trace.strip().split("\n")[0], tool=family(tool), file=file,
        line=place[0], column=place[1], trace=trace, test=name,
    )  # fmt: skip


def matches(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """Matches at the start of each line, at most `MOST_ERRORS`."""
    lines = (re.match(pattern, line[:WIDE]) for line in text.splitlines())
    return itertools.islice((match for match in lines if match), MOST_ERRORS)


def as_int(value: object) -> int:
    """The number if it is a natural number, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _number(value: str | int | None) -> int | None:
    try:
        number = int(value) if value is not None else None
    except ValueError:
        return None
    return number if number is None or 0 <= number < 1_000_000_000 else None
