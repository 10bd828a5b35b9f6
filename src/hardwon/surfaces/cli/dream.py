"""`hardwon dream`: consolidate lessons while the agent is idle; show and undo what was done."""

from __future__ import annotations

import signal
from time import monotonic, sleep
from typing import Any

import click

from hardwon import Agent
from hardwon.core.text.clean import plural
from hardwon.core.values.dream import DreamState
from hardwon.surfaces.cli import options, output
from hardwon.surfaces.cli.output import Output, Progress, emit, listing

_NAP = 0.2  # seconds
_CAUGHT = (signal.SIGINT, signal.SIGTERM)


@options.group("dream", invoke_without_command=True)
@options.flag("--dry-run", "Show what would change; change nothing.")
@options.flag("--if-due", "Only if idle long enough and no dream lately.")
@options.flag("--watch", "Keep running, and dream whenever it is due.")
@options.scope
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, dry_run: bool, if_due: bool, watch: bool, **place: Any) -> None:
    """Merge, promote, retire and compare the lessons of an agent, in all its projects.

    Without a command it dreams now. No lesson is rewritten in place; `undo` reverts everything.

    \b
    hardwon dream --dry-run     what a dream would do
    hardwon dream --if-due      for a timer: after 2 h of rest, every 6 h at most
    hardwon dream --watch       the same, without a timer
    """
    if ctx.invoked_subcommand:
        values = {name: value for name, value in place.items() if value is not None}
        ctx.default_map = {ctx.invoked_subcommand: values}
        return
    with _StopRequest() as stop_request, options.open_agent(**place) as agent:
        if watch:
            agent.dreams.watch(
                wait=stop_request.wait, tell=lambda dream: output.say_folded(dream.report)
            )
            return
        if if_due and (reason := agent.dreams.due()):
            emit(Output({"skipped": reason}, f"no dream: {reason}"))
            return
        with Progress("Dreaming") as tell:
            dream = agent.dreams.run(dry_run=dry_run, stop=stop_request.has_come, tell=tell)
    emit(Output(dream, dream.report))
    if stop_request.is_interrupt and dream.state == DreamState.WOKEN:
        undo_it = f"what it changed stays: `hardwon dream undo {dream.id[:8]}`"
        output.complain(f"interrupted; {'nothing was changed' if dry_run else undo_it}")
        raise click.exceptions.Exit(output.INTERRUPTED)


@command.verb("list")
@options.limit(default=25)
def list_(agent: Agent, limit: int) -> Output:
    """The dreams of an agent, newest first."""
    dreams = agent.dreams.list(limit=limit)
    rows = [
        (
            dream.id[:8],
            f"{dream.started_at:%Y-%m-%d %H:%M}",
            dream.state,
            f"{dream.memories_consolidated} consolidated",
            f"{len(dream.improvements)} proposed",
        )
        for dream in dreams
    ]
    return listing(dreams, rows, "(no dreams)")


_DREAM = click.argument("dream_id", metavar="ID")


@command.verb("show")
@_DREAM
def show(agent: Agent, dream_id: str) -> Output:
    """The report of the dream ID."""
    dream = agent.dreams.get(dream_id)
    changes = agent.dreams.changes(dream_id)
    return Output({**dream._asdict(), "changes": changes}, dream.report)


@command.verb("undo")
@_DREAM
def undo(agent: Agent, dream_id: str) -> Output:
    """Restore the lessons that the dream ID merged, promoted, flagged or retired."""
    dream, restored, unchanged = agent.dreams.undo(dream_id)
    lines = [f"dream {dream.id[:8]} is undone: {plural(restored, 'change')} taken back"]
    if unchanged:
        stay = "stays as it is" if unchanged == 1 else "stay as they are"
        lines.append(f"{plural(unchanged, 'lesson')} changed since then {stay}")
    return Output({"id": dream.id, "restored": restored, "left": unchanged}, lines)


class _StopRequest:
    """`with _StopRequest() as stop:` notes SIGINT and SIGTERM, so that a dream ends in good order.

    It has no lock: the handler may interrupt the thread that holds it. It sleeps in short naps: a
    signal just before a nap does not end it.
    """

    _has_come = False
    is_interrupt = False  # whether it was Ctrl-C

    def __enter__(self) -> _StopRequest:
        self._before = {number: signal.signal(number, self._come) for number in _CAUGHT}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _come(self, number: int, *_: object) -> None:
        self._has_come = True
        self.is_interrupt = number == signal.SIGINT

    def has_come(self) -> bool:
        return self._has_come

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; whether a signal came."""
        until = monotonic() + seconds
        while not self._has_come and (remaining := until - monotonic()) > 0:
            sleep(min(remaining, _NAP))
        return self._has_come
