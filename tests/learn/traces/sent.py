"""Traces as exporters send them: recorded ones, and runs as spans of the GenAI conventions."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.learn.past_runs import PastRun

RECORDED = Path(__file__).parent / "recorded"
FRAMEWORKS = sorted(path.name.removesuffix(".pb.gz") for path in RECORDED.glob("*.pb.gz"))


def recorded(framework: str, folder: Path = RECORDED) -> list[bytes]:
    """The requests that the exporter of a framework has sent, see `record.py`."""
    data = gzip.decompress((folder / f"{framework}.pb.gz").read_bytes())
    requests, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        requests.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return requests


def value_of(value: Any) -> dict[str, Any]:
    """A value of an attribute in OTLP's JSON."""
    return {"stringValue": value if isinstance(value, str) else json.dumps(value)}


def span(
    trace: int, number: int, attributes: dict[str, Any], *, at: float = 1000.0, parent: int = 0
) -> dict[str, Any]:
    """A span of a second in OTLP's JSON; the numbers become ids."""
    given = [{"key": name, "value": value_of(value)} for name, value in attributes.items()]
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": "span",
        "startTimeUnixNano": str(int(at * 1e9)),
        "endTimeUnixNano": str(int((at + 1) * 1e9)),
        "attributes": given,
    }


def tool_span(
    trace: int, number: int, command: Any, output: str, *, tool: str = "bash", **how: Any
) -> dict[str, Any]:
    """The span of a tool call below span 1; `failed` sets its status."""
    failed = how.pop("failed", False)
    made = span(
        trace,
        number,
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.arguments": command,
            "gen_ai.tool.call.result": output,
        },
        **{"parent": 1, **how},
    )
    return made | {"status": {"code": 2 if failed else 1}}


def root_span(trace: int, task: str, *, at: float = 999.0) -> dict[str, Any]:
    """The span of a whole run."""
    said = [{"role": "user", "parts": [{"type": "text", "content": task}]}]
    asked = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": said}
    return span(trace, 1, asked, at=at)


def request(spans: Iterable[dict[str, Any]], project: str = "shop") -> bytes:
    """A request with these spans."""
    resource = {"attributes": [{"key": "hardwon.project", "value": value_of(project)}]}
    part = {"resource": resource, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}
    return json.dumps({"resourceSpans": [part]}).encode()


def spans_of(run: PastRun) -> list[dict[str, Any]]:
    """The spans of a recorded run; children end before their root, as exporters send them."""
    trace, at = int(run.name) + 1, run.begun.timestamp()
    made = []
    for number, call in enumerate(run.calls, 2):
        begun = (run.begun + timedelta(seconds=number)).timestamp()
        how: dict[str, Any] = {"tool": call.tool, "failed": call.failed, "at": begun}
        made.append(tool_span(trace, number, call.args, call.output, **how))
    return [*made, root_span(trace, run.task, at=at)]
