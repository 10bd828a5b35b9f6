"""`hardwon work`, `queue`, `reflect`, `daemon` and `hook`: what runs in the background."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

import hardwon
from hardwon import Hardwon, Job
from hardwon.core.errors import HardwonError, NotFound, StorageError, storage_error
from hardwon.core.settings import default_home, load
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.text.secrets import without_secrets
from hardwon.core.values.lesson import quarantine_note
from hardwon.engine.runtime import utc_now
from hardwon.storage.service import kept_token
from hardwon.surfaces import wording
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import (
    Output,
    Progress,
    age,
    complain,
    emit,
    is_json,
    poll_progress,
    say,
)

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
        code, body = self._answer()
        self.send_response(code)
        self.send_header("Content-Type", _TEXT)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[int, bytes]:
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

        def warm_up() -> None:
            """Read the weights of an embedder before the first prompt has to wait for them."""
            with suppress(HardwonError):  # an endpoint that is down is reported later
                hw.vectors.fill()
                hw.agent("warm-up").explain("turn", "warm up")

        with contextlib.suppress(KeyboardInterrupt):
            serving.start()
            threading.Thread(target=warm_up, daemon=True).start()
            say(f"listening on {serving.socket_path}")
            if serving.port is not None:
                say(f"listening on http://127.0.0.1:{serving.port}")
            while not serving.lifetime.is_over():
                time.sleep(_LOOK)
        serving.close()


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


_RETRIES_READ = 2000  # a larger backlog is not read for a view
_RETRIES_SHOWN = 8
_HINT = "Look closer: hardwon reflect list | failed | retry ID | purge ID | drain"
_OFF = "The durable queue is off; HARDWON_QUEUE_ENABLED=1 turns it on."
_JOB_ID = r"[0-9a-f]{16}"
_ERROR = 240  # characters of an error


@options.group("queue")
def queue_command() -> None:
    """Watch the queue work."""


@queue_command.command()
@options.option("--every", "Seconds between updates.", default=1.0)
@options.flag("--once", "Print once and stop, also on a terminal.")
@options.home
@options.as_json
def top(every: float, once: bool, home: str | None) -> None:
    """Depth, rates, jobs in flight and retries, until Ctrl-C."""
    is_live = not once and not is_json() and sys.stdout.isatty()
    with hardwon.open(home) as hw:
        view = _look(hw)
        emit(Output(view, lambda: _show(view, rate=0.0)))
        with suppress(KeyboardInterrupt):  # the usual way to leave
            while is_live:
                time.sleep(max(0.1, every))
                earlier, view = view, _look(hw)
                seconds = (view["at"] - earlier["at"]).total_seconds()
                done = view["worker"].get("done", 0) - earlier["worker"].get("done", 0)
                click.clear()
                _show(view, rate=max(0.0, done / seconds) if seconds else 0.0)


def _look(hw: Hardwon) -> dict[str, Any]:
    """The current state of the queue; with the jobs that wait for a retry, the next one first."""
    counts, worker = hw.queue.status()
    is_read = 0 < counts.pending <= _RETRIES_READ
    retries = wording.retries(hw.queue.waiting() if is_read else ())[:_RETRIES_SHOWN]
    return {"at": utc_now(), "counts": counts, "worker": worker, "retries": retries}


def _show(view: dict[str, Any], *, rate: float) -> None:
    """Print the view; `rate` is how many jobs are done in a second."""
    counts, status, now = view["counts"], view["worker"], view["at"]
    worker = f"worker {status['pid']}" if status else "no worker is running"
    say(f"hardwon queue   {now:%H:%M:%S}   {worker}", bold=True)
    say(
        f"  waiting {counts.pending}   given up {counts.dead}   damaged {counts.quarantined}"
        f"   repeated {counts.deduped}"
    )
    if status:
        say(
            f"  done {status['done']} ({rate:.1f}/s)   retried {status['retried']}"
            f"   given up {status['buried']}"
        )
    say("in flight:" if status.get("running") else "in flight: nothing")
    for identity, task, attempt, since in status.get("running", []):
        ago = age(datetime.fromisoformat(since), now)
        say(f"  {identity}  attempt {attempt}  {ago}  {one_line(task, 60)}")
    say("retries:" if view["retries"] else "retries: none")
    for job in view["retries"]:
        wait = max(0.0, (job.due - now).total_seconds())
        error = one_line(job.last_error, 60)
        say(f"  {job.id}  attempt {job.attempts + 1} in {wait:.0f}s  {error}")


def _suggest(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The verbs; after retry and purge, the dead jobs with a preview."""
    words = ctx.params.get("words") or ()
    if not words:
        return [CompletionItem(verb) for verb in _VERBS if verb.startswith(incomplete)]
    dead: Sequence[Job] = ()
    with suppress(HardwonError):  # Tab must not print errors
        if words[0] in _ON_DEAD:
            with hardwon.open(ctx.params.get("home")) as hw:
                dead = hw.queue.dead()
    return [
        CompletionItem(
            job.id, help=f"{one_line(job.episode.task, 60)} — {one_line(job.last_error, 60)}"
        )
        for job in dead
        if job.id.startswith(incomplete) and job.id not in words
    ]


@click.command("reflect", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, shell_complete=_suggest)
@options.flag("--all", "Retry or purge every job that was given up.", "everything")
@options.scope
@options.as_json
def reflect_command(
    words: tuple[str, ...],
    everything: bool,
    home: str | None,
    tenant: str,
    agent: str,
    project: str | None,
) -> None:
    """Keep WORDS as a lesson at once, without a model; or look after the queue.

    \b
    hardwon reflect                     how many wait, and how many were given up
    hardwon reflect list                what waits, and what was given up
    hardwon reflect failed              what was given up, with the reason
    hardwon reflect retry ID... | --all try again, with attempts counted from 0
    hardwon reflect purge ID... | --all remove it for good
    hardwon reflect drain               work what is due, now
    hardwon reflect "<lesson text>"     keep a lesson you already know
    """
    verb = _verb(words, everything)
    with hardwon.open(home) as hw:
        if verb is None:
            began = utc_now()
            lesson = hw.agent(agent, project=project, tenant=tenant).learn(" ".join(words))
            kept = "Kept as lesson" if lesson.created_at >= began else "Known already: lesson"
            head = f"{kept} #{lesson.id}: {one_line(lesson.correction, 100)}"
            emit(Output(lesson, [head, *quarantine_note(lesson)]))
            return
        if verb and not hw.settings.queue.enabled:
            say(_OFF)
            raise click.exceptions.Exit(1)
        if verb in _ON_DEAD:
            emit(_on_dead(hw, verb, words[1:], everything=everything))
        else:
            emit(_VERBS[verb or "status"](hw))


def _verb(words: tuple[str, ...], everything: bool) -> str | None:
    """The verb, unless the words are a lesson: a lesson may begin with a verb."""
    if not words:
        return ""
    verb, arguments = words[0].lower(), words[1:]
    if verb not in _VERBS:
        hint = "" if arguments or " " in verb else options.suggestion(verb, _VERBS)
        if hint:  # a single word that is nearly a verb is a typo, not a lesson
            raise click.UsageError(f"no such verb: {verb}{hint}")
        return None
    if verb in _ON_DEAD:
        is_about_jobs = len(arguments) < 2 or everything
        is_about_jobs = is_about_jobs or all(re.fullmatch(_JOB_ID, word) for word in arguments)
        return verb if is_about_jobs else None
    return verb if not arguments else None


def _status(hw: Hardwon) -> Output:
    counts, _ = hw.queue.status()
    lines = [f"{plural(counts.pending, 'job')} waiting, {counts.dead} given up", _HINT]
    if not hw.settings.queue.enabled:
        lines = [_OFF, 'Keep a lesson by hand: hardwon reflect "<lesson text>"']
    return Output({"pending": counts.pending, "dlq": counts.dead}, lines)


def _list(hw: Hardwon) -> Output:
    pending, dead = hw.queue.waiting(), hw.queue.dead()
    lines = [f"Waiting ({len(pending)}):", *_job_lines(pending)]
    lines += [f"Given up ({len(dead)}):", *_job_lines(dead)]
    return Output({"pending": pending, "dlq": dead}, lines)


def _list_failed(hw: Hardwon) -> Output:
    dead = hw.queue.dead()
    head = f"Given up ({len(dead)}):" if dead else "No job was given up."
    return Output(dead, [head, *_job_lines(dead)])


def _drain(hw: Hardwon) -> Output:
    with drain_progress(hw):
        tally = hw.drain()
    return Output(tally, f"{plural(sum(tally), 'job')} worked: {tally_text(tally)}")


def _on_dead(hw: Hardwon, verb: str, ids: Sequence[str], *, everything: bool) -> Output:
    """Retry or purge each job; a job that is not dead does not stop the others."""
    if not ids and not everything:
        raise click.UsageError(f"name a job, or all: hardwon reflect {verb} ID... | --all")
    moved, missing = [], []
    for identity in [job.id for job in hw.queue.dead()] if everything else ids:
        try:
            (hw.queue.revive if verb == "retry" else hw.queue.purge)(identity)
            moved.append(identity)
        except NotFound:
            missing.append(identity)

    def show() -> None:
        for identity in moved:
            say(f"Job {identity} {_ON_DEAD[verb]}")
        for identity in missing:
            complain(f"no job {identity!r} was given up")

    return Output({"moved": moved, "missing": missing}, show, code=bool(missing))


def _job_lines(jobs: Sequence[Job]) -> Iterator[str]:
    """Each job with its task and the beginning of its last error."""
    for job in jobs:
        queued = f"queued {job.enqueued_at:%Y-%m-%d %H:%M}"
        yield f"  {job.id}  {job.trigger}, {plural(job.attempts, 'attempt')}, {queued}"
        yield f"    task: {clip(one_line(job.episode.task), 100)}"
        if job.last_error:
            yield f"    last error: {clip(one_line(job.last_error), _ERROR)}"


_ON_DEAD = {"retry": "waits again", "purge": "was removed"}
_VERBS = {
    "status": _status,
    "list": _list,
    "failed": _list_failed,
    "retry": _list_failed,
    "purge": _list_failed,
    "drain": _drain,
}
