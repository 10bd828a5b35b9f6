"""Whether a JSON or XML result is an error, in the shapes that services and protocols give it."""

from __future__ import annotations

import json
import re
from typing import Any

_BODY = 50_000
_HEAD = 2_000
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
    r"|(?:Input )?[Vv]alidation (?:failed|error)s? for \w"
    r"|E(?:RR|RROR)?-?\d{3,5}[: ]\s?[A-Z]{2,}\b"
)
_FAILED_FIELD = (
    r"\{\s*+(?:[\"'][\w-]{1,30}[\"']\s*+:\s*+"
    r"(?:\d+|true|True|null|None|[\"'][^\"']{0,80}[\"'])\s*+,\s*+){0,3}"
    r"[\"'](?:(?:isError|is_error)[\"']\s*+:\s*+[tT]rue|(?:success|ok)[\"']\s*+:\s*+[fF]alse"
    r"|(?:error|errors)[\"']\s*+:\s*+[\"'{\[](?![\"'}\]])"
    r"|(?:status|statusCode|status_code)[\"']\s*+:\s*+[45]\d\d\b)"
)
_XML = (
    r"(?:<\?xml[^>]{0,200}>\s*+)?(?:<!--[^>]{0,200}-->\s*+)?"
    r"(?:<(?:\w{1,20}:)?(?:Response|Envelope|Body)\b[^>]{0,400}>\s*+){0,3}"
    r"<(?:\w{1,20}:)?(?:Errors?|error|errors|ErrorResponse|Fault|Exception|ExceptionReport)\b"
)
_PAGE = r"(?i:<(?:title|h1)>\s*+(?:error )?[45]\d\d\b)"  # an error page of a server or proxy
_WORDS = frozenset(
    ["message", "error", "detail", "reason", "errors", "msg", "title", "description"]
)
_BAD = frozenset(["error", "failed", "failure", "fail"])
_EXITS = ("exit_code", "exitCode", "returncode", "return_code", "exitcode")
_CODES = ("status", "statusCode", "status_code", "code", "http_status")
# A body with only these fields reports on the call; it is not a record of something else
_REPORT = frozenset(
    [
        *("message", "Message", "detail", "details", "title", "hint", "code", "error_code"),
        *("errorCode", "type", "__type", "status", "instance", "path", "timestamp", "trace_id"),
        *("request_id", "requestId", "documentation_url", "traceId"),
    ]
)
_SAID = ("message", "Message", "detail", "title")
_NAMED = ("__type", "code", "error_code", "errorCode", "type", "status")
_BAD_NAME = (
    r"(?i:error|exception|invalid|denied|not_?found|fail|forbidden|unauth|exceed|conflict|missing"
    r"|expired|violation|unavailable|precondition|unimplemented|aborted|unsupported|malformed)"
)
_REFUSED = (
    r"(?i:not found|forbidden|unauthori[sz]ed|bad (?:request|credentials|gateway)|invalid |missing "
    r"|method .{1,20} not allowed|authentication |internal server error|too many requests"
    r"|(?:api )?rate limit|validation failed|access denied|no permission|requires authentication)"
)
_GRPC = range(1, 17)  # the failure codes of gRPC


def is_failed_body(body: Any) -> bool:
    """Whether a parsed JSON result is an error."""
    if isinstance(body, list):
        return _is_failed_block(body)
    if not isinstance(body, dict) or body.get("isError") is False:
        return False
    if _says_so(body) or _has_error_code(body) or _has_error_field(body) or _is_report(body):
        return True
    return _is_failed_block(body.get("content"))


def _says_so(body: dict[str, Any]) -> bool:
    """Whether a flag or an exit code in the body states a failure."""
    if any(body.get(key) is True for key in ("isError", "is_error")):
        return True
    if any(body.get(key) is False for key in ("success", "ok", "succeeded")):
        return True
    return _status(body) not in (None, 0)


def _status(body: dict[str, Any]) -> int | None:
    """The exit status in a body or in its `metadata`; None without one."""
    about = body.get("metadata")
    places = (body, about) if isinstance(about, dict) else (body,)
    statuses = (_number(place.get(key)) for place in places for key in _EXITS)
    return next((status for status in statuses if status is not None), None)


def enclosed_status(text: str) -> int | None:
    """The exit status in a JSON object around a command's output; None for other text."""
    try:
        body = json.loads(text) if len(text) <= _BODY else None
    except (ValueError, RecursionError):
        return None
    return _status(body) if isinstance(body, dict) else None


def _is_failed_block(blocks: Any) -> bool:
    """Whether content blocks are an error, judged by the text of the first block."""
    first = blocks[0] if isinstance(blocks, list) and blocks else None
    if not isinstance(first, dict) or first.get("type") != "text":
        return False
    text = str(first.get("text")).strip()
    return is_failed_json(text) if text[:1] in ("{", "[") else is_refusal(text)


def _is_report(body: dict[str, Any]) -> bool:
    """Whether a body only reports that the call was refused, and why."""
    message = next((body[key] for key in _SAID if body.get(key)), None)
    if message is None or not body.keys() <= _REPORT:
        return False
    if isinstance(message, list):  # a framework's list of invalid fields
        return all(isinstance(entry, dict) and {"loc", "msg"} <= entry.keys() for entry in message)
    if _number(body.get("code")) in _GRPC and "details" in body:
        return True
    has_error_name = any(re.search(_BAD_NAME, str(body.get(key, ""))) for key in _NAMED)
    return has_error_name or is_refusal(str(message)) or bool(re.match(_REFUSED, str(message)))


def _has_error_code(body: dict[str, Any]) -> bool:
    codes = [_number(body.get(key)) for key in _CODES]
    if any(code is not None and 400 <= code < 600 for code in codes):
        return True
    words = {str(body.get(key)).lower() for key in ("status", "type", "result", "outcome")}
    return bool(words & _BAD) and not _WORDS.isdisjoint(body)


def _has_error_field(body: dict[str, Any]) -> bool:
    """Whether an error field makes the result an error, not just a record that has one."""
    error = body.get("error") or body.get("errors") or body.get("exception")
    if not error or error is True or isinstance(error, int):
        return error is True
    return "jsonrpc" in body or ("id" not in body and len(body) <= 6)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def is_refusal(text: str) -> bool:
    """Whether a text begins the way error messages begin."""
    return bool(re.match(_FAILS_AT_START, text))


def is_failed_json(text: str) -> bool:
    """Whether a text that looks like JSON is an error; it may be cut, or a Python literal."""
    if len(text) > _BODY:
        return False
    try:
        return is_failed_body(json.loads(text))
    except (ValueError, RecursionError):
        return bool(re.match(_FAILED_FIELD, text))


def is_failed_xml(text: str) -> bool:
    """Whether the text is an XML error, or the error page of a server."""
    if not text.startswith("<"):
        return False
    return bool(re.match(_XML, text) or re.search(_PAGE, text[:_HEAD]))
