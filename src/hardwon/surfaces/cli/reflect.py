"""`hardwon reflect`: keep a lesson by hand, and look after the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import hardwon
from hardwon.domain.text import clip, one_line
from hardwon.engine import utc_now
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import age, dump, say

if TYPE_CHECKING:
    from hardwon import Hardwon, Job

HINT = "subcommands: hardwon reflect list | failed | drain | <lesson text>"


@click.command("reflect", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1)
@options.scope
@options.as_json
def command(
    words: tuple[str, ...],
    home: str | None,
    tenant: str,
    agent: str,
    project: str | None,
    as_json: bool,
) -> None:
    """Keep WORDS as a lesson at once, without a model; or look after the queue.

    \b
    hardwon reflect                     queue depth and dead letters
    hardwon reflect list                what waits, and what was given up
    hardwon reflect failed              what was given up, with the reason
    hardwon reflect drain               work what is due, now
    hardwon reflect "<lesson text>"     keep a lesson you already know
    """
    verb = VERBS.get(words[0].lower()) if len(words) == 1 else None
    with hardwon.open(home) as hw:
        if verb or not words:
            (verb or _status)(hw, as_json)
            return
        lesson = hw.agent(agent, project=project, tenant=tenant).learn(" ".join(words))
    if as_json:
        dump(lesson)
    else:
        say("  lesson persisted to long-term memory (category=lesson)")
        say(f"  #{lesson.id}  {one_line(lesson.correction, 100)}")


def _status(hw: Hardwon, as_json: bool) -> None:
    pending, dead = len(hw.waiting()), len(hw.dead())
    if as_json:
        dump({"pending": pending, "dlq": dead})
        return
    say(f"  reflexion queue: {pending} pending")
    say(f"  reflexion DLQ: {dead} entries")
    say(f"  {HINT}")


def _list(hw: Hardwon, as_json: bool) -> None:
    pending, dead = hw.waiting(), hw.dead()
    if as_json:
        dump({"pending": pending, "dlq": dead})
        return
    say(f"  pending ({len(pending)}):")
    for job in pending:
        _job(job, f"age={age(job.enqueued_at, utc_now())}")
    say(f"  dead letter queue ({len(dead)}):")
    for job in dead:
        _job(job, f"age={age(job.enqueued_at, utc_now())}", error=160)


def _failed(hw: Hardwon, as_json: bool) -> None:
    dead = hw.dead()
    if as_json:
        dump(dead)
        return
    if not dead:
        say("  DLQ is empty — no failed lessons to review")
        return
    say(f"  dead letter queue ({len(dead)}):")
    for job in dead:
        _job(job, f"enqueued={job.enqueued_at:%Y-%m-%d %H:%M}", error=240)


def _drain(hw: Hardwon, as_json: bool) -> None:
    tally = hw.drain()
    if as_json:
        dump(tally)
    else:
        say(f"  drain complete — {tally.done} done, {tally.retried} later, {tally.buried} given up")


def _job(job: Job, when: str, *, error: int = 0) -> None:
    say(f"    {job.id}  [trigger={job.trigger}  attempts={job.attempts}  {when}]")
    say(f"      task: {clip(one_line(job.episode.task), 100)}")
    if error:
        say(f"      last error: {clip(one_line(job.last_error), error)}")


VERBS = {"list": _list, "failed": _failed, "drain": _drain}
