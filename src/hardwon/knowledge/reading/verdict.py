"""Whether a call has failed, judged by its output, when the caller does not say.

Precision comes first: an error that a call only displays (in a file, a log) is no failure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.knowledge.reading.body_verdict import (
    enclosed_status,
    is_failed_body,
    is_failed_json,
    is_failed_xml,
    is_refusal,
)
from hardwon.knowledge.reading.command_verdict import has_command_failed
from hardwon.knowledge.reading.file_refusals import refusal
from hardwon.knowledge.reading.reports import ends_red
from hardwon.knowledge.reading.timeouts import has_timed_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step

_HEAD = 600
_MARK = "ERR:"  # how tools of the published loop detector begin a failure

# The exit status as shells and harnesses print it
_STATUS = (
    r"(?im)^\W{0,3}(?:(?:<\w{1,20}>)?<(?:returncode|exit_?code)>\s{0,3}|(?:the )?"
    r"(?:command|process|program|script|shell|task|execution)?\W{0,2}"
    r"(?:(?:has )?(?:exited|finished|completed|failed|returned|terminated)(?: with)?(?: a)?"
    r"(?: non-?zero)? ?)?(?:exit ?(?:code|status)|return ?code|code|status)[ :=]{1,3})"
    r"(-?\d{1,5})(?:\s{0,3}</(?:returncode|exit_?code)>|\W{0,3}(?:$|\n))"
)
_TESTER = r"(?i:(?:\b|_)(?:py)?tests?(?:\b|_))|[a-z]Tests?(?![a-z])"
_FAILS_WITHIN = r"\b(?:failed|error|exception): \S|\b(?:failed|error) with (?:code|status)\b"
_SHORT = 300
# Markdown of a server: a heading for the error, or the error as the result
_HEADED = r"#{2,4} (?:(?:Error|Failure)[ \t]*+\n|(?:Result|Output)[ \t]*+\n\w{0,40}Error: )"
# How simulated worlds and games refuse an action
_CANNOT = (
    r"(?:Sorry, )?[Yy]ou (?:can(?:no|')t|can not|can only|must|need to|have to|are not allowed)\b"
    r"|Nothing happens\b|I (?:don't|do not) understand\b|Unknown (?:action|command|tool|object)\b"
    r"|(?:Action|Move|Command) (?:is )?(?:not |in|il|un)\w+"
)


def has_failed(tool: str, output: object, args: str = "", before: Sequence[Step] = ()) -> bool:
    """Whether a call has failed.

    `args` is the call as text, for a shell the command as typed; `before` are the earlier steps
    of the run. Both make the verdict more exact: output that a script prints on purpose is fine.
    """
    if isinstance(output, BaseException):
        return True
    if isinstance(output, dict | list):
        return is_failed_body(output)
    text = output if isinstance(output, str) else str(output or "")
    if not text.strip():
        return False
    if text.startswith(_MARK):
        return True
    if args.startswith("{") or not (args or _is_shell(tool)):
        return bool(refusal(tool, args, text)) or _has_tool_failed(tool, text)
    if has_timed_out(text):
        return True
    status = _status(text)
    return status != 0 if status is not None else has_command_failed(text, args, before)


def _is_shell(tool: str) -> bool:
    return bool(re.search(r"(?i:bash|shell|terminal|console|command|exec|\bsh\b)", tool))


def _status(text: str) -> int | None:
    """The exit status printed at the beginning or the end of the text; None without one."""
    if text.startswith("{"):
        return enclosed_status(text)
    for part in (text[:_HEAD], text[-_HEAD:]):
        if match := re.search(_STATUS, part):
            return int(match[1])
    return None


def _has_tool_failed(tool: str, text: str) -> bool:
    """Whether a tool with named arguments has failed."""
    bare = text.strip()
    if re.search(_TESTER, tool) and ends_red(bare):
        return True
    if bare[0] in "{[":
        return is_failed_json(bare)
    if is_refusal(bare) or is_failed_xml(bare) or re.match(_HEADED, bare):
        return True
    is_line = "\n" not in bare and len(bare) <= _SHORT
    return is_line and bool(re.search(_FAILS_WITHIN, bare) or re.match(_CANNOT, bare))
