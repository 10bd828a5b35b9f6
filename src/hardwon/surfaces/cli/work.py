"""`hardwon work`: turn captured failures into lessons."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import TYPE_CHECKING

import click

import hardwon
from hardwon.core.settings import duration, load
from hardwon.core.text.clean import plural
from hardwon.core.text.secrets import without_secrets
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.login import exchange
from hardwon.surfaces.cli.output import dump, say
from hardwon.surfaces.cli.progress import Progress, Watched

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.core.values.job import Tally


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
        port = hw.settings.queue.metrics_port if metrics_port is None else metrics_port
        with _endpoint(hw, port), drained(hw, is_quiet=as_json or mode != "empty"):
            tally = hw.work(mode or "forever", idle=_time(idle))
        pending = hw.queue.status()[0].pending
    if as_json:
        dump({**tally._asdict(), "left": pending})
    else:
        say(f"{counted(tally)}, {pending} waiting")


def counted(tally: Tally) -> str:
    """How many jobs ended in each way."""
    return f"{tally.done:,} done, {tally.retried:,} to retry, {tally.buried:,} given up"


def drained(hw: hardwon.Hardwon, *, is_quiet: bool) -> Watched:
    """Progress over the jobs that wait now."""
    waiting, ledger = hw.queue.status()[0].pending, hw.worker.ledger
    progress = Progress("Reflecting", is_quiet=is_quiet, kept=_jobs_kept)
    return Watched(progress, lambda: (sum(ledger.tally), waiting))


def _jobs_kept(done: int) -> str:
    return f"{plural(done, 'job')} worked, the others wait in the queue"


class _Screened(logging.Formatter):
    """Log lines and tracebacks without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


def _endpoint(hw: hardwon.Hardwon, port: int) -> contextlib.AbstractContextManager[object]:
    if not port:
        return contextlib.nullcontext()
    from hardwon.surfaces.cli.endpoint import WorkerEndpoint

    hw.worker.metrics()  # a missing extra is reported now, not at the first scrape
    return WorkerEndpoint(hw.worker, port)


def _time(text: str | None) -> timedelta | None:
    if text is None:
        return None
    try:
        return duration(text)
    except (ValueError, KeyError) as error:
        raise click.UsageError(f"--idle {text!r} is not a time such as 10s or 2m") from error
