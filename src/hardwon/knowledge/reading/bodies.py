"""The message inside a JSON or XML body, as services and tools send their errors."""

from __future__ import annotations

import json
import re
from typing import Any

from hardwon.knowledge.reading.reports import is_outer

_READ = 20_000
_DEEP, _WIDE = 6, 40
# Fields that hold a message, the best first: words for people, then names of errors
_WORDS = (
    *("message", "error_description", "error_message", "errorMessage", "detail", "details"),
    *("reason", "msg", "issue", "problem", "error", "errors", "description", "title", "cause"),
    *("exception", "stderr"),
    *("fault", "faultstring", "text", "content", "body", "result", "data", "response", "output"),
    *("code", "type", "status"),
)
_COMPLAINTS = r"(?i:errors?\Z|details?\Z|invalid.?params|violations|issues)"
_FIELDS = ("field", "loc", "param", "parameter", "property", "propertyName", "attribute", "path")
_LIKE = r"(?i:message|error|reason|detail|fault|failure|cause|issue|problem|violation|complaint)"
_FIELD = (
    r"[\"'](?:message|error_description|error_message|errorMessage|detail|reason|msg|error)[\"']"
    r"\s*+:\s*+(?:\"([^\"\\]*+(?:\\.[^\"\\]*+)*)\"|'([^'\\]*+(?:\\.[^'\\]*+)*)')"
)
_ELEMENT = (
    r"(?i)<(?:\w{1,20}:)?(?:message|faultstring|detail|reason|error_?description|error|title|h1)"
    r"(?:\s[^<>]{0,200}+)?>\s*+([^<>]{1,400}?)\s*+</"
)


def body_message(output: str) -> str:
    """The error message in a JSON or XML body; "" if there is no body or no message."""
    text = output.strip()[:_READ]
    start = body_start(text)
    if start < 0:
        return ""
    if text[start] == "<":
        element = re.compile(_ELEMENT).search(text, start)
        return " ".join(element[1].split()) if element else ""
    try:
        return _words(json.loads(text[start:]), _DEEP)
    except (ValueError, RecursionError):  # truncated, or a Python literal
        fields = re.compile(_FIELD).finditer(text, start)  # an empty one says nothing
        said = next((field[1] or field[2] for field in fields if field[1] or field[2]), "")
        return said.replace("\\n", "\n")


def body_start(text: str) -> int:
    """Where a body begins: at the start, after a word such as `Error:` or headers; else -1."""
    if text[:1] in {"{", "["} or re.match(r"<(?:\?xml|[A-Za-z!])", text):
        return 0
    prefix = re.match(
        r"[^\n{<]{0,200}?[:>=-]\s*+(?=\[?\s*+\{\s*+[\"'])|[^\n]{0,200}\n(?:[^\n]{0,400}\n){0,30}?(?=[{<])",
        text,
    )
    return prefix.end() if prefix and text[-1] in "}]>" else -1


def _words(value: Any, deep: int) -> str:
    """The most informative text within a value; `Bad Request` only if there is nothing else.

    A text may itself be a body: MCP tools nest them.
    """
    if isinstance(value, str):
        return body_message(value) or value.strip()
    if not deep or not isinstance(value, dict | list):
        return ""
    refused = _refused_field(value) if isinstance(value, dict) else _refused_entry(value)
    if refused:
        return refused
    inner = value if isinstance(value, list) else [value[key] for key in _keys(value)]
    texts = [text for each in inner[:_WIDE] if (text := _words(each, deep - 1))]
    return next((text for text in texts if not is_outer(text)), "".join(texts[:1]))


def _refused_field(value: dict[str, Any]) -> str:
    """The first field that a body calls invalid, with the complaint; "" if there is none."""
    for name, inner in value.items():
        if not re.search(_COMPLAINTS, name):
            continue
        if isinstance(inner, list) and (refused := _refused_entry(inner)):
            return refused
        if isinstance(inner, dict) and not set(inner) & set(_WORDS):
            field, complaint = _first_of(inner)
            if field and complaint:
                return _of_field(field, complaint)
    return ""


def _refused_entry(complaints: list[Any]) -> str:
    """The field of the first complaint in a list, with the complaint; "" if it names none."""
    first = complaints[0] if complaints else None
    if not isinstance(first, dict):
        return ""
    field = _field(first)
    texts = [text for key in (*_WORDS, *first) if isinstance(text := first.get(key), str)]
    sentences = (text for text in texts if " " in text.strip())
    complaint = next(sentences, texts[0] if set(first) & set(_WORDS) and texts else "")
    return _of_field(field, complaint) if field and complaint else ""


def _of_field(field: str, complaint: str) -> str:
    is_named = re.search(rf"(?<!\w){field}(?!\w)", complaint)
    return complaint.strip() if is_named else f"{field}: {complaint.strip()}"


def _field(complaint: dict[str, Any]) -> str:
    """The name of the field that a complaint is about, as frameworks and JSON:API write it.

    They write a name, a list of names, or a JSON pointer.
    """
    stated = next((complaint[key] for key in _FIELDS if complaint.get(key)), None)
    source = complaint.get("source")
    if stated is None and isinstance(source, dict):
        stated = source.get("parameter") or source.get("pointer")
    if stated is None and "reason" in complaint:
        stated = complaint.get("name")
    parts = stated if isinstance(stated, list) else str(stated or "").split("/")
    names = [str(part) for part in parts if isinstance(part, str) and part]
    last = names[-1] if names else ""
    return last if re.fullmatch(r"[A-Za-z_][\w.-]{0,60}", last) else ""


def _first_of(inner: dict[str, Any]) -> tuple[str, str]:
    """The first field with its complaint, from an object of field: complaint(s)."""
    for field, value in inner.items():
        text = value[0] if isinstance(value, list) and value else value
        if isinstance(text, str) and re.fullmatch(r"[A-Za-z_][\w.-]{0,60}", field):
            return field, text
    return "", ""


def _keys(value: dict[str, Any]) -> list[str]:
    """The keys of an object that may hold a message, the likeliest first."""
    keys = [key for key in _WORDS if key in value]
    return keys + [key for key in value if key not in keys and re.search(_LIKE, str(key))]


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
_SAID_KEYS = frozenset(
    ["message", "error", "detail", "reason", "errors", "msg", "title", "description"]
)
_BAD = frozenset(["error", "failed", "failure", "fail"])
_REFUSALS = frozenset(["refused", "rejected", "denied", "refusal", "forbidden"])
_FINE = frozenset(["ok", "success", "status", "id"])
_FEW = 3  # fields of a body that says no more than why it refuses
_EXITS = ("exit_code", "exitCode", "returncode", "return_code", "exitcode")
_CODE_KEYS = ("status", "statusCode", "status_code", "code", "http_status")
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
    if any(body.get(key) is True for key in ("isError", "is_error")):
        return True
    if any(body.get(key) is False for key in ("success", "ok", "succeeded")):
        return True
    if _status(body) not in (None, 0):
        return True
    if _has_error_code(body) or _has_error_field(body) or _is_report(body):
        return True
    return _is_failed_block(body.get("content"))


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
    codes = [_number(body.get(key)) for key in _CODE_KEYS]
    if any(code is not None and 400 <= code < 600 for code in codes):
        return True
    words = {str(body.get(key)).lower() for key in ("status", "type", "result", "outcome")}
    return bool(words & _BAD) and not _SAID_KEYS.isdisjoint(body)


def _has_error_field(body: dict[str, Any]) -> bool:
    """Whether an error field makes the result an error, not just a record that has one."""
    if len(body) <= _FEW and _REFUSALS & body.keys() and not _FINE & body.keys():
        return any(" " in str(text).strip() for text in body.values())
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
