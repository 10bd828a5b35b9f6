"""Spans in the exports of Phoenix, LangSmith and Langfuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.learn.traces.conventions import INPUT, Span

_OF_PHOENIX = {"OK": False, "ERROR": True}


class Export(NamedTuple):
    """How a record is recognised, and read."""

    keys: frozenset[str]
    read: Callable[[dict[str, Any]], Span]


def spans_in_export(record: Any) -> Iterator[Span]:
    """The spans of a record or of a list of them; InvalidInput if it is of no known export."""
    if isinstance(record, list):
        for one in record:
            yield from spans_in_export(one)
        return
    try:
        yield next(one.read for one in EXPORTS if one.keys <= record.keys())(record)
    except (StopIteration, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInput("the record is of no export that is known") from error


def _of_phoenix(record: dict[str, Any]) -> Span:
    """What `client.spans.get_spans` gives: attributes of OpenInference."""
    place = record["context"]
    events = ((one["name"], one.get("attributes") or {}) for one in record.get("events") or ())
    return Span(
        trace=place["trace_id"],
        id=place["span_id"],
        parent=record.get("parent_id") or "",
        name=record["name"],
        begun=_nanoseconds(record["start_time"]),
        ended=_nanoseconds(record["end_time"]),
        attributes={**record["attributes"], "openinference.span.kind": record["span_kind"]},
        resource={},
        failed=_OF_PHOENIX.get(record.get("status_code", "")),
        message=record.get("status_message") or "",
        events=tuple(events),
    )


def _of_langsmith(record: dict[str, Any]) -> Span:
    """A `Run`, as `client.list_runs` gives it; one without an error is judged by its output."""
    error, inputs = record.get("error") or "", record.get("inputs") or {}
    output: Any = record.get("outputs")
    if isinstance(output, dict) and output.keys() == {"output"}:
        output = output["output"]
    call = {
        "openinference.span.kind": "TOOL",
        "tool.name": record["name"],
        "input.value": inputs,
        "output.value": output,
    }
    return Span(
        trace=str(record["trace_id"]),
        id=str(record["id"]),
        parent=str(record.get("parent_run_id") or ""),
        name=record["name"],
        begun=_nanoseconds(record["start_time"]),
        ended=_nanoseconds(record.get("end_time") or record["start_time"]),
        attributes=call if record["run_type"] == "tool" else {INPUT: inputs},
        resource={},
        failed=True if error else None,
        message=error,
    )


def _of_langfuse(record: dict[str, Any]) -> Span:
    """An observation, as `api.observations` gives it."""
    given = {
        "langfuse.observation.type": record["type"].lower(),
        "langfuse.observation.input": record.get("input"),
        "langfuse.observation.output": record.get("output"),
        "session.id": record.get("sessionId"),
    }
    return Span(
        trace=record["traceId"],
        id=record["id"],
        parent=record.get("parentObservationId") or "",
        name=record.get("name") or "",
        begun=_nanoseconds(record["startTime"]),
        ended=_nanoseconds(record.get("endTime") or record["startTime"]),
        attributes={name: value for name, value in given.items() if value is not None},
        resource={},
        failed=True if record.get("level") == "ERROR" else None,
        message=record.get("statusMessage") or "",
    )


EXPORTS = (
    Export(frozenset({"context", "span_kind", "attributes"}), _of_phoenix),
    Export(frozenset({"run_type", "trace_id", "inputs"}), _of_langsmith),
    Export(frozenset({"traceId", "type", "startTime"}), _of_langfuse),
)


def _nanoseconds(text: str) -> int:
    """The time; one without a zone is in UTC."""
    at = datetime.fromisoformat(text)
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1e6) * 1000
