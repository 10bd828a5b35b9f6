"""`hardwon demo`: what hardwon does, in under a minute, offline."""

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

_FIGURES = 21  # columns next to the tasks in the last table


@click.command("demo")
@click.option("--no-inject", is_flag=True, help="Withhold the lessons in the last round.")
@click.option("--keep", metavar="DIR", help="Keep the data in DIR instead of a temporary home.")
@options.as_json
def command(no_inject: bool, keep: str | None, as_json: bool) -> None:
    """Watch an agent make its mistakes once. Offline, no key, in a temporary home.

    A small scripted agent does real shell tasks three times. At first it runs into real errors and
    finds its way around them: hardwon sees the failures and the fixes. A fix that works in a second
    run is proven, and in the third run the agent gets it in time.
    """
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="hardwon-demo-") as scratch,
        hardwon.open(keep or f"{scratch}/home") as hw,
    ):
        first, last = _rounds(hw, scratch, inject=not no_inject, quiet=as_json)
    seconds = time.monotonic() - began
    if as_json:
        dump({"before": first, "after": last, "injected": not no_inject})
        return
    _report(first, last, seconds)


def _rounds(
    hw: Hardwon, scratch: str, *, inject: bool, quiet: bool
) -> tuple[list[Round], list[Round]]:
    """Play all rounds; the first and the last."""
    tell = (lambda *_, **__: None) if quiet else say
    tell("Round 1: the agent knows nothing yet.", bold=True)
    first = _round(hw, f"{scratch}/first", inject=inject)
    _narrate(first, tell)
    tell("\nRound 2: the same again. What worked twice is proven:", bold=True)
    _round(hw, f"{scratch}/second", inject=False)
    hw.drain()
    proven = reversed(hw.agent("demo", project="shop").lessons.list())
    for number, lesson in enumerate(proven, 1):
        tell(clip(f"  {number}. {one_line(lesson.correction)}", width()), fg="cyan")
    tell("\nRound 3: the same tasks in other words.", bold=True)
    last = _round(hw, f"{scratch}/third", inject=inject, is_last=True)
    _narrate(last, tell)
    return first, last


def _round(hw: Hardwon, place: str, *, inject: bool, is_last: bool = False) -> list[Round]:
    return [
        play(
            hw.agent("demo", project="shop"),
            task,
            place,
            task.other_prompt if is_last else task.prompt,
            inject=inject,
        )
        for task in TASKS
    ]


def _narrate(rounds: list[Round], tell: object) -> None:
    assert callable(tell)
    for played in rounds:
        tell(f"\n• {played.prompt}")
        for line in played.injected.splitlines():
            tell(wrapped(line), fg="cyan")
        for command, error in played.calls:
            mark, colour = ("✗", "red") if error else ("✓", "green")
            tell(clip(f"    {mark} $ {command}   {error}".rstrip(), width()), fg=colour)


def wrapped(line: str) -> str:
    """A line of an injected block within the terminal's width."""
    return textwrap.fill(line, width() - 1, initial_indent="    ", subsequent_indent=" " * 8)


def _report(first: list[Round], last: list[Round], seconds: float) -> None:
    say("\nFailed calls, before and after:", bold=True)
    rows = [("task", "round 1", "round 3")]
    for before, after in zip(first, last, strict=True):
        prompt = clip(before.prompt, width() - _FIGURES)
        rows.append((prompt, str(before.failures), str(after.failures)))
    before_all, after_all = (sum(played.failures for played in rounds) for rounds in (first, last))
    rows.append(("in all", str(before_all), str(after_all)))
    table(rows)
    say(f"\n{before_all} failed calls became {after_all} in {seconds:.1f} s, without any model.")
