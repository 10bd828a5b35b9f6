"""OTLP: the spans in a request or a file, in protobuf or JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_DEPTH = 16  # of values within values
_VERDICTS = {1: False, "STATUS_CODE_OK": False, 2: True, "STATUS_CODE_ERROR": True}

Fields = Iterator[tuple[int, Any]]


class Span(NamedTuple):
    """A span; times are in nanoseconds since 1970."""

    trace: str
    id: str
    parent: str
    name: str
    begun: int
    ended: int
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]
    failed: bool | None = None  # None: its status is not set
    message: str = ""  # of its status
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def spans_in_protobuf(body: bytes) -> Iterator[Span]:
    """The spans of an `ExportTraceServiceRequest`; InvalidInput if the bytes are none."""
    try:
        for number, resource_spans in _fields(body):
            if number == 1:
                yield from _resource_spans(resource_spans)
    except (IndexError, struct.error, TypeError, ValueError) as error:
        raise InvalidInput("the body is no OTLP request in protobuf") from error


def spans_in_json(document: Any) -> Iterator[Span]:
    """The spans of a request in OTLP's JSON; InvalidInput if the document is none."""
    try:
        for part in _list(document, "resourceSpans"):
            resource = _json_attributes(part.get("resource") or {})
            for scope in (*_list(part, "scopeSpans"), *_list(part, "instrumentationLibrarySpans")):
                for span in _list(scope, "spans"):
                    yield _json_span(span, resource)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInput("the document is no OTLP request in JSON") from error


def _fields(message: bytes) -> Fields:
    """The numbered fields of a message: numbers of varints, bytes of all others."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        size = {_FIXED64: 8, _FIXED32: 4}.get(wire, 0)
        if wire == _BYTES:
            size, at = _varint(message, at)
        elif not size:
            raise ValueError(f"wire type {wire}")
        if at + size > len(message):
            raise ValueError("cut off")
        yield number, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number without an end")


def _resource_spans(message: bytes) -> Iterator[Span]:
    parts = list(_fields(message))
    resource = _attributes((part for number, part in parts if number == 1), 1)
    for number, scope_spans in parts:
        if number == 2:
            for kind, span in _fields(scope_spans):
                if kind == 2:
                    yield _span(span, resource)


def _attributes(messages: Iterator[bytes], field: int) -> dict[str, Any]:
    """The attributes in this field of these messages."""
    pairs = (value for message in messages for number, value in _fields(message) if number == field)
    return dict(map(_pair, pairs))


def _pair(message: bytes, depth: int = 0) -> tuple[str, Any]:
    fields = dict(_fields(message))
    return _text(fields[1]), _value(fields.get(2, b""), depth)


def _value(message: bytes, depth: int) -> Any:
    """What an `AnyValue` holds."""
    if depth > _DEPTH:
        raise ValueError("too deep")
    for number, value in _fields(message):
        if number == 1:
            return _text(value)
        if number == 2:
            return bool(value)
        if number == 3:
            return value - (1 << 64) if value >> 63 else value
        if number == 4:
            return struct.unpack("<d", value)[0]
        if number == 5:
            return [_value(item, depth + 1) for _, item in _fields(value)]
        if number == 6:
            return dict(_pair(item, depth + 1) for _, item in _fields(value))
        return value.hex()
    return None


def _span(message: bytes, resource: Mapping[str, Any]) -> Span:
    one: dict[int, Any] = {}
    attributes: dict[str, Any] = {}
    events = []
    for number, value in _fields(message):
        if number == 9:
            name, held = _pair(value)
            attributes[name] = held
        elif number == 11:
            fields = dict(_fields(value))
            events.append((_text(fields.get(2, b"")), _attributes(iter([value]), 3)))
        else:
            one[number] = value
    status = dict(_fields(one.get(15, b"")))
    return Span(
        trace=one[1].hex(),
        id=one[2].hex(),
        parent=one.get(4, b"").hex().strip("0") and one[4].hex(),
        name=_text(one.get(5, b"")),
        begun=_nanoseconds(one.get(7)),
        ended=_nanoseconds(one.get(8)),
        attributes=attributes,
        resource=resource,
        failed=_VERDICTS.get(status.get(3, 0)),
        message=_text(status.get(2, b"")),
        events=tuple(events),
    )


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _nanoseconds(value: bytes | None) -> int:
    return struct.unpack("<Q", value)[0] if value else 0


def _list(document: Any, name: str) -> list[Any]:
    found = document.get(name, document.get(_snake(name))) or []
    if not isinstance(found, list):
        raise TypeError(name)
    return found


def _snake(name: str) -> str:
    """`resourceSpans` as some writers of JSON spell it: `resource_spans`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _json_attributes(holder: Any) -> dict[str, Any]:
    return {pair["key"]: _json_value(pair.get("value")) for pair in holder.get("attributes") or ()}


def _json_value(value: Any) -> Any:
    """What an `AnyValue` in JSON holds."""
    for kind, held in (value or {}).items():
        if kind == "intValue":
            return int(held)
        if kind == "arrayValue":
            return [_json_value(item) for item in held.get("values") or ()]
        if kind == "kvlistValue":
            return {
                pair["key"]: _json_value(pair.get("value")) for pair in held.get("values") or ()
            }
        return held
    return None


def _json_span(span: Any, resource: Mapping[str, Any]) -> Span:
    status = span.get("status") or {}
    events = ((one.get("name") or "", _json_attributes(one)) for one in span.get("events") or ())
    return Span(
        trace=str(span["traceId"]).lower(),
        id=str(span["spanId"]).lower(),
        parent=str(span.get("parentSpanId") or "").lower(),
        name=str(span.get("name") or ""),
        begun=int(span.get("startTimeUnixNano") or 0),
        ended=int(span.get("endTimeUnixNano") or 0),
        attributes=_json_attributes(span),
        resource=resource,
        failed=_VERDICTS.get(status.get("code", 0)),
        message=str(status.get("message") or ""),
        events=tuple(events),
    )


def parse_json(text: bytes) -> Any:
    """The JSON in a body; InvalidInput if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the body is no JSON") from error
