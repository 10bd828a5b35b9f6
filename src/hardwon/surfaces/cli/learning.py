"""What past sessions have taught: offered at install, told after learning."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import click

from hardwon import Agent
from hardwon.core.errors import MissingExtra
from hardwon.core.settings import load
from hardwon.core.text.clean import clip, plural
from hardwon.core.values.report import Recurring
from hardwon.learn.transcripts import past
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import AGAIN, Progress, complain, say

_LATELY = timedelta(days=90)
_SPEED = 3_000_000  # bytes of sessions that are read in a second
_LEFT_OUT = {
    past.EMPTY: "without a call",
    past.KNOWN: "copies of sessions that are recorded",
    past.LIVE: "recorded by hooks when they happened",
    past.NO_FOLDER: "their folder is unknown; name a project with --project",
    past.UNREADABLE: "they must not or cannot be read",
}


def offer_learning(home: str, wanted: bool | None, *, is_asking: bool) -> None:
    """Learn from the past sessions of this machine, if the person wants to.

    Unless it was asked for, a machine that cannot do it (no extra, or a server that keeps the
    lessons) is no error.
    """
    settings = load(home)
    if wanted is False or (wanted is None and settings.server.url):
        return
    scope = settings.scope
    with options.open_agent(home, scope.tenant, scope.agent, scope.project or None) as agent:
        try:
            fresh = agent.sessions.unrecorded(since=_LATELY)
        except MissingExtra as error:
            if wanted:
                raise
            say(f"  To learn from past sessions, too: pip install 'hardwon[{error.extra}]'")
            return
        if not fresh:
            return
        folders = {one.folder or one.cwd or os.path.dirname(one.path) for one in fresh}
        found = f"{plural(len(fresh), 'session')} of {plural(len(folders), 'project')}"
        say(f"Found {found} from the last {_LATELY.days} days.")
        seconds = max(1, round(sum(place.size for place in fresh) / _SPEED))
        question = f"Learn from them now? About {seconds} s, nothing leaves the machine"
        is_answered = is_asking and sys.stdin.isatty()
        if not (wanted or (is_answered and click.confirm(question, default=True))):
            say("  Learn from them: hardwon session learn")
            return
        with learning() as tell:
            learnt = agent.sessions.learn(since=_LATELY, tell=tell)
        print_learnt(learnt, agent, _LATELY)


def print_recurring(failures: Sequence[Recurring], *, is_full: bool = False) -> None:
    """Print the failures that came back most, a line each; `is_full`: where and when, too."""
    for failure in failures:
        cure = failure.cure or "still open"
        say(f"  {plural(failure.runs, 'run')}: {clip(failure.text, 60)} → {clip(cure, 90)}")
        if is_full:
            days = f"{failure.first:%Y-%m-%d} to {failure.last:%Y-%m-%d}"
            names = clip(", ".join(failure.projects), 80)
            people = f", by {clip(', '.join(failure.people), 80)}" if failure.people else ""
            met = [f"{plural(n, 'session')} of {name}" for name, n in failure.programs]
            people += f", in {clip(', '.join(met), 80)}" if met else ""
            calls = f"{failure.cost_calls:g} {'call' if failure.cost_calls == 1 else 'calls'}"
            is_costly = failure.cure and failure.cost_calls
            cost = f", about {calls} to get past it" if is_costly else ""
            say(f"     {plural(failure.calls, 'call')}, {days}, in {names}{people}{cost}", dim=True)


def learning() -> Progress:
    """The progress over past sessions that are recorded."""
    return Progress("Learning", kept="{} recorded" + AGAIN, of="session")


def print_learnt(
    learnt: list[past.Learnt], agent: Agent, since: timedelta, *, is_look: bool = False
) -> None:
    """Print what came of past sessions: which could not be read, and what came back most."""
    recorded = [session for session in learnt if session.status in {past.LEARNT, past.SENT}]
    is_sent = any(session.status == past.SENT for session in learnt)
    projects = {session.project for session in recorded}
    steps, failed = (sum(getattr(s, name) for s in recorded) for name in ("steps", "failed"))
    done = "sent" if is_sent else "recorded"
    verb = f"would be {done}" if is_look else done
    say(
        f"{plural(len(recorded), 'session')} of {plural(len(projects), 'project')} {verb}:"
        f" {plural(steps, 'call')}, {failed:,} failed"
    )
    if is_sent and not is_look:
        say("  The server records what is new to it in a while.", dim=True)
    others = Counter(one.status for one in learnt if one.status not in {past.LEARNT, past.SENT})
    for status, count in others.items():
        say(f"  {plural(count, 'session')} left out: {_LEFT_OUT[status]}", dim=True)
    unreadable = (session for session in learnt if session.status == past.UNREADABLE)
    problems = Counter((session.place.path, session.problem) for session in unreadable)
    for (path, problem), count in problems.items():
        complain(f"{path}: {problem}" + (f" ({count:,} sessions)" if count > 1 else ""))
    lines = sum((Counter(session.skipped) for session in learnt), Counter[str]())
    for reason, count in lines.items():
        say(f"  {plural(count, 'line')} skipped: {reason}", dim=True)
    if any(session.runs for session in learnt):
        print_recurring(agent.recurring(since=since, limit=5))
