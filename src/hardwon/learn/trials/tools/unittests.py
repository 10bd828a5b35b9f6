"""Python's unittest, as text."""

from __future__ import annotations

import re

from hardwon.learn.trials.tools.report import ToolReport, blocks, count, error
from hardwon.learn.trials.values import StructuredError, VerificationMetrics

_HEADER = r"(FAIL|ERROR): (\S{1,300})(?: \((.{1,400})\))?"
_FRAME = r'  File "(.{1,500})", line (\d{1,9})'


def parse(text: str) -> ToolReport:
    """Every failed or broken test."""
    errors = tuple(_failure(*block) for block in blocks(_HEADER, text))
    ran = count(r"^Ran (\d{1,9}) tests? in ", text)
    if ran is None:
        return ToolReport(errors)
    failed = sum(count(rf"^FAILED \(.*?\b{word}=(\d{{1,9}})", text) or 0 for word in _COUNTED)
    return ToolReport(errors, VerificationMetrics(max(ran - failed, 0), failed, max(ran, failed)))


_COUNTED = ("failures", "errors")


def _failure(head: re.Match[str], lines: list[str]) -> StructuredError:
    frames = [frame for line in lines if (frame := re.match(_FRAME, line))]
    messages = [line for line in lines if re.match(r"[A-Za-z_][\w.]{0,100}(?::|$)", line)]
    body = lines[1:]  # below the line of dashes
    end = next((at for at, line in enumerate(body) if line.startswith(("====", "----"))), len(body))
    return error(
        "test_failure" if head[1] == "FAIL" else "runtime_error",
        next((line for line in messages if not line.startswith("Traceback")), head[2]),
        tool="unittest",
        file=frames[-1][1] if frames else None,
        line=frames[-1][2] if frames else None,
        trace="\n".join(body[:end]),
        test=head[3] or head[2],
    )
