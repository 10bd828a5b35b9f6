"""Failures inside a command line: which call an error is about, and errors that went by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.knowledge.evidence.calls import Call, calls_of
from hardwon.knowledge.evidence.common import COMMON, READERS
from hardwon.knowledge.reading.authored import is_shell
from hardwon.knowledge.reading.bodies import is_failed_json
from hardwon.knowledge.reading.reading import read_failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step

_READ = 400  # lines of an output, from its end
_CALLED = 5  # words of a call that may name who speaks
_LONGEST = 300  # characters of a line that a program says
_SAID = re.compile(  # also `prog/E12 part: what`
    r"(?:[\w.]{1,20}: )?(?P<who>[\w./-]{2,40})(?: [\w.()/-]{1,20}){0,2}: (?P<what>\S.*)"
)
_COMPLAINT = re.compile(
    r"(?i)\b(?:errors?|denied|fail(?:ed|ure|s)?|not|no|in?valid|invalid|refused?|reject(?:ed|s)?"
    r"|unknown|missing|cannot|can't|unexpected|unresolved|closed|locked|too (?:large|long|many|big)"
    r"|must|requires?|expected|disagree|forbidden|prohibited|expired|stale|conflict|mismatch"
    r"|without|unable|illegal|bad|wrong)\b|\b[A-Z]{1,6}[-_]?\d{2,5}\b"
)
_PARTS = re.compile(r"[A-Za-z][A-Za-z0-9]+")


def with_failure(step: Step, before: Sequence[Step]) -> Step:
    """The step with what went wrong in it; `before` are the earlier steps of the run.

    A command line that went on after an error has a failure, too, but has not failed.
    """
    complaint = complaint_in(step)
    said = read_failure(step._replace(output=complaint), before) if complaint else None
    is_last = said is not None and step.output.rstrip().endswith(complaint)
    if step.failed and not is_last:  # what a called program says last is the reason
        said = read_failure(step, before) or said
    return step._replace(failure=said) if said else step


def complaint_in(step: Step) -> str:
    """The last line in which a called program complains; "" if there is none."""
    if not is_shell(step) or not step.output:
        return ""
    parts: frozenset[str] | None = None
    for line in reversed(step.output.splitlines()[-_READ:]):
        if line.startswith("{") and len(line) <= _LONGEST and is_failed_json(line):
            return line
        match = _SAID.fullmatch(line) if len(line) <= _LONGEST else None
        if match is None or not _COMPLAINT.search(match["what"]):
            continue
        parts = called_parts(step) if parts is None else parts
        if any(part.lower() in parts for part in _PARTS.findall(match["who"])):
            return line
    return ""


def called_parts(step: Step) -> frozenset[str]:
    """The words of the programs and tasks that a step runs; readers and shell words left out."""
    calls = (call for call in calls_of(step) if call.program not in READERS)
    called = (word for call in calls for word in call.shape.split()[:_CALLED])
    return frozenset(part.lower() for word in called for part in _PARTS.findall(word))


def find_blamed(step: Step, calls: Sequence[Call], line: str) -> int:
    """The index of the call that an error line is about; -1 if there is no call.

    It is the call that shares most with the line, of several the last. The last call of a line that
    ended well is not to blame.
    """
    said = {word.lower() for word in re.findall(r"[A-Za-z_][\w.-]{2,}", line)}
    said |= {part.lower() for part in _PARTS.findall(line) if len(part) > 3}
    suspects = range(len(calls) if step.failed or len(calls) < 2 else len(calls) - 1)

    heads = line.lower().split(": ")[:-1]  # `prog: sub-command: what`

    def fits(at: int) -> tuple[int, int, bool, int, int]:
        call = calls[at]
        fixed = call.kind.lower().split()
        speaks = heads[:1] == [call.program.lower()]
        speaks += speaks and any(head in fixed for head in heads[1:])
        words = {word.lower() for word in call.words}
        acts = call.writes or call.program not in READERS
        return speaks, len((words - COMMON) & said), acts, len(words & said), at

    return max(suspects, key=fits) if calls else -1


def failing_call(step: Step) -> Call | None:
    """The call of a step that failed; None if nothing in it did."""
    if step.failure is None:
        return None
    calls = calls_of(step)
    at = find_blamed(step, calls, step.failure.line)
    return calls[at] if at >= 0 else None


def working_calls(step: Step) -> list[Call]:
    """The calls of a step that worked, as far as it shows."""
    calls = list(calls_of(step))
    if step.failed:
        return []
    if step.failure is None:
        return calls
    at = find_blamed(step, calls, step.failure.line)
    return [call for call in calls if call.shape != calls[at].shape]
