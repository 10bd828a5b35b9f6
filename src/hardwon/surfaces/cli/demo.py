"""`hardwon demo`: the main job, visible in under a minute, offline."""

from __future__ import annotations

import tempfile
import textwrap
import time
from typing import TYPE_CHECKING

import click

import hardwon
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.demo_agent import TASKS, Round, play
from hardwon.surfaces.cli.output import dump, say, table, width
from hardwon.text.clean import clip, one_line

if TYPE_CHECKING:
    from hardwon import Hardwon


@click.command("demo")
@click.option("--no-inject", is_flag=True, help="Withhold the lessons in the second round.")
@click.option("--keep", metavar="DIR", help="Keep the data in DIR instead of a temporary home.")
@options.as_json
def command(no_inject: bool, keep: str | None, as_json: bool) -> None:
    """Watch an agent make its mistakes once. Offline, no key, in a temporary home.

    A small scripted agent does real shell tasks twice. In the first round it runs into real errors
    and finds its way around them. hardwon captures the failures, queues them, makes lessons of
    them, and puts these before the agent when the same tasks come back in other words.
    """
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="hardwon-demo-") as scratch,
        hardwon.open(keep or f"{scratch}/home") as hw,
    ):
        first, second = _both_rounds(hw, scratch, inject=not no_inject, quiet=as_json)
    seconds = time.monotonic() - began
    if as_json:
        dump({"before": first, "after": second, "injected": not no_inject})
        return
    _report(first, second, seconds)


def _both_rounds(
    hw: Hardwon, scratch: str, *, inject: bool, quiet: bool
) -> tuple[list[Round], list[Round]]:
    coder = hw.agent("demo", project="shop")
    tell = (lambda *_, **__: None) if quiet else say
    tell("Round 1: the agent knows nothing yet.", bold=True)
    first = [play(coder, task, f"{scratch}/first", task.said, inject=inject) for task in TASKS]
    _narrate(first, tell)
    tally = hw.drain()
    tell(f"\n{tally.done} failures were queued, reflected on without a model, and kept:", bold=True)
    for lesson in reversed(coder.lessons.list()):
        tell(clip(f"  #{lesson.id} {one_line(lesson.correction)}", width()), fg="cyan")
    tell("\nRound 2: the same tasks in other words.", bold=True)
    second = [play(coder, task, f"{scratch}/second", task.again, inject=inject) for task in TASKS]
    _narrate(second, tell)
    return first, second


def _narrate(rounds: list[Round], tell: object) -> None:
    assert callable(tell)
    for one in rounds:
        tell(f"\n• {one.prompt}")
        for line in one.injected.splitlines():
            tell(wrapped(line), fg="cyan")
        for command, error in one.calls:
            mark, colour = ("✗", "red") if error else ("✓", "green")
            tell(clip(f"    {mark} $ {command}   {error}".rstrip(), width()), fg=colour)


def wrapped(line: str) -> str:
    """A line of an injected block within the terminal's width."""
    return textwrap.fill(line, width() - 1, initial_indent="    ", subsequent_indent=" " * 8)


def _report(first: list[Round], second: list[Round], seconds: float) -> None:
    say("\nFailed calls, before and after:", bold=True)
    rows = [("task", "round 1", "round 2")]
    for before, after in zip(first, second, strict=True):
        rows.append((clip(before.prompt, 48), str(before.failures), str(after.failures)))
    before_all, after_all = (sum(one.failures for one in rounds) for rounds in (first, second))
    rows.append(("in all", str(before_all), str(after_all)))
    table(rows)
    say(f"\n{before_all} failed calls became {after_all} in {seconds:.1f} s, without any model.")
