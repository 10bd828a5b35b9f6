"""`hardwon demo`: what hardwon does, in a few seconds, offline."""

from __future__ import annotations

import tempfile
import textwrap
import time
from typing import TYPE_CHECKING

import click

import hardwon
from hardwon.core.text.clean import clip
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.demo_agent import TASKS, Run, play
from hardwon.surfaces.cli.output import dump, say, table, width

if TYPE_CHECKING:
    from hardwon.surfaces.cli.demo_agent import Played

_FIGURES = 17  # columns next to the tasks in the last table


@click.command("demo")
@click.option("--no-inject", is_flag=True, help="Withhold the lessons in the second run.")
@click.option("--keep", metavar="DIR", help="Keep the data in DIR instead of a temporary home.")
@options.as_json
def command(no_inject: bool, keep: str | None, as_json: bool) -> None:
    """Watch an agent make its mistakes once. Offline, no key, in a temporary home.

    A small scripted agent does real shell tasks in two runs. In the first it runs into real errors
    and finds its way around them: hardwon sees what failed and what worked. The second run is told
    before it makes its first call.
    """
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="hardwon-demo-") as scratch,
        hardwon.open(keep or f"{scratch}/home") as hw,
    ):
        agent = hw.agent("demo", project="shop")
        first = play(agent, f"{scratch}/first", [task.prompt for task in TASKS], inject=True)
        others = [task.other_prompt for task in TASKS]
        second = play(agent, f"{scratch}/second", others, inject=not no_inject)
    seconds = time.monotonic() - began
    if as_json:
        dump({"before": first.played, "after": second.played, "told": second.told})
        return
    _narrate("Run 1: the agent knows nothing yet.", first)
    _narrate("\nRun 2: the same in other words. Told at its start:", second)
    _report(first.played, second.played, seconds)


def _narrate(title: str, run: Run) -> None:
    say(title, bold=True)
    for line in run.told.splitlines():
        say(wrap_line(line), fg="cyan")
    for played in run.played:
        say(f"\n• {played.prompt}")
        for line in played.warned.splitlines():
            say(wrap_line(line), fg="cyan")
        for command, error in played.calls:
            mark, colour = ("✗", "red") if error else ("✓", "green")
            say(clip(f"    {mark} $ {command}   {error}".rstrip(), width()), fg=colour)


def wrap_line(line: str) -> str:
    """A line of an injected block within the terminal's width."""
    return textwrap.fill(line, width() - 1, initial_indent="    ", subsequent_indent=" " * 8)


def _report(first: list[Played], second: list[Played], seconds: float) -> None:
    say("\nFailed calls, before and after:", bold=True)
    rows = [("task", "run 1", "run 2")]
    for before, after in zip(first, second, strict=True):
        prompt = clip(before.prompt, width() - _FIGURES)
        rows.append((prompt, str(before.failures), str(after.failures)))
    before_all, after_all = (sum(one.failures for one in played) for played in (first, second))
    rows.append(("in all", str(before_all), str(after_all)))
    table(rows)
    say(f"\n{before_all} failed calls became {after_all} in {seconds:.1f} s, without any model.")
