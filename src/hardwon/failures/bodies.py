"""The message inside a JSON or XML body, as services and tools send their errors."""

from __future__ import annotations

from hardwon._cold import json, re
from hardwon.failures.outer_errors import is_outer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_READ = 20_000
_DEEP, _WIDE = 6, 40
# In this order: what is written for people, then names of what went wrong
_WORDS = (
    *("message", "error_description", "error_message", "errorMessage", "detail", "details"),
    *("reason", "msg", "error", "errors", "description", "title", "cause", "exception", "stderr"),
    *("fault", "faultstring", "text", "content", "body", "result", "data", "response", "output"),
    *("code", "type", "status"),
)
_CODES = ("code", "__type", "error_code", "errorCode", "type", "reason", "error")
_INNER = ("error", "errors", "body", "detail", "content", "text")
_COMPLAINTS = r"(?i:errors?\Z|details?\Z|invalid.?params|violations|issues)"
_FIELDS = ("field", "loc", "param", "parameter", "property", "propertyName", "attribute", "path")
_LIKE = r"(?i:message|error|reason|detail|fault|failure|cause)"
_FIELD = (
    r"[\"'](?:message|error_description|error_message|errorMessage|detail|reason|msg|error)[\"']"
    r"\s*+:\s*+(?:\"([^\"\\]*+(?:\\.[^\"\\]*+)*)\"|'([^'\\]*+(?:\\.[^'\\]*+)*)')"
)
_ELEMENT = (
    r"(?i)<(?:\w{1,20}:)?(?:message|faultstring|detail|reason|error_?description|error|title|h1)"
    r"(?:\s[^<>]{0,200}+)?>\s*+([^<>]{1,400}?)\s*+</"
)


def body_message(output: str) -> str:
    """What the body says went wrong; "" when the output holds no body or the body says nothing."""
    text = output.strip()[:_READ]
    start = _start(text)
    if start < 0:
        return ""
    if text[start] == "<":
        element = re.search(_ELEMENT, text, start)
        return " ".join(element[1].split()) if element else ""
    try:
        return _words(json.loads(text[start:]), _DEEP)
    except (ValueError, RecursionError):
        return _scanned(text, start)


def body_code(output: str) -> str:
    """The name that a body gives its error, as `BucketNotEmpty`; "" when it gives none."""
    text = output.strip()[:_READ]
    if text.startswith("<"):
        code = re.search(r"<Code>([^<>]{1,80})</Code>", text)
        return _name(code[1]) if code else ""
    return _code(text, _DEEP)


def _code(value: Any, deep: int) -> str:
    """The first name within a value; the type of a part of a text names no error."""
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict) or not deep:
        return ""
    own = (_name(value.get(key)) for key in _CODES if "text" not in value)
    inner = (_code(value[key], deep - 1) for key in _INNER if key in value)
    return next(filter(None, (*own, *inner)), "")


def _parsed(text: str) -> Any:
    """What a text in JSON holds; None for any other."""
    try:
        return json.loads(text) if text.startswith(("{", "[")) else None
    except (ValueError, RecursionError):
        return None


def _name(value: Any) -> str:
    """The last part of a name, if it is one word of letters and holds no value of one run."""
    own = re.split(r"[#/]", value)[-1] if isinstance(value, str) else ""
    return own if re.fullmatch(r"[A-Za-z][A-Za-z_.-]{3,50}", own) else ""


def _start(text: str) -> int:
    """Where a body begins: at the start, behind a word such as `Error:`, or behind headers."""
    if text[:1] in {"{", "["} or re.match(r"<(?:\?xml|[A-Za-z!])", text):
        return 0
    begun = re.match(
        r"[^\n{<]{0,200}?[:>=-]\s*+(?=\[?\s*+\{\s*+[\"'])|[^\n]{0,200}\n(?:[^\n]{0,400}\n){0,30}?(?=[{<])",
        text,
    )
    return begun.end() if begun and text[-1] in "}]>" else -1


def _scanned(text: str, start: int) -> str:
    """The first telling field of a body that is cut, or written as Python would."""
    field = re.search(_FIELD, text, start)
    return (field[1] or field[2]).replace("\\n", "\n") if field else ""


def _words(value: Any, deep: int) -> str:
    """The most telling text within a value; a bare `Bad Request` only when there is no more.

    A text may be a body itself: MCP tools put one into another.
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
    """The first field that a body complains of, and what it says of it."""
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
    """The field that the first complaint of a list is about, and what it says of it."""
    first = complaints[0] if complaints else None
    if not isinstance(first, dict):
        return ""
    field = _field(first)
    complaint = next((first[key] for key in _WORDS if isinstance(first.get(key), str)), "")
    return _of_field(field, complaint) if field and complaint else ""


def _of_field(field: str, complaint: str) -> str:
    return complaint.strip() if field in complaint else f"{field}: {complaint.strip()}"


def _field(complaint: dict[str, Any]) -> str:
    """The name of the field that a complaint is about, as frameworks and JSON:API give it."""
    stated = _given_field(complaint)
    parts = stated if isinstance(stated, list) else str(stated or "").split("/")
    names = [str(part) for part in parts if isinstance(part, str) and part]
    last = names[-1] if names else ""
    return last if re.fullmatch(r"[A-Za-z_][\w.-]{0,60}", last) else ""


def _given_field(complaint: dict[str, Any]) -> Any:
    """What a complaint names its field by: a name, a list of names, or a pointer."""
    stated = next((complaint[key] for key in _FIELDS if complaint.get(key)), None)
    source = complaint.get("source")
    if stated is None and isinstance(source, dict):
        stated = source.get("parameter") or source.get("pointer")
    return complaint.get("name") if stated is None and "reason" in complaint else stated


def _first_of(inner: dict[str, Any]) -> tuple[str, str]:
    """The first field of an object that has a text, or a list of texts, for each."""
    for field, value in inner.items():
        text = value[0] if isinstance(value, list) and value else value
        if isinstance(text, str) and re.fullmatch(r"[A-Za-z_][\w.-]{0,60}", field):
            return field, text
    return "", ""


def _keys(value: dict[str, Any]) -> list[str]:
    """The keys under which a message may stand, the likeliest first."""
    known = [key for key in _WORDS if key in value]
    return known + [key for key in value if key not in known and re.search(_LIKE, str(key))]
