"""What a span says about a run: which tool was called, with what result, and what was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.engine.pipeline.screen import screen_text
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.learn.traces.otlp import Span
from hardwon.learn.transcripts.transcript import OUTPUT_LIMIT, text_of

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


CONVENTIONS = (
    Convention(
        "OpenTelemetry GenAI",
        ("gen_ai.operation.name", "execute_tool"),
        "gen_ai.tool.name",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
    ),
    Convention(
        "OpenInference",
        ("openinference.span.kind", "TOOL"),
        "tool.name",
        "input.value",
        "output.value",
        is_json=True,
    ),
    Convention(
        "Traceloop",
        ("traceloop.span.kind", "tool"),
        "traceloop.entity.name",
        "traceloop.entity.input",
        "traceloop.entity.output",
        is_json=True,
    ),
    Convention(
        "Vercel AI SDK",
        ("ai.operationId", "ai.toolCall"),
        "ai.toolCall.name",
        "ai.toolCall.args",
        "ai.toolCall.result",
        is_json=True,
    ),
    Convention(
        "Langfuse",
        ("langfuse.observation.type", "tool"),
        "",  # the name of the span
        "langfuse.observation.input",
        "langfuse.observation.output",
        is_json=True,
    ),
)
_INPUT = (  # JSON
    "gen_ai.input.messages",
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
_CONVERSATION = ("gen_ai.conversation.id", "session.id")
_PROJECT, _SERVICE, _UNKNOWN = "hardwon.project", "service.name", "unknown_service"


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
    """What a span says; None if nothing in it is about a run."""
    given = span.attributes
    messages = list(_messages(given, _INPUT, _FLAT_INPUT))
    asked = [message.text for message in messages if message.role == "user" and message.text]
    step = next(
        (_step(span, one) for one in CONVENTIONS if given.get(one.mark[0]) == one.mark[1]), None
    )
    if step and not (step[1] or step[2]):
        step = None  # which call it was is not told, nor what came of it
    answers = _messages(given, (_OUTPUT,), _FLAT_OUTPUT) if step is None else ()
    row = Row(
        trace=span.trace,
        span=span.id,
        is_root=not span.parent,
        begun=span.begun,
        ended=span.ended,
        conversation=_screen(
            next((given[one] for one in _CONVERSATION if given.get(one)), ""), _NAME
        ),
        project=_screen(_project(span.resource), _NAME),
        said=_screen(asked[-1], _TASK) if asked else "",
        step=step,
        calls=tuple(
            (_screen(key, _NAME), _screen(tool, _NAME), _screen(args, _ARGS))
            for message in answers
            for key, tool, args in message.calls
        ),
        results=tuple(
            (_screen(key, _NAME), _screen(output, OUTPUT_LIMIT))
            for message in _latest(messages)
            for key, output in message.results
        ),
    )
    return row if row.is_root or row.step or row.said or row.calls or row.results else None


def _screen(value: Any, limit: int) -> str:
    return screen_text(str(value), limit)


def _project(resource: Mapping[str, Any]) -> str:
    """The project that a resource names, else its service."""
    service = str(resource.get(_SERVICE) or "")
    own = "" if service.startswith(_UNKNOWN) else service
    return str(resource.get(_PROJECT) or own)


def _step(span: Span, convention: Convention) -> tuple[str, str, str, bool | None]:
    given = span.attributes
    output, failed = _result(given.get(convention.output), is_json=convention.is_json), span.failed
    if failed is None and given.get("error.type"):
        failed = True
    if failed and not output:
        raised = (
            held.get("exception.message") for name, held in span.events if name == "exception"
        )
        output = str(next(filter(None, raised), "") or span.message)
    tool = str(given.get(convention.tool) or span.name)
    args = canonical(_arguments(given.get(convention.args)))
    return _screen(tool, _NAME), _screen(args, _ARGS), _screen(output, OUTPUT_LIMIT), failed


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
    """A message with parts, or with a content."""
    role, parts = str(plain.get("role") or ""), plain.get("parts")
    if not isinstance(parts, list):
        return Said(role, text_of(plain.get("content")))
    texts, calls, results = [], [], []
    for part in parts:
        if not isinstance(part, dict):
            continue
        key = str(part.get("id") or "")
        if part.get("type") == "text":
            texts.append(str(part.get("content") or ""))
        elif part.get("type") == "tool_call":
            calls.append(
                (key, str(part.get("name") or ""), canonical(_arguments(part.get("arguments"))))
            )
        elif part.get("type") == "tool_call_response":
            results.append((key, _result(part.get("response", part.get("result")))))
    return Said(role, "\n".join(texts), tuple(calls), tuple(results))


def _flat_messages(given: Mapping[str, Any], prefix: str) -> Iterator[Said]:
    found: dict[int, dict[str, Any]] = {}
    for name, value in given.items():
        match = _FLAT.fullmatch(name, len(prefix)) if name.startswith(prefix) else None
        if match is None:
            continue
        message = found.setdefault(int(match[1]), {"calls": {}})
        if match[2]:
            message[match[2]] = value
        else:
            message["calls"].setdefault(int(match[3]), {})[match[4] or match[5]] = value
    for _, message in sorted(found.items()):
        text, role = text_of(message.get("content")), str(message.get("role") or "")
        asked = (call for _, call in sorted(message["calls"].items()))
        calls = tuple(
            (
                str(one.get("id", "")),
                str(one.get("name", "")),
                canonical(_arguments(one.get("arguments"))),
            )
            for one in asked
        )
        is_result = role == "tool"
        yield Said(
            role, text, calls, ((str(message.get("tool_call_id")), text),) if is_result else ()
        )


def _latest(messages: list[Said]) -> list[Said]:
    """The messages since the model spoke last: earlier ones stand in earlier spans, too."""
    spoken = [at for at, message in enumerate(messages) if message.role == "assistant"]
    return messages[spoken[-1] + 1 :] if spoken else messages
