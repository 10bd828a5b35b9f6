"""cargo: test, build, check and clippy."""

from __future__ import annotations

import re

from hardwon.learn.trials.tools.report import MOST_ERRORS, ToolReport, blocks, error
from hardwon.learn.trials.values import StructuredError, VerificationMetrics

_RESULT = r"test result: \w{1,10}\. (\d{1,9}) passed; (\d{1,9}) failed;"
_STDOUT = r"---- (\S{1,400}) stdout ----$"
_PANIC = (
    r"thread '.{0,300}'(?: \(\d{1,12}\))? panicked at (?:'(.{0,1000})', )?"
    r"([^\s:]{1,300}):(\d{1,9}):(\d{1,9}):?"
)
_DIAGNOSTIC = r"(error|warning)(?:\[(E\d{1,5}|[\w:]{1,60})\])?: (.{1,1500})$"
_ARROW = r"\s{0,20}--> ([^\s:][^:]{0,400}?):(\d{1,9}):(\d{1,9})"
_CHATTER = (
    r"(?:could not compile|aborting due to|test failed|`.{1,200}` \(|build failed|\d{1,9} target)"
)


def parse(text: str) -> ToolReport:
    """Every failed test with its panic, and every diagnostic of the compiler."""
    tests = [_panic(head[1], lines) for head, lines in blocks(_STDOUT, text)]
    built = [
        diagnostic for block in blocks(_DIAGNOSTIC, text) if (diagnostic := _diagnostic(*block))
    ]
    good, bad, has_result = 0, 0, False
    for line in text.splitlines():
        if result := re.match(_RESULT, line):
            good, bad, has_result = good + int(result[1]), bad + int(result[2]), True
    metrics = VerificationMetrics(good, bad, good + bad) if has_result else VerificationMetrics()
    return ToolReport((*built, *tests)[:MOST_ERRORS], metrics)


def _panic(test: str, lines: list[str]) -> StructuredError:
    for at, line in enumerate(lines):
        if panic := re.match(_PANIC, line):
            message = panic[1] or " ".join(part.strip() for part in lines[at + 1 : at + 4])
            return error(
                "test_failure",
                message,
                tool="cargo",
                file=panic[2],
                line=panic[3],
                column=panic[4],
                trace="\n".join(lines[:40]),
                test=test,
            )
    return error("test_failure", f"{test} failed", tool="cargo", test=test)


def _diagnostic(head: re.Match[str], lines: list[str]) -> StructuredError | None:
    level, rule, message = head.groups()
    place = next((m for line in lines[:6] if (m := re.match(_ARROW, line))), None)
    if re.match(_CHATTER, message) or (level == "warning" and place is None):
        return None
    return error(
        "type_error" if rule else "syntax_error" if place else "other",
        message,
        tool="cargo",
        file=place[1] if place else None,
        line=place[2] if place else None,
        column=place[3] if place else None,
        severity="warning" if level == "warning" else "error",
        rule=rule,
    )
