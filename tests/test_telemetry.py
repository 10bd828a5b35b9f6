"""Spans, events and counts: the real SDK sends what doors, server and worker do to a receiver."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hardwon.core.settings import Settings
from hardwon.learn.traces.conventions import Span, read_request
from tests.integrations.environments import python_with
from tests.surfaces.serve.served import served

ROOT = Path(__file__).parents[1]
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"

RUNS = """
import sys
import hardwon
from hardwon.core.settings import load

hw = hardwon.open(sys.argv[1])
FAILED = "mkdir: cannot create directory 'out/a': No such file or directory"

def run(name):
    coder = hw.agent("coder", project="shop", run=name)
    coder.start()
    coder.before_turn("make the folder of the nightly report")
    denial = coder.before_action("bash", {"command": "mkdir out/a"})
    if not denial:
        coder.after_action("bash", {"command": "mkdir out/a"}, output=FAILED, failed=True)
    coder.after_action("bash", {"command": "mkdir -p out/a"}, output="", failed=False)
    coder.after_run(task="nightly", error=FAILED if name == "one" else None)
"""
TRACED = f"""{RUNS}
from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())]))
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
for name in ("one", "two"):
    with provider.get_tracer("own").start_as_current_span(name):
        run(name)
"""
UNTRACED = f"""{RUNS}
run("one")
run("two")
hw.drain()
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
assert "hardwon.engine.telemetry" not in sys.modules
"""
COUNTS = """
import json, sys
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
for path in sys.argv[1:]:
    request = ExportMetricsServiceRequest.FromString(open(path, "rb").read())
    for resource in MessageToDict(request)["resourceMetrics"]:
        for scope in resource["scopeMetrics"]:
            for metric in scope["metrics"]:
                for point in metric.get("sum", {}).get("dataPoints", ()):
                    print(json.dumps([metric["name"], int(point["asInt"])]))
"""


class Receiver:
    """What exporters have sent."""

    def __init__(self, folder: Path) -> None:
        self.spans: list[Span] = []
        self.bodies: list[bytes] = []  # with spans
        self.metrics: list[str] = []  # files; and those with logs
        self._folder = folder
        self.url = ""

    def take(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            self.bodies.append(body)
            self.spans += read_request(body, is_json=False, is_logs=False)
        else:
            file = self._folder / f"metrics-{len(self.metrics)}"
            file.write_bytes(body)
            self.metrics.append(str(file))

    def counts(self) -> dict[str, int]:
        """The last value of each counter, over all its doors."""
        found: dict[str, int] = {}
        command = [python_with("otel_serve"), "-c", COUNTS, self.metrics[-1]]
        for line in subprocess.run(command, check=True, capture_output=True).stdout.splitlines():
            name, value = json.loads(line)
            found[name] = found.get(name, 0) + value
        return found

    def span(self, name: str) -> Span:
        (found,) = (span for span in self.spans if span.name == name)
        return found


@contextmanager
def receiver(folder: Path) -> Iterator[Receiver]:
    """A receiver of OTLP on a free port while the block runs."""
    received = Receiver(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.take(self.path, self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    received.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def environ(home: Path, **more: str) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("OTEL_")}
    own = {"PYTHONPATH": str(ROOT / "src"), "HARDWON_HOME": str(home)}
    return kept | own | {"HARDWON_HOOKS_WAKE": "false", "HARDWON_QUEUE_AUTOSTART": "false"} | more


def python(code: str, home: Path, **more: str) -> None:
    command = [python_with("otel_serve"), "-c", code, str(home)]
    done = subprocess.run(command, env=environ(home, **more), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr


def events(span: Span, name: str) -> list[dict[str, Any]]:
    return [dict(facts) for event, facts in span.events if event == f"hardwon.{name}"]


def test_without_an_endpoint_nothing_is_imported(tmp_path: Path) -> None:
    assert find_spec("opentelemetry.trace")  # it is there

    subprocess.run(
        [sys.executable, "-c", UNTRACED, str(tmp_path)], env=environ(tmp_path), check=True
    )


def test_hooks_make_no_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")

    assert Settings("home").is_observed
    assert not Settings("home").for_hooks().is_observed


@pytest.mark.adapters
def test_doors_tell_the_callers_span_what_they_said_and_why(tmp_path: Path) -> None:
    with receiver(tmp_path) as received:
        python(TRACED, tmp_path / "home", **{ENDPOINT: received.url})

    told = events(received.span("two"), "told")
    assert events(received.span("one"), "told") == []
    assert [one["hardwon.door"] for one in told] == ["start", "action"]
    denial = told[-1]
    assert denial["hardwon.denied"] is True
    assert "`mkdir -p out/a`" in denial["hardwon.text"]
    assert (denial["hardwon.agent"], denial["hardwon.project"]) == ("coder", "shop")
    assert len(denial["hardwon.lessons"]) == len(denial["hardwon.situations"]) == 1
    reasons = [why for one in events(received.span("two"), "judged") for why in one["hardwon.why"]]
    assert any(why.startswith(f"{denial['hardwon.lessons'][0]}: ") for why in reasons)
    counts = received.counts()
    assert counts["hardwon.told"] == 2
    assert counts["hardwon.followed"] == 1  # the call after the denial worked
    assert counts["hardwon.prevented"] == 1  # told at the start, and not met


@pytest.mark.adapters
def test_what_the_hold_out_withholds_is_an_event(tmp_path: Path) -> None:
    with receiver(tmp_path) as received:
        share = {"HARDWON_PROOF_SHARE": "0.999999"}
        python(TRACED, tmp_path / "home", **{ENDPOINT: received.url}, **share)

    withheld = events(received.span("two"), "withheld")
    assert "start" in {one["hardwon.door"] for one in withheld}
    assert all(one["hardwon.lessons"] for one in withheld)
    assert events(received.span("two"), "told") == []


@pytest.mark.adapters
def test_server_and_worker_have_spans(tmp_path: Path) -> None:
    home, hardwon = tmp_path / "home", [python_with("otel_serve"), "-m", "hardwon"]
    with receiver(tmp_path) as received:
        env = environ(home, **{ENDPOINT: received.url})
        subprocess.run([*hardwon, "key", "create", "--role", "agent"], env=env, check=True)
        with subprocess.Popen(
            [*hardwon, "serve", "--port", "0"], env=env, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            _call(url, home, "/v1/after_run", {"task": "t", "error": "boom: no such table"})
            _call(url, home, "/healthz")
            server.send_signal(signal.SIGTERM)
        assert server.returncode == 0
        subprocess.run([*hardwon, "work", "--drain"], env=env, check=True, capture_output=True)

    request, job = received.span("POST /v1/after_run"), received.span("work error")
    assert (request.trace, request.parent) == ("ab" * 16, "cd" * 8)
    assert request.attributes["http.response.status_code"] == 200
    assert request.resource["service.name"] == job.resource["service.name"] == "hardwon"
    assert job.attributes["hardwon.agent"] == "default"
    assert len(received.spans) == 2  # none of /healthz


@pytest.mark.adapters
def test_a_server_of_ours_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    with served(tmp_path / "served") as server:
        spans = f"{server.service.url}/v1/traces?agent=coder"
        own = {"OTEL_METRICS_EXPORTER": "none", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": spans}
        own["OTEL_EXPORTER_OTLP_HEADERS"] = f"Authorization=Bearer%20{server.key('agent')}"
        without_metrics = "\n".join(
            line for line in TRACED.splitlines() if not line.startswith("metrics.set")
        )
        python(without_metrics, tmp_path / "home", **{ENDPOINT: server.service.url}, **own)

        assert list((tmp_path / "served" / "traces").iterdir())


def _call(url: str, home: Path, path: str, body: object = None) -> None:
    from urllib.request import Request, urlopen

    token = (home / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    headers["traceparent"] = f"00-{'ab' * 16}-{'cd' * 8}-01"
    data = json.dumps(body).encode() if body is not None else None
    with urlopen(Request(f"{url}{path}", data, headers)) as answer:
        assert answer.status == 200
