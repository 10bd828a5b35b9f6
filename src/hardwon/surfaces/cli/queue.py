"""`hardwon queue`: watch the queue work."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

import hardwon
from hardwon.core.text.clean import one_line
from hardwon.engine.runtime import utc_now
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.group import Group
from hardwon.surfaces.cli.output import age, dump, say

if TYPE_CHECKING:
    from hardwon import Hardwon, Job
    from hardwon.core.values.job import QueueCounts

_RETRIES_READ = 2000  # a larger backlog is not read for a view
_RETRIES_SHOWN = 8


@click.group("queue", cls=Group)
def command() -> None:
    """Watch the queue work."""


@command.command()
@click.option("--every", default=1.0, show_default=True, help="Seconds between updates.")
@click.option("--once", is_flag=True, help="Print once and stop, also on a terminal.")
@options.home
@options.as_json
def top(every: float, once: bool, home: str | None, as_json: bool) -> None:
    """Depth, rates, jobs in flight and retries, until Ctrl-C."""
    is_live = not once and not as_json and sys.stdout.isatty()
    with hardwon.open(home) as hw:
        view = look(hw)
        if as_json:
            dump(view)
            return
        show(view, rate=0.0)
        with suppress(KeyboardInterrupt):  # the usual way to leave
            while is_live:
                time.sleep(max(0.1, every))
                earlier, view = view, look(hw)
                click.clear()
                show(view, rate=_rate(earlier, view))


def look(hw: Hardwon) -> dict[str, Any]:
    """The current state of the queue."""
    counts, status = hw.queue.status()
    return {
        "at": utc_now(),
        "counts": counts,
        "worker": status,
        "retries": _retries(hw, counts),
    }


def show(view: dict[str, Any], *, rate: float) -> None:
    """Print the view."""
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
    _show_retries(view["retries"], now)


def _show_retries(retries: list[Job], now: datetime) -> None:
    say("retries:" if retries else "retries: none")
    for job in retries:
        wait = max(0.0, (job.due - now).total_seconds())
        say(
            f"  {job.id}  attempt {job.attempts + 1} in {wait:.0f}s  {one_line(job.last_error, 60)}"
        )


def _retries(hw: Hardwon, counts: QueueCounts) -> list[Job]:
    """The jobs that failed and wait for a retry, the next one first."""
    if not counts.pending or counts.pending > _RETRIES_READ:
        return []
    failed = [job for job in hw.queue.waiting() if job.last_error]
    return sorted(failed, key=lambda job: job.due)[:_RETRIES_SHOWN]


def _rate(earlier: dict[str, Any], later: dict[str, Any]) -> float:
    """Jobs per second between two views."""
    seconds = (later["at"] - earlier["at"]).total_seconds()
    done = later["worker"].get("done", 0) - earlier["worker"].get("done", 0)
    return max(0.0, done / seconds) if seconds else 0.0
