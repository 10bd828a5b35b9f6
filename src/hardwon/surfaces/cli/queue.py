"""`hardwon queue` and `hardwon reflect`: watch and look after the queue of reflections."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import click
from click.shell_completion import CompletionItem

import hardwon
from hardwon import Hardwon, Job
from hardwon.core.errors import HardwonError, NotFound
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.values.lesson import quarantine_note
from hardwon.engine.runtime import utc_now
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import Output, age, complain, emit, is_json, say
from hardwon.surfaces.cli.work import drain_progress, tally_text

_RETRIES_READ = 2000  # a larger backlog is not read for a view
_RETRIES_SHOWN = 8
_HINT = "Look closer: hardwon reflect list | failed | retry ID | purge ID | drain"
_OFF = "The durable queue is off; HARDWON_QUEUE_ENABLED=1 turns it on."
_JOB_ID = r"[0-9a-f]{16}"


@options.group("queue")
def command() -> None:
    """Watch the queue work."""


@command.command()
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
    failed = [job for job in hw.queue.waiting() if job.last_error] if is_read else []
    retries = sorted(failed, key=lambda job: job.due)[:_RETRIES_SHOWN]
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
    lines = []
    for title, jobs in (("Waiting", pending), ("Given up", dead)):
        lines.append(f"{title} ({len(jobs)}):")
        for job in jobs:
            lines += _job_lines(job, f"{age(job.enqueued_at, utc_now())} old", most=160)
    return Output({"pending": pending, "dlq": dead}, lines)


def _list_failed(hw: Hardwon) -> Output:
    dead = hw.queue.dead()
    lines = [f"Given up ({len(dead)}):" if dead else "No job was given up."]
    for job in dead:
        lines += _job_lines(job, f"queued {job.enqueued_at:%Y-%m-%d %H:%M}", most=240)
    return Output(dead, lines)


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


def _job_lines(job: Job, when: str, *, most: int) -> Iterator[str]:
    """A job with its task and at most so many characters of its last error."""
    yield f"  {job.id}  {job.trigger}, {plural(job.attempts, 'attempt')}, {when}"
    yield f"    task: {clip(one_line(job.episode.task), 100)}"
    if job.last_error:
        yield f"    last error: {clip(one_line(job.last_error), most)}"


_ON_DEAD = {"retry": "waits again", "purge": "was removed"}
_VERBS = {
    "status": _status,
    "list": _list,
    "failed": _list_failed,
    "retry": _list_failed,
    "purge": _list_failed,
    "drain": _drain,
}
