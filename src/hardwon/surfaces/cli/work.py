"""`hardwon work`, `daemon` and `hook`: what runs in the background or for a coding agent."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import click

import hardwon
from hardwon.core.errors import HardwonError, StorageError, storage_error
from hardwon.core.settings import default_home, load
from hardwon.core.text.clean import plural
from hardwon.core.text.secrets import without_secrets
from hardwon.storage.service import kept_token
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import Output, Progress, emit, poll_progress, say

if TYPE_CHECKING:
    from hardwon.core.values.job import Tally
    from hardwon.engine.worker import WorkerProcess

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_PATIENCE = 1.0  # seconds to wait for a request: a worker waits this long at its end
_TEXT = "text/plain; version=0.0.4; charset=utf-8"
_LOOK = 1.0  # seconds between two looks at whether a daemon is still needed


@contextlib.contextmanager
def serve_metrics(worker: WorkerProcess, port: int) -> Iterator[int]:
    """Serve the metrics and probes of a worker in this process; gives the port."""
    try:
        handler = type("Handler", (_Handler,), {"worker": worker})
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise storage_error(error, f"127.0.0.1:{port}") from error
    server.daemon_threads = False  # requests in progress get their whole answer
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    worker: WorkerProcess
    timeout = _PATIENCE

    def do_GET(self) -> None:
        code, body = self._look()
        self.send_response(code)
        self.send_header("Content-Type", _TEXT)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _look(self) -> tuple[int, bytes]:
        if self.headers.get("Host", "localhost").rsplit(":", 1)[0] not in _LOCAL:
            return 421, b"not here\n"  # DNS rebinding by a foreign page
        if self.path == "/healthz":
            return 200, b"ok\n"
        if self.path == "/readyz":
            return (200, b"ready\n") if self.worker.ledger.is_ready else (503, b"not ready\n")
        if self.path != "/metrics":
            return 404, b"/metrics, /healthz, /readyz\n"
        try:
            return 200, self.worker.metrics()
        except StorageError as error:
            return 503, f"{error}\n".encode()

    def log_message(self, *_: object) -> None:
        """Do not log scrapes."""


class _Screened(logging.Formatter):
    """Log lines and tracebacks without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


@click.command("work")
@click.option("--drain", "mode", flag_value="empty", help="Work every job that is due, then stop.")
@click.option("--once", "mode", flag_value="once", help="Work one job if one is due, then stop.")
@options.span("--idle", "Stop after this long without a job, e.g. 10s.", metavar="TIME")
@options.option("--metrics-port", "Serve /metrics there.", type=options.PORT)
@options.home
@options.as_json
def command(
    mode: str | None,
    idle: timedelta | None,
    metrics_port: int | None,
    home: str | None,
) -> None:
    """Work the queue until SIGTERM or Ctrl-C; then jobs in flight may finish.

    One process works the queue of a home at a time; others stand by and take over when it ends.
    With `postgres.url` any number of processes share the work. After `hardwon login` it exchanges
    what hooks noted here with the server.
    """
    if logging.lastResort:  # the log is `worker.log` if a hook has started this process
        logging.lastResort.setFormatter(_Screened())
    if load(home).server.url:
        from hardwon.api.client import remote

        with remote.log_in(load(home)) as server:
            sent = server.work(mode or "forever", idle=idle).done
        emit(Output({"sent": sent}, f"{plural(sent, 'note')} sent to the server"))
        return
    with hardwon.open(home) as hw:
        os.chdir(hw.settings.home)  # a model's command must not start in a folder others wrote to
        if hw.settings.is_observed:
            from hardwon.engine import telemetry

            telemetry.export()
        port = hw.settings.queue.metrics_port if metrics_port is None else metrics_port
        endpoint: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        if port:
            hw.worker.metrics()  # a missing extra is reported now, not at the first scrape
            endpoint = serve_metrics(hw.worker, port)
        with endpoint, drain_progress(hw, is_quiet=None if mode == "empty" else True):
            tally = hw.work(mode or "forever", idle=idle)
        pending = hw.queue.status()[0].pending
    value = {**tally._asdict(), "left": pending}
    emit(Output(value, f"{tally_text(tally)}, {pending} waiting"))


def tally_text(tally: Tally) -> str:
    """How many jobs ended in each way."""
    return f"{tally.done:,} done, {tally.retried:,} to retry, {tally.buried:,} given up"


def drain_progress(
    hw: hardwon.Hardwon, *, is_quiet: bool | None = None
) -> contextlib.AbstractContextManager[None]:
    """Progress over the jobs that wait now."""
    waiting, ledger = hw.queue.status()[0].pending, hw.worker.ledger
    progress = Progress(
        "Reflecting",
        is_quiet=is_quiet,
        kept="{} worked, the others wait in the queue",
        of="job",
    )
    return poll_progress(progress, lambda: (sum(ledger.tally), waiting))


@click.command("daemon")
@options.option("--port", "Serve HTTP on 127.0.0.1 as well.", type=options.PORT)
@options.span("--idle", "End after this long without an event, e.g. 15m.", metavar="TIME")
@options.home
def daemon_command(port: int | None, idle: timedelta | None, home: str | None) -> None:
    """Answer hooks from a resident process, until SIGTERM or Ctrl-C.

    Hooks start one by themselves, with --idle 15m; the setting hooks.daemon turns that off.

    Listens on the Unix socket $HARDWON_HOME/hook.sock, which only you can open:

    \b
    curl -s --unix-socket ~/.hardwon/hook.sock -d @- http://h/hardwon/hook/codex

    With --port it listens on http://127.0.0.1:PORT/hardwon/hook/AGENT as well. Requests there need
    the token in $HARDWON_HOME/token; `hardwon install claude-code --http PORT` sets that up.
    """
    from hardwon.surfaces.hooks.client import stamp
    from hardwon.surfaces.hooks.daemon import Daemon

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    place = os.path.abspath(home) if home else default_home()
    shared = stamp(os.fsencode(place))  # before the settings are read
    with hardwon.open(settings=load(home).for_hooks(resident=True)) as hw:
        os.chdir(hw.settings.home)
        token = "" if port is None else kept_token(hw.settings.home)
        serving = Daemon(hw, port=port, token=token, idle=idle, shared=shared)
        with contextlib.suppress(KeyboardInterrupt):
            serving.start()
            threading.Thread(target=_warm_up, args=(hw,), daemon=True).start()
            say(f"listening on {serving.socket_path}")
            if serving.port is not None:
                say(f"listening on http://127.0.0.1:{serving.port}")
            while not serving.lifetime.is_over():
                time.sleep(_LOOK)
        serving.close()


def _warm_up(hw: hardwon.Hardwon) -> None:
    """Read the weights of an embedder before the first prompt has to wait for them."""
    with contextlib.suppress(HardwonError):  # an endpoint that is down is reported later
        hw.vectors.fill()
        hw.agent("warm-up").explain("turn", "warm up")


@click.command("hook")
@click.argument("agent")
@click.argument("event", required=False)
def hook_command(agent: str, event: str | None) -> None:
    """Answer one event of a coding agent, read as JSON from standard input.

    AGENT is claude-code, codex, gemini, copilot, opencode, cline, qwen or cursor; EVENT is needed
    only for an agent that does not name it in the JSON. `hardwon install AGENT` sets this up.

    A hook never fails: after any error the exit code is 0, nothing is printed, and
    $HARDWON_HOME/hook.log has one line about it.
    """
