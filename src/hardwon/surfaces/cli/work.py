"""`hardwon work`: turn captured failures into lessons."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import click

import hardwon
from hardwon.core.errors import StorageError, storage_error
from hardwon.core.settings import duration, load
from hardwon.core.text.clean import plural
from hardwon.core.text.secrets import without_secrets
from hardwon.core.values.job import Tally
from hardwon.engine.worker import WorkerProcess
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.login import exchange
from hardwon.surfaces.cli.output import Progress, Watched, dump, say

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_PATIENCE = 1.0  # seconds to wait for a request: a worker waits this long at its end
_TEXT = "text/plain; version=0.0.4; charset=utf-8"


class WorkerEndpoint:
    """A small server in the process of a worker; `with WorkerEndpoint(worker, port):`."""

    def __init__(self, worker: WorkerProcess, port: int) -> None:
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(worker))
        except OSError as error:
            raise storage_error(error, f"127.0.0.1:{port}") from error
        self._server.daemon_threads = False  # requests in progress get their whole answer
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    def __enter__(self) -> WorkerEndpoint:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(worker: WorkerProcess) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _PATIENCE

        def do_GET(self) -> None:
            if self.headers.get("Host", "localhost").rsplit(":", 1)[0] not in _LOCAL:
                self._answer(421, b"not here\n")  # DNS rebinding by a foreign page
            elif self.path == "/healthz":
                self._answer(200, b"ok\n")
            elif self.path == "/readyz":
                is_ready = worker.ledger.is_ready
                self._answer(200 if is_ready else 503, b"ready\n" if is_ready else b"not ready\n")
            elif self.path == "/metrics":
                try:
                    self._answer(200, worker.metrics())
                except StorageError as error:
                    self._answer(503, f"{error}\n".encode())
            else:
                self._answer(404, b"/metrics, /healthz, /readyz\n")

        def _answer(self, code: int, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", _TEXT)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Do not log scrapes."""

    return Handler


@click.command("work")
@click.option("--drain", "mode", flag_value="empty", help="Work every job that is due, then stop.")
@click.option("--once", "mode", flag_value="once", help="Work one job if one is due, then stop.")
@click.option("--idle", metavar="TIME", help="Stop after this long without a job, e.g. 10s.")
@click.option("--metrics-port", type=click.IntRange(0, 65535), help="Serve /metrics there.")
@options.home
@options.as_json
def command(
    mode: str | None,
    idle: str | None,
    metrics_port: int | None,
    home: str | None,
    as_json: bool,
) -> None:
    """Work the queue until SIGTERM or Ctrl-C; then jobs in flight may finish.

    One process works the queue of a home at a time; others stand by and take over when it ends.
    With `postgres.url` any number of processes share the work. After `hardwon login` it exchanges
    what hooks noted here with the server.
    """
    if logging.lastResort:  # the log is `worker.log` if a hook has started this process
        logging.lastResort.setFormatter(_Screened())
    if load(home).server.url:
        sent = exchange(home, mode or "forever", idle=_time(idle))
        dump({"sent": sent}) if as_json else say(f"{plural(sent, 'note')} sent to the server")
        return
    with hardwon.open(home) as hw:
        os.chdir(hw.settings.home)  # a model's command must not start in a folder others wrote to
        if hw.settings.is_observed:
            from hardwon.engine import telemetry

            telemetry.export()
        port = hw.settings.queue.metrics_port if metrics_port is None else metrics_port
        with _endpoint(hw, port), drain_progress(hw, is_quiet=as_json or mode != "empty"):
            tally = hw.work(mode or "forever", idle=_time(idle))
        pending = hw.queue.status()[0].pending
    if as_json:
        dump({**tally._asdict(), "left": pending})
    else:
        say(f"{tally_text(tally)}, {pending} waiting")


def tally_text(tally: Tally) -> str:
    """How many jobs ended in each way."""
    return f"{tally.done:,} done, {tally.retried:,} to retry, {tally.buried:,} given up"


def drain_progress(hw: hardwon.Hardwon, *, is_quiet: bool) -> Watched:
    """Progress over the jobs that wait now."""
    waiting, ledger = hw.queue.status()[0].pending, hw.worker.ledger
    progress = Progress(
        "Reflecting",
        is_quiet=is_quiet,
        kept=lambda done: f"{plural(done, 'job')} worked, the others wait in the queue",
    )
    return Watched(progress, lambda: (sum(ledger.tally), waiting))


class _Screened(logging.Formatter):
    """Log lines and tracebacks without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


def _endpoint(hw: hardwon.Hardwon, port: int) -> contextlib.AbstractContextManager[object]:
    if not port:
        return contextlib.nullcontext()
    hw.worker.metrics()  # a missing extra is reported now, not at the first scrape
    return WorkerEndpoint(hw.worker, port)


def _time(text: str | None) -> timedelta | None:
    if text is None:
        return None
    try:
        return duration(text)
    except (ValueError, KeyError) as error:
        raise click.UsageError(f"--idle {text!r} is not a time such as 10s or 2m") from error
