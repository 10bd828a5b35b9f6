"""Spans and logs of OTLP, and what they say about a run: calls, results, what was asked."""

from __future__ import annotations

import json
import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.engine.pipeline.screen import screen_text
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.learn.transcripts.transcript import OUTPUT_LIMIT, states_failure, text_of

_TASK = 4000  # characters of what was asked for
_NAME = 200
_ARGS = 8 * 1024


class Convention(NamedTuple):
    """How the span of a tool call is marked, and where it states the call."""

    name: str
    mark: tuple[str, str]
    tool: str
    args: str
    output: str
    is_json: bool = False  # whether an output that is a text is quoted
    success: str = ""  # "false" there: the call failed
    has_exit: bool = False  # whether the output states the exit code of a command


CONVENTIONS = (
    Convention("OpenTelemetry GenAI", ("gen_ai.operation.name", "execute_tool"),
               "gen_ai.tool.name", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
    Convention("OpenInference", ("openinference.span.kind", "TOOL"),
               "tool.name", "input.value", "output.value", is_json=True),
    Convention("Traceloop", ("traceloop.span.kind", "tool"), "traceloop.entity.name",
               "traceloop.entity.input", "traceloop.entity.output", is_json=True),
    Convention("Vercel AI SDK", ("ai.operationId", "ai.toolCall"),
               "ai.toolCall.name", "ai.toolCall.args", "ai.toolCall.result", is_json=True),
    Convention("Langfuse", ("langfuse.observation.type", "tool"), "",  # the name of the span
               "langfuse.observation.input", "langfuse.observation.output", is_json=True),
    Convention("Codex", ("event.name", "codex.tool_result"), "tool_name", "arguments", "output",
               success="success", has_exit=True),
)  # fmt: skip
_PROMPT = "codex.user_prompt"  # the event that states in `prompt` what was asked
INPUT = "gen_ai.input.messages"
_INPUT = (  # JSON
    INPUT,
    "ai.prompt.messages",
    "ai.prompt",
    "langfuse.observation.input",
)
_DEPTH = 3  # of values in which messages are looked for
_OUTPUT = "gen_ai.output.messages"
_FLAT_INPUT, _FLAT_OUTPUT = "llm.input_messages.", "llm.output_messages."  # an attribute a value
_FLAT = re.compile(
    r"(\d{1,6})\.message\.(?:(role|content|tool_call_id)"
    r"|tool_calls\.(\d{1,4})\.tool_call\.(?:(id)|function\.(name|arguments)))"
)
_CONVERSATION = ("gen_ai.conversation.id", "session.id", "conversation.id")
_PROJECT, _SERVICE, _UNKNOWN = "hardwon.project", "service.name", "unknown_service"
# What values of another kind than the conventions name raise.
_ODD = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)


class Row(NamedTuple):
    """What is kept of a span until its run has ended; screened, and small."""

    trace: str
    span: str
    is_root: bool
    begun: int  # nanoseconds
    ended: int
    conversation: str
    project: str
    said: str  # what the user asked for
    step: tuple[str, str, str, bool | None] | None = None  # tool, args, output, failed
    calls: tuple[tuple[str, str, str], ...] = ()  # id, tool, args: the model asked for them
    results: tuple[tuple[str, str], ...] = ()  # id, output: the model was told them

    @property
    def run(self) -> str:
        """Which spans belong together: a trace; calls without a parent, their conversation."""
        is_alone = self.is_root and self.step is not None
        return self.conversation if is_alone and self.conversation else self.trace


class Said(NamedTuple):
    """A message to or of a model."""

    role: str
    text: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    results: tuple[tuple[str, str], ...] = ()


def row_of(span: Span) -> Row | None:
    """What a span says; None if nothing in it is about a run. InvalidInput: its values are odd."""
    try:
        return _read_span(span)
    except _ODD as error:
        raise InvalidInput(f"a span with odd values: {error}") from error


def _read_span(span: Span) -> Row | None:
    f"{span.trace}{span.id}".encode()  # ValueError: half of a character, which nothing can store
    given = span.attributes
    messages = list(_messages(given, _INPUT, _FLAT_INPUT))
    step = _step(span)
    service = str(span.resource.get(_SERVICE) or "")
    project = span.resource.get(_PROJECT) or ("" if service.startswith(_UNKNOWN) else service)
    users = (one.text for one in reversed(messages) if one.role == "user" and one.text)
    is_prompt = given.get("event.name") == _PROMPT and isinstance(given.get("prompt"), str)
    asked = str(given["prompt"]) if is_prompt else next(users, "")
    # What stands before the last message of the model stands in earlier spans, too.
    spoken = [at for at, message in enumerate(messages) if message.role == "assistant"]
    row = Row(
        trace=span.trace,
        span=span.id,
        is_root=not span.parent,
        begun=span.begun,
        ended=span.ended,
        conversation=_screen(_conversation(given), _NAME),
        project=_screen(project, _NAME),
        said=_screen(asked, _TASK),
        step=step,
        calls=()
        if step
        else tuple(
            (_screen(key, _NAME), _screen(tool, _NAME), _screen(args, _ARGS))
            for message in _messages(given, (_OUTPUT,), _FLAT_OUTPUT)
            for key, tool, args in message.calls
        ),
        results=tuple(
            (_screen(key, _NAME), _screen(output, OUTPUT_LIMIT))
            for message in messages[spoken[-1] + 1 if spoken else 0 :]
            for key, output in message.results
        ),
    )
    return row if row.is_root or row.step or row.said or row.calls or row.results else None


def _conversation(given: Mapping[str, Any]) -> Any:
    return next((given[name] for name in _CONVERSATION if given.get(name)), "")


def _screen(value: Any, limit: int) -> str:
    return screen_text(str(value), limit)


def _step(span: Span) -> tuple[str, str, str, bool | None] | None:
    """The call of a tool; None for other spans, and if neither call nor output is told."""
    given = span.attributes
    form = next((one for one in CONVENTIONS if given.get(one.mark[0]) == one.mark[1]), None)
    if form is None:
        return None
    output = _result(given.get(form.output), is_json=form.is_json)
    failed = span.failed
    if failed is None and (given.get("error.type") or given.get(form.success) in ("false", False)):
        failed = True
    elif failed is None and form.has_exit:
        failed = states_failure(output)
    if failed and not output:
        raised = (held.get("exception.message") for name, held in span.events
                  if name == "exception")  # fmt: skip
        output = str(next(filter(None, raised), "") or span.message)
    tool = str(given.get(form.tool) or span.name)
    args = _screen(canonical(_arguments(given.get(form.args))), _ARGS)
    output = _screen(output, OUTPUT_LIMIT)
    return (_screen(tool, _NAME), args, output, failed) if args or output else None


def _arguments(value: Any) -> Any:
    """The arguments of a call; those of a Python function are those that were named."""
    held = _unpack(value)
    if isinstance(held, dict) and held.keys() == {"args", "kwargs"}:
        return held["kwargs"] if not held["args"] else {**held["kwargs"], "args": held["args"]}
    return "" if held is None else held


def _result(value: Any, *, is_json: bool = False) -> str:
    """The output of a call as text; with `is_json` the text that JSON holds."""
    if isinstance(value, str):
        held = _unpack(value) if is_json else value
        if isinstance(held, dict) and held.get("type") == "tool" and "data" in held:
            return text_of(held["data"].get("content"))  # a message of LangChain
        return held if isinstance(held, str) else value
    return "" if value is None else text_of(value) or json.dumps(value, ensure_ascii=False)


def _unpack(value: Any) -> Any:
    """What a text of JSON holds; another text as it is."""
    if not isinstance(value, str) or not value.startswith(("{", "[", '"', "null")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _messages(given: Mapping[str, Any], names: Iterable[str], flat: str) -> Iterator[Said]:
    """The messages that a span states, as JSON or as an attribute for each value."""
    held = next((_unpack(given[name]) for name in names if name in given), None)
    if isinstance(held, dict):  # a prompt, or what holds its messages
        prompt = {"role": "user", "content": held.get("prompt", "")}
        held = _find_messages(held, _DEPTH) or [prompt]
    if isinstance(held, list):
        yield from (_message(one) for one in held if isinstance(one, dict))
    else:
        yield from _flat_messages(given, flat)


def _find_messages(value: Any, depth: int) -> list[Any] | None:
    """The first list of messages with roles within a value."""
    if isinstance(value, list) and value and isinstance(value[0], dict) and "role" in value[0]:
        return value
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = (_find_messages(one, depth - 1) for one in within) if depth else ()
    return next(filter(None, found), None)


def _message(plain: dict[str, Any]) -> Said:
    """A message with parts, or in the form of OpenAI."""
    role, parts = str(plain.get("role") or ""), plain.get("parts")
    if not isinstance(parts, list):
        text, key = text_of(plain.get("content")), plain.get("tool_call_id")
        results = ((str(key), text),) if role == "tool" and key else ()
        asked = plain.get("tool_calls")
        calls = (one for one in asked if isinstance(one, dict)) if isinstance(asked, list) else ()
        called = (
            _call({**one["function"], "id": one.get("id")})
            for one in calls
            if isinstance(one.get("function"), dict)
        )
        return Said(role, text, tuple(called), results)
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for part in parts:
        if isinstance(part, dict):
            by_type[str(part.get("type"))].append(part)
    return Said(
        role,
        "\n".join(str(part.get("content") or "") for part in by_type["text"]),
        tuple(map(_call, by_type["tool_call"])),
        tuple(
            (str(part.get("id") or ""), _result(part.get("response", part.get("result"))))
            for part in by_type["tool_call_response"]
        ),
    )


def _flat_messages(given: Mapping[str, Any], prefix: str) -> Iterator[Said]:
    found: dict[int, dict[str, Any]] = {}
    for name, value in given.items():
        match = _FLAT.fullmatch(name, len(prefix)) if name.startswith(prefix) else None
        if match is None:
            continue
        message = found.setdefault(int(match[1]), {})
        if match[2]:
            message[match[2]] = value
        else:
            call = message.setdefault("calls", {}).setdefault(int(match[3]), {"function": {}})
            (call if match[4] else call["function"])[match[4] or match[5]] = value
    for _, message in sorted(found.items()):
        calls = [call for _, call in sorted(message.get("calls", {}).items())]
        yield _message({**message, "tool_calls": calls})


def _call(plain: Mapping[str, Any]) -> tuple[str, str, str]:
    """The id, the tool and the arguments of a call that a model asked for."""
    args = canonical(_arguments(plain.get("arguments")))
    return str(plain.get("id") or ""), str(plain.get("name") or ""), args


_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_NESTED = 40  # messages within messages
_REQUESTS = {False: "Request", True: "LogsRequest"}
_VERDICTS = {1: False, "STATUS_CODE_OK": False, 2: True, "STATUS_CODE_ERROR": True}
_SCALARS: dict[str, Callable[[Any], Any]] = {
    "hex": bytes.hex,
    "text": lambda value: value.decode("utf-8", "replace"),
    "number": int,
    "signed": lambda value: value - (1 << 64) if value >> 63 else value,
    "flag": bool,
    "time": lambda value: struct.unpack("<Q", value)[0],
    "double": lambda value: struct.unpack("<d", value)[0],
}
# The messages of OTLP: by the number of a field, its name in OTLP's JSON and what it holds, where
# `*` stands before what may come more than once.
_FORMS = """
Request: 1 resourceSpans *ResourceSpans
LogsRequest: 1 resourceLogs *ResourceLogs
ResourceLogs: 1 resource Resource, 2 scopeLogs *ScopeLogs
ScopeLogs: 2 logRecords *LogRecord
LogRecord: 1 timeUnixNano time, 5 body Value, 6 attributes *Attribute, 9 traceId hex
LogRecord: 10 spanId hex, 11 observedTimeUnixNano time, 12 eventName text
ResourceSpans: 1 resource Resource, 2 scopeSpans *ScopeSpans
Resource: 1 attributes *Attribute
ScopeSpans: 2 spans *Span
Span: 1 traceId hex, 2 spanId hex, 4 parentSpanId hex, 5 name text, 7 startTimeUnixNano time
Span: 8 endTimeUnixNano time, 9 attributes *Attribute, 11 events *Event, 15 status Status
Event: 2 name text, 3 attributes *Attribute
Status: 2 message text, 3 code number
Attribute: 1 key text, 2 value Value
Value: 1 stringValue text, 2 boolValue flag, 3 intValue signed, 4 doubleValue double
Value: 5 arrayValue Array, 6 kvlistValue Pairs, 7 bytesValue hex
Array: 1 values *Value
Pairs: 1 values *Attribute
"""
_FIELDS = {
    (message, int(number)): (name, held)
    for message, fields in (line.split(": ") for line in _FORMS.split("\n") if line)
    for number, name, held in map(str.split, fields.split(", "))
}


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


def read_request(body: bytes, *, is_json: bool, is_logs: bool) -> Iterator[Span]:
    """The spans of a request for traces, or for logs; InvalidInput if the bytes are none."""
    try:
        document = json.loads(body) if is_json else _decode(_REQUESTS[is_logs], body)
    except (*_ODD, struct.error) as why:
        form = "JSON" if is_json else "protobuf"
        raise InvalidInput(f"the body is no OTLP request in {form}") from why
    return spans_in_json(document)


def spans_in_json(document: Any) -> Iterator[Span]:
    """The spans and log records of a request in OTLP's JSON; InvalidInput if it is none."""
    try:
        for part in _list(document, "resourceSpans"):
            resource = _attributes(part.get("resource") or {})
            for scope in (*_list(part, "scopeSpans"), *_list(part, "instrumentationLibrarySpans")):
                for span in _list(scope, "spans"):
                    yield _span(span, resource)
        for part in _list(document, "resourceLogs"):
            resource = _attributes(part.get("resource") or {})
            for scope in _list(part, "scopeLogs"):
                logged = (_span_of_log(record, resource) for record in _list(scope, "logRecords"))
                yield from (one for one in logged if one.trace)
    except _ODD as error:
        raise InvalidInput("the document is no OTLP request") from error


def _decode(kind: str, message: bytes, depth: int = 0) -> dict[str, Any]:
    """A message of protobuf as OTLP's JSON has it; fields that nothing reads are left out."""
    if depth > _NESTED:
        raise ValueError("too deep")
    decoded: dict[str, Any] = {}
    for number, value in _fields(message):
        name, held = _FIELDS.get((kind, number), ("", ""))
        if held in _SCALARS:
            decoded[name] = _SCALARS[held](value)
        elif held.startswith("*"):
            decoded.setdefault(name, []).append(_decode(held[1:], value, depth + 1))
        elif held:
            decoded[name] = _decode(held, value, depth + 1)
    return decoded


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
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


def _list(document: Any, name: str) -> list[Any]:
    """The list of this name; some writers of JSON spell `resourceSpans` as `resource_spans`."""
    other = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
    found = document.get(name, document.get(other)) or []
    if not isinstance(found, list):
        raise TypeError(name)
    return found


def _attributes(holder: Any, name: str = "attributes") -> dict[str, Any]:
    return {pair["key"]: _value(pair.get("value")) for pair in holder.get(name) or ()}


def _value(value: Any) -> Any:
    """What an `AnyValue` holds."""
    for kind, held in (value or {}).items():
        if kind == "intValue":
            return int(held)
        if kind == "arrayValue":
            return [_value(item) for item in held.get("values") or ()]
        return _attributes(held, "values") if kind == "kvlistValue" else held
    return None


def _span(span: Any, resource: Mapping[str, Any]) -> Span:
    status, parent = span.get("status") or {}, str(span.get("parentSpanId") or "")
    events = ((one.get("name") or "", _attributes(one)) for one in span.get("events") or ())
    return Span(
        trace=str(span["traceId"]).lower(),
        id=str(span["spanId"]).lower(),
        parent=parent.lower() if parent.strip("0") else "",
        name=str(span.get("name") or ""),
        begun=int(span.get("startTimeUnixNano") or 0),
        ended=int(span.get("endTimeUnixNano") or 0),
        attributes=_attributes(span),
        resource=resource,
        failed=_VERDICTS.get(status.get("code", 0)),
        message=str(status.get("message") or ""),
        events=tuple(events),
    )


def _span_of_log(record: Any, resource: Mapping[str, Any]) -> Span:
    """A log record as a span without a duration, in the trace or the conversation that it names.

    The same message logged again, as clients do that log the whole history, is the same span.
    """
    given, body = _attributes(record), _value(record.get("body"))
    event = str(given.setdefault("event.name", record.get("eventName") or ""))
    trace = str(record.get("traceId") or "").lower()
    if not trace.strip("0"):
        conversation = _conversation(given)
        trace = _digest_of(conversation) if conversation else ""
    at = int(record.get("timeUnixNano") or 0) or int(record.get("observedTimeUnixNano") or 0)
    messages = _messages_of_event(event, body) if isinstance(body, dict) else {}
    return Span(
        trace=trace,
        id=_digest_of([trace, [event, body] if messages else [given, at, body]]),
        parent=str(record.get("spanId") or "") or "log",
        name=event,
        begun=at,
        ended=at,
        attributes={**given, **messages},
        resource=resource,
    )


def _digest_of(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=12).hexdigest()


def _messages_of_event(event: str, body: dict[str, Any]) -> dict[str, Any]:
    """The messages in an event of the first GenAI conventions, which log one at a time."""
    content = body.get("content")
    if event == "gen_ai.user.message":
        return {INPUT: [{"role": "user", "content": content}]}
    if event == "gen_ai.tool.message":
        part = {**body, "type": "tool_call_response", "response": content}
        return {INPUT: [{"role": "tool", "parts": [part]}]}
    message = body.get("message") if event == "gen_ai.choice" else None
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return {_OUTPUT: [{"role": "assistant", "tool_calls": calls}]} if calls else {}
