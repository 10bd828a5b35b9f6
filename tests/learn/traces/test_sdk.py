"""The real SDK sends recorded runs to a real server: the evidence is that of the live path."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.environments import python_with
from tests.learn.past_runs import BEGIN, SOURCES, PastRun, evidence, record_live, runs_of
from tests.stored import opened
from tests.surfaces.serve.served import served

pytestmark = pytest.mark.adapters

_SENDING = """
import json, sys
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import StatusCode, set_span_in_context

url, key = sys.argv[1:]
headers = {"Authorization": f"Bearer {key}"}
exporter = OTLPSpanExporter(url, headers=headers, compression=Compression.Gzip)
provider = TracerProvider(resource=Resource.create({"hardwon.project": "shop"}))
provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=100_000))
tracer = provider.get_tracer("replay")
for run in json.load(sys.stdin):
    said = [{"role": "user", "parts": [{"type": "text", "content": run["task"]}]}]
    asked = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": json.dumps(said)}
    root = tracer.start_span("invoke_agent", start_time=run["at"], attributes=asked)
    at = run["at"]
    for tool, args, output, failed in run["calls"]:
        at += 10**9
        call = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.arguments": json.dumps(args),
            "gen_ai.tool.call.result": output,
        }
        within = set_span_in_context(root)
        span = tracer.start_span("execute_tool", within, start_time=at, attributes=call)
        span.set_status(StatusCode.ERROR if failed else StatusCode.OK)
        span.end(at + 10**8)
    root.end(at + 10**9)
provider.shutdown()
"""


def plain(run: PastRun) -> dict[str, Any]:
    return {"task": run.task, "calls": run.calls, "at": int(run.begun.timestamp() * 1e9)}


@pytest.mark.parametrize("source", SOURCES)
def test_what_the_sdk_sends_leaves_the_evidence_of_the_live_path(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    past, at = runs_of(source), [BEGIN]
    home = tmp_path / "served"
    with served(home) as server:
        url = f"{server.service.url}/v1/traces?agent=coder"
        command = [python_with("otel"), "-c", _SENDING, url, server.key("agent")]
        sent = json.dumps([plain(run) for run in past])
        subprocess.run(command, input=sent, text=True, check=True, timeout=300)
        learnt = server.hw.agent("coder").traces.collect(lambda: time.time() + 60)

    with opened(home) as hw, opened(tmp_path / "live", clock=lambda: at[0]) as live:
        record_live(live, "shop", past, at)
        found, expected = evidence(hw, "shop"), evidence(live, "shop")
    assert len(learnt) == len(past)
    assert found == expected
    assert expected["lessons"]
