"""Record traces of real frameworks: `python record.py FRAMEWORK OUTPUT.pb.gz`.

Run it in an environment of its own with the packages of the framework, see `FRAMEWORKS`. A
scripted model asks for the same tool three times; the first call fails. What the exporter of the
framework sends is written as it came, one request after the other, each behind its length.
"""

# mypy: ignore-errors
from __future__ import annotations

import gzip
import json
import os
import struct
import subprocess
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

CALLS = ("stock --store north", "login --store north", "stock --store north")
TASK = "Report the stock of the store north"
ERROR = "kiosk: error: not logged in, run `kiosk login --store north` first"
_logged_in = False
received: list[bytes] = []
COLLECTED = "/v1/traces"  # what is written down


def kiosk(command: str) -> str:
    """Run the kiosk program with this command."""
    global _logged_in
    if command.startswith("login"):
        _logged_in = True
        return "logged in"
    if not _logged_in:
        raise RuntimeError(ERROR)
    return "pears 12"


class Handler(BaseHTTPRequestHandler):
    """The model at `/v1/chat/completions`, the collector at `/v1/traces` and `/v1/logs`."""

    def do_POST(self) -> None:
        body = self._body()
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if self.path.endswith(("/v1/traces", "/v1/logs")):
            if self.path.endswith(COLLECTED):
                received.append(body)
            return self._answer("application/x-protobuf", b"")
        messages = json.loads(body)["messages"]
        results = sum(message["role"] == "tool" for message in messages)
        message: dict[str, Any] = {"role": "assistant", "content": "There are 12 pears."}
        if results < len(CALLS):
            function = {"name": "kiosk", "arguments": json.dumps({"command": CALLS[results]})}
            call = {"id": f"call_{results}", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        reply = {"id": "r", "object": "chat.completion", "created": 1, "model": "m"}
        text = json.dumps({**reply, "choices": [choice], "usage": usage}).encode()
        return self._answer("application/json", text)

    def _body(self) -> bytes:
        if length := self.headers["content-length"]:
            return self.rfile.read(int(length))
        body = b""
        while size := int(self.rfile.readline(), 16):  # in chunks, as Node sends it
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def provider() -> Any:
    """A provider of tracers that exports to the server."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    made = TracerProvider(resource=Resource.create({"service.name": "kiosk-agent"}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{BASE}/v1/traces")))
    trace.set_tracer_provider(made)
    return made


def chat_loop() -> None:
    """A plain loop over the OpenAI client; a failing tool answers with its error."""
    from openai import OpenAI

    client = OpenAI(base_url=f"{BASE}/v1", api_key="none")
    messages: list[Any] = [{"role": "user", "content": TASK}]
    parameters = {"type": "object", "properties": {"command": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "kiosk", "parameters": parameters}}
    while True:
        answer = client.chat.completions.create(model="m", messages=messages, tools=[tool])
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            try:
                result = kiosk(**json.loads(call.function.arguments))
            except RuntimeError as error:
                result = str(error)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def openinference_openai() -> None:
    """openinference-instrumentation-openai openai opentelemetry-exporter-otlp-proto-http"""
    from openinference.instrumentation.openai import OpenAIInstrumentor

    made = provider()
    OpenAIInstrumentor().instrument(tracer_provider=made)
    with made.get_tracer("own").start_as_current_span("agent run"):
        chat_loop()
    made.shutdown()


def langgraph() -> None:
    """openinference-instrumentation-langchain langgraph langchain-openai (and the exporter)"""
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent
    from openinference.instrumentation.langchain import LangChainInstrumentor

    made = provider()
    LangChainInstrumentor().instrument(tracer_provider=made)
    from langchain_core.tools import tool
    from langgraph.prebuilt import ToolNode

    model = ChatOpenAI(model="m", base_url=f"{BASE}/v1", api_key="none")
    agent = create_react_agent(model, ToolNode([tool(kiosk)], handle_tool_errors=str))
    agent.invoke({"messages": [("user", TASK)]})
    made.shutdown()


def logfire() -> None:
    """logfire pydantic-ai-slim[openai]"""
    import logfire as lf
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from pydantic_ai import Agent, ModelRetry
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    processor = BatchSpanProcessor(OTLPSpanExporter(f"{BASE}/v1/traces"))
    lf.configure(
        send_to_logfire=False,
        console=False,
        service_name="kiosk-agent",
        additional_span_processors=[processor],
    )
    lf.instrument_pydantic_ai()
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=f"{BASE}/v1", api_key="none"))
    agent = Agent(model, name="clerk", retries=3)

    @agent.tool_plain(name="kiosk")
    def run_kiosk(command: str) -> str:
        try:
            return kiosk(command)
        except RuntimeError as error:
            raise ModelRetry(str(error)) from error

    agent.run_sync(TASK)
    processor.force_flush()


def traceloop() -> None:
    """traceloop-sdk openai"""
    from traceloop.sdk import Traceloop
    from traceloop.sdk.decorators import tool, workflow

    Traceloop.init(app_name="kiosk-agent", api_endpoint=BASE, telemetry_enabled=False)
    globals()["kiosk"] = tool(name="kiosk")(kiosk)
    workflow(name="report")(chat_loop)()
    from opentelemetry import trace

    trace.get_tracer_provider().force_flush()  # type: ignore[attr-defined]


def langfuse() -> None:
    """langfuse"""
    keys = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}
    os.environ.update(keys, LANGFUSE_BASE_URL=BASE, OTEL_SERVICE_NAME="kiosk-agent")
    from langfuse import get_client, observe

    call = observe(as_type="tool")(kiosk)

    @observe(as_type="agent")
    def agent(messages: Any) -> str:
        for command in CALLS:
            with suppress(RuntimeError):
                call(command=command)
        return "There are 12 pears."

    agent([{"role": "user", "content": TASK}])
    get_client().flush()


def genai() -> None:
    """opentelemetry-exporter-otlp-proto-http; an agent sets the attributes itself"""
    made = provider()
    tracer = made.get_tracer("own")
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}
    said = [{"role": "user", "parts": [{"type": "text", "content": TASK}]}]
    asked = agent | {"gen_ai.conversation.id": "c1", "gen_ai.input.messages": json.dumps(said)}
    with tracer.start_as_current_span("invoke_agent clerk", attributes=asked):
        for number, command in enumerate(CALLS):
            call = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "kiosk",
                "gen_ai.tool.call.id": f"call_{number}",
                "gen_ai.tool.call.arguments": json.dumps({"command": command}),
            }
            try:
                with tracer.start_as_current_span("execute_tool kiosk", attributes=call) as span:
                    span.set_attribute("gen_ai.tool.call.result", kiosk(command))
            except RuntimeError:
                continue
    made.shutdown()


def openai_events() -> None:
    """opentelemetry-instrumentation-openai-v2 opentelemetry-util-genai==0.4b0 "openai<3" httpx"""
    global COLLECTED
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    COLLECTED = "/v1/logs"
    logs = LoggerProvider(resource=Resource.create({"service.name": "kiosk-agent"}))
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{BASE}/v1/logs")))
    made = provider()
    OpenAIInstrumentor().instrument(tracer_provider=made, logger_provider=logs)
    with made.get_tracer("own").start_as_current_span("agent run"):
        chat_loop()
    made.shutdown()
    logs.shutdown()


def openai_messages() -> None:
    """The same packages, in the first form of the conventions: an event for each message"""
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = ""
    openai_events()


def vercel() -> None:
    """npm: ai @ai-sdk/openai-compatible zod @opentelemetry/sdk-node, and its exporter for proto"""
    subprocess.run(["node", sys.argv[3], BASE], check=True)


FRAMEWORKS = {
    made.__name__: made
    for made in (
        *(openinference_openai, langgraph, logfire, traceloop, langfuse, genai, vercel),
        *(openai_events, openai_messages),
    )
}

if __name__ == "__main__":
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    BASE = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    FRAMEWORKS[sys.argv[1]]()
    with gzip.open(sys.argv[2], "wb") as file:
        for request in received:
            file.write(struct.pack("<I", len(request)) + request)
    print(len(received), "requests", sum(map(len, received)), "bytes")
