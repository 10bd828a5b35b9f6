"""`hardwon queue` and `hardwon reflect`: watch and look after the queue of reflections."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import click
from click.shell_completion import CompletionItem

import hardwon
from hardwon import Hardwon, Job
from hardwon.core.errors import HardwonError, NotFound
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.values.job import QueueCounts
from hardwon.core.values.lesson import quarantine_note
from hardwon.engine.runtime import utc_now
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import age, complain, dump, say
from hardwon.surfaces.cli.work import drain_progress, tally_text

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
    say("retries:" if view["retries"] else "retries: none")
    for job in view["retries"]:
        wait = max(0.0, (job.due - now).total_seconds())
        error = one_line(job.last_error, 60)
        say(f"  {job.id}  attempt {job.attempts + 1} in {wait:.0f}s  {error}")


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


HINT = "Look closer: hardwon reflect list | failed | retry ID | purge ID | drain"
OFF = "The durable queue is off; HARDWON_QUEUE_ENABLED=1 turns it on."
_JOB_ID = r"[0-9a-f]{16}"


def _suggest(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The verbs; after retry and purge, the dead jobs with a preview."""
    words = ctx.params.get("words") or ()
    if not words:
        return [CompletionItem(verb) for verb in VERBS if verb.startswith(incomplete)]
    if words[0] not in _ON_DEAD:
        return []
    try:
        with hardwon.open(ctx.params.get("home")) as hw:
            dead = hw.queue.dead()
    except HardwonError:
        return []  # Tab must not print errors
    return [
        CompletionItem(
            job.id, help=f"{one_line(job.episode.task, 60)} — {one_line(job.last_error, 60)}"
        )
        for job in dead
        if job.id.startswith(incomplete) and job.id not in words
    ]


@click.command("reflect", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, shell_complete=_suggest)
@click.option(
    "--all", "everything", is_flag=True, help="Retry or purge every job that was given up."
)
@options.scope
@options.as_json
def reflect_command(
    words: tuple[str, ...],
    everything: bool,
    home: str | None,
    tenant: str,
    agent: str,
    project: str | None,
    as_json: bool,
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
        if verb == "":
            _status(hw, as_json)
        elif verb in _ON_DEAD:
            _on_dead(hw, verb, words[1:], everything=everything, as_json=as_json)
        elif verb:
            _durable(hw)
            VERBS[verb](hw, as_json)
        else:
            began = utc_now()
            lesson = hw.agent(agent, project=project, tenant=tenant).learn(" ".join(words))
            if as_json:
                dump(lesson)
                return
            kept = "Kept as lesson" if lesson.created_at >= began else "Known already: lesson"
            say(f"{kept} #{lesson.id}: {one_line(lesson.correction, 100)}")
            for notice in quarantine_note(lesson):
                say(notice)


def _verb(words: tuple[str, ...], everything: bool) -> str | None:
    """The verb, unless the words are a lesson: a lesson may begin with a verb."""
    if not words:
        return ""
    verb, arguments = words[0].lower(), words[1:]
    if verb not in VERBS:
        hint = "" if arguments or " " in verb else options.suggestion(verb, VERBS)
        if hint:  # a single word that is nearly a verb is a typo, not a lesson
            raise click.UsageError(f"no such verb: {verb}{hint}")
        return None
    if verb in _ON_DEAD:
        is_about_jobs = len(arguments) < 2 or everything
        is_about_jobs = is_about_jobs or all(re.fullmatch(_JOB_ID, word) for word in arguments)
        return verb if is_about_jobs else None
    return verb if not arguments else None


def _durable(hw: Hardwon) -> None:
    if not hw.settings.queue.enabled:
        say(OFF)
        raise click.exceptions.Exit(1)


def _status(hw: Hardwon, as_json: bool) -> None:
    counts, _ = hw.queue.status()
    if as_json:
        dump({"pending": counts.pending, "dlq": counts.dead})
    elif not hw.settings.queue.enabled:
        say(OFF)
        say('Keep a lesson by hand: hardwon reflect "<lesson text>"')
    else:
        say(f"{plural(counts.pending, 'job')} waiting, {counts.dead} given up")
        say(HINT)


def _list(hw: Hardwon, as_json: bool) -> None:
    pending, dead = hw.queue.waiting(), hw.queue.dead()
    if as_json:
        dump({"pending": pending, "dlq": dead})
        return
    for title, jobs in (("Waiting", pending), ("Given up", dead)):
        say(f"{title} ({len(jobs)}):")
        for job in jobs:
            _print_job(job, f"{age(job.enqueued_at, utc_now())} old", most=160)


def _list_failed(hw: Hardwon, as_json: bool) -> None:
    dead = hw.queue.dead()
    if as_json:
        dump(dead)
        return
    if not dead:
        say("No job was given up.")
        return
    say(f"Given up ({len(dead)}):")
    for job in dead:
        _print_job(job, f"queued {job.enqueued_at:%Y-%m-%d %H:%M}", most=240)


def _drain(hw: Hardwon, as_json: bool) -> None:
    with drain_progress(hw, is_quiet=as_json):
        tally = hw.drain()
    if as_json:
        dump(tally)
        return
    say(f"{plural(sum(tally), 'job')} worked: {tally_text(tally)}")


def _on_dead(
    hw: Hardwon, verb: str, ids: Sequence[str], *, everything: bool, as_json: bool
) -> None:
    """Retry or purge each job; a job that is not dead does not stop the others."""
    _durable(hw)
    if not ids and not everything:
        raise click.UsageError(f"name a job, or all: hardwon reflect {verb} ID... | --all")
    moved, missing = [], []
    for identity in [job.id for job in hw.queue.dead()] if everything else ids:
        try:
            (hw.queue.revive if verb == "retry" else hw.queue.purge)(identity)
            moved.append(identity)
        except NotFound:
            missing.append(identity)
    if as_json:
        dump({"moved": moved, "missing": missing})
    else:
        for identity in moved:
            say(f"Job {identity} {_ON_DEAD[verb]}")
        for identity in missing:
            complain(f"no job {identity!r} was given up")
    if missing:
        raise click.exceptions.Exit(1)


def _print_job(job: Job, when: str, *, most: int) -> None:
    """A job with its task and at most so many characters of its last error."""
    say(f"  {job.id}  {job.trigger}, {plural(job.attempts, 'attempt')}, {when}")
    say(f"    task: {clip(one_line(job.episode.task), 100)}")
    if job.last_error:
        say(f"    last error: {clip(one_line(job.last_error), most)}")


_ON_DEAD = {"retry": "waits again", "purge": "was removed"}
VERBS = {
    "status": _status,
    "list": _list,
    "failed": _list_failed,
    "retry": _list_failed,
    "purge": _list_failed,
    "drain": _drain,
}
