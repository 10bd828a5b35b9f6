"""Whether a call has failed, judged by what it gave back, where nobody says so.

Precision comes first: what a call merely shows (a file, a log, a search result) is no failure.
"""

from __future__ import annotations

from hardwon._cold import json, re
from hardwon.failures.command_verdict import has_command_failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hardwon.values.step import Step

_HEAD = 600
_BODY = 50_000

# What shells and harnesses add: the exit status, said in so many words
_STATUS = (
    r"(?im)^\W{0,3}(?:<returncode>\s{0,3}|(?:the )?"
    r"(?:command|process|program|script|shell|task)?\W{0,2}"
    r"(?:(?:has )?(?:exited|finished|completed|failed|returned|terminated)(?: with)?(?: a)?"
    r"(?: non-?zero)? ?)?(?:exit ?(?:code|status)|return ?code|code|status)[ :=]{1,3})"
    r"(-?\d{1,5})(?:\s{0,3}</returncode>)?\W{0,3}(?:$|\n)"
)
_FAILS_AT_START = (
    r"(?:Uncaught |Unhandled )?(?:[\w.]{0,80}?(?:Error|Exception|Failure|Timeout))\s*+(?:\(|:|$)"
    r"|(?i:error|fatal|exception|failed|failure)\s*+:|(?i:error) (?:code|executing|calling|running"
    r"|while|when|in|during|processing|fetching|reading|writing|invoking|occurred|parsing|from)\b"
    r"|Failed to \w|(?:Could|Can|Did|Do|Was) ?not \w|Cannot \w|Can't \w|Unable to \w"
    r"|Traceback \(most recent call last\)|<(?:tool_use_)?error>|\[(?:ERROR|error)\]|MCP error"
    r"|HTTP(?:/[\d.]+)?(?: error)? [45]\d\d\b|[45]\d\d (?:Client|Server) Error"
    r"|\d+ validation errors? for|Tool (?:execution )?(?:failed|error)"
    r"|An? (?:\w+ )?error (?:has )?occurred|Invalid \w+(?: \w+)?:|Permission denied|Access denied"
    r"|Unauthorized|Forbidden|Not [Ff]ound$|Fix the errors and try again"
)
_FAILS_WITHIN = r"\b(?:failed|error|exception): \S|\b(?:failed|error) with (?:code|status)\b"
_SHORT = 300


def has_failed(tool: str, output: object, args: str = "", before: Sequence[Step] = ()) -> bool:
    """Whether a call has failed.

    `args` is the call as text, of a shell the command as typed; `before` are the earlier steps of
    the run. Both sharpen the verdict: what a script prints on purpose is no failure.
    """
    if isinstance(output, BaseException):
        return True
    if isinstance(output, dict | list):
        return _is_failed_body(output)
    text = output if isinstance(output, str) else str(output or "")
    if not text.strip():
        return False
    if args.startswith("{") or not (args or _is_shell(tool)):
        return _has_tool_failed(text)
    status = _status(text)
    return status != 0 if status is not None else has_command_failed(text, args, before)


def _is_shell(tool: str) -> bool:
    return bool(re.search(r"(?i:bash|shell|terminal|console|command|exec|\bsh\b)", tool))


def _status(text: str) -> int | None:
    """The exit status that stands at the beginning or at the end; None when none does."""
    for part in (text[:_HEAD], text[-_HEAD:]):
        if found := re.search(_STATUS, part):
            return int(found[1])
    return None


def _has_tool_failed(text: str) -> bool:
    """The verdict on a tool with named arguments."""
    bare = text.strip()
    if bare[0] in "{[":
        return _is_failed_text_body(bare)
    if re.match(_FAILS_AT_START, bare):
        return True
    is_line = "\n" not in bare and len(bare) <= _SHORT
    return is_line and bool(re.search(_FAILS_WITHIN, bare))


def _is_failed_text_body(text: str) -> bool:
    if len(text) > _BODY:
        return False
    try:
        return _is_failed_body(json.loads(text))
    except (ValueError, RecursionError):
        return bool(re.match(_FAILED_FIELD, text))


_FAILED_FIELD = (
    r"\{\s*+(?:[\"'][\w-]{1,30}[\"']\s*+:\s*+"
    r"(?:\d+|true|True|null|None|[\"'][^\"']{0,80}[\"'])\s*+,\s*+){0,3}"
    r"[\"'](?:(?:isError|is_error)[\"']\s*+:\s*+[tT]rue|(?:success|ok)[\"']\s*+:\s*+[fF]alse"
    r"|(?:error|errors)[\"']\s*+:\s*+[\"'{\[](?![\"'}\]])"
    r"|(?:status|statusCode|status_code)[\"']\s*+:\s*+[45]\d\d\b)"
)
_WORDS = frozenset(
    ["message", "error", "detail", "reason", "errors", "msg", "title", "description"]
)
_BAD = frozenset(["error", "failed", "failure", "fail"])
_EXITS = ("exit_code", "exitCode", "returncode", "return_code", "exitcode")
_CODES = ("status", "statusCode", "status_code", "code", "http_status")


def _is_failed_body(body: Any) -> bool:
    """The verdict on a JSON result."""
    if not isinstance(body, dict):
        return False
    if any(body.get(key) is True for key in ("isError", "is_error")):
        return True
    if any(body.get(key) is False for key in ("success", "ok", "succeeded")):
        return True
    if any(_number(body.get(key)) not in (None, 0) for key in _EXITS):
        return True
    return _has_error_code(body) or _has_error_field(body)


def _has_error_code(body: dict[str, Any]) -> bool:
    codes = [_number(body.get(key)) for key in _CODES]
    if any(code is not None and 400 <= code < 600 for code in codes):
        return True
    words = {str(body.get(key)).lower() for key in ("status", "type", "result", "outcome")}
    return bool(words & _BAD) and not _WORDS.isdisjoint(body)


def _has_error_field(body: dict[str, Any]) -> bool:
    """A result that is an error; not a record that keeps one among other things."""
    error = body.get("error") or body.get("errors") or body.get("exception")
    if not error or error is True or isinstance(error, int):
        return error is True
    return "jsonrpc" in body or ("id" not in body and len(body) <= 6)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
