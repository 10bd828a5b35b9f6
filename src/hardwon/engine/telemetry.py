"""Spans, events and counts of OpenTelemetry; imported only where `Settings.is_observed`.

What a door said becomes events of the caller's current span. The program that uses hardwon sets up
its own SDK; `export` sets one up in the processes of `hardwon serve` and `hardwon work`.
"""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import MissingExtra
from hardwon.core.values.delivery import COUNTED, RESULTS, Injection, family_of_name
from hardwon.engine.doors import Doors
from hardwon.engine.pipeline import ending

try:
    from opentelemetry import metrics, propagate, trace
except ImportError as error:
    raise MissingExtra("otel") from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence

    from hardwon.core.values.job import Job
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.run import Step
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Processor, Runtime
    from hardwon.knowledge.ranking.query import Query
    from hardwon.knowledge.ranking.scores import Judged
    from hardwon.storage.ports import Run

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]

_NAME = "hardwon"
# Requests without a span: those that collect spans and counts would otherwise cause new ones.
_QUIET = ("/v1/traces", "/v1/logs", "/metrics", "/healthz", "/readyz", "/static/")

_tracer = trace.get_tracer(_NAME)
_meter = metrics.get_meter(_NAME)
_counters = {
    name: _meter.create_counter(f"hardwon.{name}", description=description)
    for name, description in COUNTED.items()
}


def export() -> None:
    """Send spans and counts of this process to the endpoint; without the SDK, say so and go on."""
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logging.getLogger("hardwon").warning("no spans are sent. %s", MissingExtra("otel"))
        return
    os.environ.setdefault("OTEL_SERVICE_NAME", _NAME)  # a worker that is started has it, too
    if os.environ.get("OTEL_TRACES_EXPORTER") != "none":
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(provider)
    if os.environ.get("OTEL_METRICS_EXPORTER") != "none":
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        metrics.set_meter_provider(MeterProvider([reader]))


def observe(engine: Runtime) -> None:
    """Give every job of a worker a span."""
    for trigger, process in engine.processors.items():
        engine.processors[trigger] = _with_span(process)


def _with_span(process: Processor) -> Processor:
    async def work(engine: Runtime, job: Job) -> Any:
        facts = {"hardwon.job": job.id, "hardwon.trigger": job.trigger, "hardwon.try": job.attempts}
        with _span(f"work {job.trigger}", attributes=facts | _place(job.episode.scope)):
            return await process(engine, job)

    return work


class ServerSpans:
    """An ASGI application with a span for each request, below the span of its caller."""

    def __init__(
        self, app: Any, *, path_of: Callable[[Any], str], route_of: Callable[[Any], str]
    ) -> None:
        self._app = app
        self._path_of = path_of
        self._route_of = route_of

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._path_of(scope).startswith(_QUIET):
            await self._app(scope, receive, send)
            return
        given = [
            (name.decode("latin-1"), text.decode("latin-1")) for name, text in scope["headers"]
        ]
        method = scope["method"]
        with _span(
            method,
            context=propagate.extract(dict(given)),
            kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": method},
        ) as span:

            async def note(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= 500:
                        span.set_status(trace.StatusCode.ERROR)
                await send(message)

            await self._app(scope, receive, note)
            route = self._route_of(scope)
            span.update_name(f"{method} {route}")
            span.set_attribute("http.route", route)


@contextmanager
def _span(name: str, **how: Any) -> Iterator[trace.Span]:
    """A current span; of an error only the type is told, as its words may hold anything."""
    with _tracer.start_as_current_span(
        name, record_exception=False, set_status_on_exception=False, **how
    ) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(trace.StatusCode.ERROR)
            raise


class ObservedDoors(Doors):
    """Doors that tell the current span what they said and why, and count it."""

    def deliver(
        self, scope: Scope, query: Query, candidates: Sequence[Judged], run: Run, *, started: int
    ) -> Injection:
        if candidates:
            why: list[str] = []
            for one in candidates:
                parts = ", ".join(f"{name} {value:.2f}" for name, value in one.parts if value)
                why.append(f"{one.match.lesson.id}: {one.verdict or parts}")
            _add_event("judged", {"hardwon.door": query.door, "hardwon.why": why})
        return super().deliver(scope, query, candidates, run, started=started)

    def _withhold(
        self,
        door: str,
        candidates: list[Judged],
        rendered: Sequence[Lesson],
        scope: Scope,
        run: Run,
    ) -> list[Judged]:
        kept = super()._withhold(door, candidates, rendered, scope, run)
        seen = {candidate.match.lesson.id for candidate in kept}
        if withheld := [lesson.id for lesson in rendered if lesson.id not in seen]:
            _add_event("withheld", {"hardwon.door": door, "hardwon.lessons": withheld})
        return kept

    def start(self, scope: Scope, run: Run, *, again: bool = False) -> Injection:
        return _note_told(scope, super().start(scope, run, again=again))

    def turn(self, scope: Scope, prompt: str, run: Run, imagined: str = "") -> Injection:
        return _note_told(scope, super().turn(scope, prompt, run, imagined))

    def action(self, scope: Scope, tool: str, args: Any, run: Run) -> Injection:
        return _note_told(scope, super().action(scope, tool, args, run))

    def after(self, scope: Scope, step: Step, run: Run) -> Injection:
        return _note_told(scope, super().after(scope, step, run))

    def end(
        self, scope: Scope, run: Run, task: str = "", error: str = "", steps: Sequence[Step] = ()
    ) -> None:
        past = run.whole()
        super().end(scope, run, task, error, steps)
        for shown, (name, outcome) in zip(past.shown, ending.outcomes(past), strict=True):
            if outcome in RESULTS and not family_of_name(name):
                _counters[RESULTS[outcome]].add(1, {"door": shown.door})


def _note_told(scope: Scope, block: Injection) -> Injection:
    if block:
        door = block.door or "loop"
        _counters["told"].add(1, {"door": door})
        facts = {
            "hardwon.door": door,
            "hardwon.delivery": block.id,
            "hardwon.text": block.text,
            "hardwon.lessons": [lesson.id for lesson in block.lessons],
            "hardwon.situations": [lesson.situation for lesson in block.lessons],
            "hardwon.denied": block.denied,
        }
        _add_event("told", facts | _place(scope))
    return block


def _add_event(name: str, facts: Mapping[str, Any]) -> None:
    trace.get_current_span().add_event(f"hardwon.{name}", facts)


def _place(scope: Scope) -> dict[str, str]:
    return {"hardwon.agent": scope.agent, "hardwon.project": scope.project or ""}
