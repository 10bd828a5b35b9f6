"""What the telemetry of real coding agents says about calls; `docs/how-to/traces.md` tells it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hardwon.core.values.report import Window
from hardwon.core.values.run import Step
from hardwon.core.values.scope import Scope
from tests.e2e.agents import AGENTS, Lab, claude_environ, codex_settings, program
from tests.e2e.scripted import scripted
from tests.learn.past_runs import BEGIN
from tests.stored import opened
from tests.test_telemetry import Receiver, receiver

pytestmark = pytest.mark.e2e

PROMPT = "Make the folder for the nightly report"
FAILING, WORKING = "mkdir out/nightly", "mkdir -p out/nightly"
ERROR = "cannot create directory"
SHELLS = {agent.name: agent.shell for agent in AGENTS}


def test_claude_code_tells_the_call_but_not_what_went_wrong(tmp_path: Path) -> None:
    lab, shell = Lab(tmp_path), SHELLS["claude-code"]
    with receiver(tmp_path) as received, scripted([shell(FAILING), shell(WORKING), "ok"]) as model:
        telemetry = {
            "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
            "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
            "OTEL_TRACES_EXPORTER": "otlp",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_ENDPOINT": received.url,
            "OTEL_LOG_TOOL_DETAILS": "1",
            "OTEL_LOG_TOOL_CONTENT": "1",
        }
        command = [program("claude"), "-p", PROMPT, "--dangerously-skip-permissions"]
        lab.run([*command, "--model", "claude-sonnet-4-5"], claude_environ(model) | telemetry)

    tools = [span for span in received.spans if span.name == "claude_code.tool"]
    commands = [span.attributes["full_command"] for span in tools]
    assert sorted(commands) == sorted([FAILING, WORKING])
    assert ERROR not in repr(received.spans)
    with opened(tmp_path / "hw") as hw:
        agent = hw.agent("coder", project="shop")
        agent.traces.take(received.bodies[0])
        agent.traces.collect(lambda: 1e12)
        assert (
            list(hw.store.ended_runs.latest(Window(Scope("default"), BEGIN, True), limit=9)) == []
        )


def test_claude_code_logs_the_call_but_not_what_went_wrong(tmp_path: Path) -> None:
    lab, shell = Lab(tmp_path), SHELLS["claude-code"]
    with receiver(tmp_path) as received, scripted([shell(FAILING), shell(WORKING), "ok"]) as model:
        telemetry = {
            "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
            "OTEL_LOGS_EXPORTER": "otlp",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
            "OTEL_EXPORTER_OTLP_ENDPOINT": received.url,
            **dict.fromkeys(("OTEL_LOG_TOOL_DETAILS", "OTEL_LOG_TOOL_CONTENT"), "1"),
        }
        command = [program("claude"), "-p", PROMPT, "--dangerously-skip-permissions"]
        lab.run([*command, "--model", "claude-sonnet-4-5"], claude_environ(model) | telemetry)

    logged = "".join(Path(file).read_text() for file in received.metrics)
    assert FAILING in logged
    assert ERROR not in logged
    assert recorded_steps(tmp_path, received) == []


def test_codex_tells_calls_with_their_output_in_logs_not_in_spans(tmp_path: Path) -> None:
    lab, shell = Lab(tmp_path), SHELLS["codex"]
    with receiver(tmp_path) as received, scripted([shell(FAILING), shell(WORKING), "ok"]) as model:
        exporter = '{{ otlp-http = {{ endpoint = "{}/v1/{}", protocol = "{}" }} }}'
        logs = exporter.format(received.url, "logs", "json")
        spans = exporter.format(received.url, "traces", "binary")
        otel = f"[otel]\nexporter = {logs}\ntrace_exporter = {spans}\n"
        codex_settings(lab, model, otel)
        options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        lab.run([program("codex"), "exec", *options, PROMPT], {"NO_KEY": "x"})

    assert received.spans
    assert FAILING not in repr(received.spans)
    assert [(step.args, step.failed) for step in recorded_steps(tmp_path, received)] == [
        (FAILING, True),
        (WORKING, False),
    ]


def recorded_steps(folder: Path, received: Receiver) -> Sequence[Step]:
    """The calls that logs in JSON tell, as they are recorded."""
    with opened(folder / "hw") as hw:
        agent = hw.agent("coder", project="shop")
        for file in received.metrics:
            agent.traces.take(Path(file).read_bytes(), is_json=True, is_logs=True)
        agent.traces.collect(lambda: 1e12)
        runs = hw.store.ended_runs.latest(Window(Scope("default"), BEGIN, True), limit=9)
        return [step for run in runs for step in run.steps]
