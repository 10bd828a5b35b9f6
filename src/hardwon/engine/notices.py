"""Notices to a team: a digest in Markdown, and a webhook for what somebody should look at.

A notice is a job of the queue, so it survives a crash and is tried again while the other side does
not answer. Off unless `notices.webhook` is set.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from hardwon.core import _files
from hardwon.core.errors import PermanentError, TransientError
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.values.job import Job, new_job
from hardwon.core.values.lesson import Status
from hardwon.core.values.report import ListQuery, Place, Report, Window
from hardwon.core.values.run import WITHHELD, EndedRun, Episode, Step, Trigger, timeline
from hardwon.core.values.scope import Scope
from hardwon.engine.reports import report
from hardwon.engine.runtime import Runtime

HELD, RETURNED, WEEKLY = "held", "returned", "weekly"
_WEEK = timedelta(days=7)
_AT_ONCE = 20  # lessons that are looked at in one round
_RUNS = 200  # the same of runs
_LISTED = 5  # rows of each list of a digest
_PATIENCE = 10.0  # seconds for an answer
_TEXT = 300  # characters of a lesson or a failure


def digest(report: Report) -> str:
    """The report in short, as Markdown."""
    seen, met = report.observed, sum(count for _, count in report.met)
    first, last = report.window.since, report.at
    lines = [f"# What the agents learnt, {first.day} {first:%b} to {last.day} {last:%b %Y}", ""]
    kept_out = seen.told - seen.followed - seen.failed
    lines.append(
        f"- {plural(seen.told, 'time')} a run was told of a failure that lay ahead:"
        f" {seen.followed:,} followed what had worked, {kept_out:,} did not meet it,"
        f" {seen.failed:,} failed all the same."
    )
    lines.append(f"- {plural(met, 'failure')} met. {report.proof}")
    waiting = {state.status: state.total for state in report.lessons}
    held, new = waiting.get(Status.QUARANTINED, 0), sum(state.new for state in report.lessons)
    lines.append(f"- {plural(new, 'new lesson')}; {held:,} held back until somebody reads them.")
    lines += _section("What keeps failing", [(kind.met, kind.text) for kind in report.failures])
    lines += _section(
        "Came back although told", [(kind.failed, kind.text) for kind in seen.kinds if kind.failed]
    )
    lines += _section("Without a fix", [(open_.met, open_.text) for open_ in report.unsolved])
    lines += _section("Not met any more", [(kind.met, kind.text) for kind in report.stopped])
    return "\n".join(lines) + "\n"


def _section(head: str, rows: list[tuple[int, str]]) -> list[str]:
    # As code, so that nothing of a text is read as Markdown.
    plain = [(count, clip(one_line(text), _TEXT).replace("`", "'")) for count, text in rows]
    told = [f"- {count:,} × `{text}`" for count, text in plain[:_LISTED]]
    return ["", f"## {head}", "", *told] if told else []


def watch(engine: Runtime) -> Iterator[object]:
    """Queue a notice for everything new that somebody should look at."""
    settings = engine.settings
    if not (settings.notices.webhook and engine.on_disk):
        return
    wanted = {name.strip() for name in settings.notices.events.split(",")}
    own, now = Scope(settings.scope.tenant), engine.clock()
    path = os.path.join(settings.home, "notices.json")
    is_new, state = not os.path.exists(path), dict[str, Any]()
    with suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        state = json.load(file)
    found = [*_held_lessons(engine, own, state), *_returned_failures(engine, own, state)]
    if now - datetime.fromtimestamp(state.setdefault("week", now.timestamp()), UTC) >= _WEEK:
        state["week"] = now.timestamp()
        found.append((WEEKLY, own, now.date().isoformat(), ""))
    for event, scope, text, about in () if is_new else found:
        if event in wanted:
            signals = (("event", event),)
            episode = Episode(scope, text, attempt=about, signals=signals, source="notice")
            engine.queue.put(new_job(episode, Trigger.NOTICE, now))
            yield event
    _files.replace(path, json.dumps(state).encode())  # last: a crash repeats a notice, at most


def _held_lessons(
    engine: Runtime, own: Scope, state: dict[str, Any]
) -> Iterator[tuple[str, Scope, str, str]]:
    """The lessons that are held back since the last look."""
    wanted = ListQuery(Place(own.tenant), Status.QUARANTINED, limit=_AT_ONCE)
    lessons = engine.store.listing.lessons(wanted)
    last = state.get("lesson", 0)
    state["lesson"] = max((last, *(lesson.id for lesson in lessons)))
    for lesson in lessons:
        if lesson.id > last:
            words = clip(one_line(lesson.correction), _TEXT)
            yield HELD, lesson.scope, f"Lesson #{lesson.id} waits for review: {words}", ""


def _returned_failures(
    engine: Runtime, own: Scope, state: dict[str, Any]
) -> Iterator[tuple[str, Scope, str, str]]:
    """The failures that runs met although they had been told of them."""
    since = datetime.fromtimestamp(state.get("run", engine.clock().timestamp()), UTC)
    window = Window(own, since, is_whole=True)
    for run in engine.store.ended_runs.latest(window, limit=_RUNS):
        if run.ended > since:
            for text in _told_in_vain(run):
                who = f" ({run.person})" if run.person else ""
                words = f"{clip(one_line(text), _TEXT)}{who}, in “{clip(one_line(run.task), 120)}”"
                yield RETURNED, run.scope, f"A failure came back although told: {words}", run.id
        state["run"] = max(state.get("run", 0.0), run.ended.timestamp())
    state.setdefault("run", since.timestamp())


def _told_in_vain(run: EndedRun) -> list[str]:
    """The kinds of failures that a run met after it was told of them."""
    told, met = set[str](), dict[str, str]()
    for event in timeline(run.steps, run.shown):
        if isinstance(event, Step):
            if event.failure and event.failure.kind in told:
                met[event.failure.kind] = event.failure.text
        elif event.door != WITHHELD:
            told.update(event.kinds)
    return list(met.values())


async def process(engine: Runtime, job: Job) -> None:
    """Send one notice; an error that may pass is raised, and the queue tries again."""
    await asyncio.to_thread(_send, engine, job)


def _send(engine: Runtime, job: Job) -> None:
    url, episode = engine.settings.notices.webhook, job.episode
    if not url:
        return  # switched off meanwhile
    event, text = episode.signal("event"), episode.task
    if event == WEEKLY:
        text = digest(report(engine, episode.scope, since=_WEEK, whole=True))
    about = {"event": event, "id": job.id, "run": episode.attempt or None}
    _post(url, {"text": text, **about, **episode.scope._asdict()})


def _post(url: str, message: dict[str, Any]) -> None:
    """Post JSON; a message of the form that Slack and its relatives take has a `text`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise PermanentError("notices.webhook is not a URL of http or https")
    is_encrypted = parts.scheme == "https"
    kind = http.client.HTTPSConnection if is_encrypted else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=_PATIENCE)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        body, headers = json.dumps(message).encode(), {"Content-Type": "application/json"}
        connection.request("POST", target, body, headers)
        answer = connection.getresponse()
        answer.read(1 << 16)  # an endless answer ends here
    except (OSError, http.client.HTTPException) as error:
        raise TransientError(f"the webhook did not answer: {error}") from error
    finally:
        connection.close()
    if answer.status in (408, 425, 429) or answer.status >= 500:
        wait = answer.headers.get("Retry-After", "")
        after = float(wait) if wait.isdecimal() else None
        raise TransientError(f"the webhook answered {answer.status}", retry_after=after)
    if not 200 <= answer.status < 300:
        raise PermanentError(f"the webhook answered {answer.status}")
