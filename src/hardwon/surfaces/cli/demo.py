"""`hardwon demo`: what hardwon does, in a few seconds, offline.

The agent is scripted: for each task it knows a few ways and tries them in a fixed order. When a
lesson recommends a command it knows, it tries that one first. Nothing else differs between the
runs.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import textwrap
import time
from typing import Any, NamedTuple

import click

import hardwon
from hardwon import Agent
from hardwon.core.text.clean import clip
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, is_json, say, table, width

_LIMIT = 20  # seconds a command may take


class Task(NamedTuple):
    """A task for the agent: two prompts for it, and the ways the agent knows."""

    prompt: str
    other_prompt: str
    ways: tuple[str, ...]


class Played(NamedTuple):
    """What the agent did for one task."""

    prompt: str
    warned: str  # what it was told before the turn and before its calls
    calls: tuple[tuple[str, str], ...]  # command and error; "" when it worked

    @property
    def failures(self) -> int:
        """How many calls failed."""
        return sum(bool(error) for _, error in self.calls)


class Run(NamedTuple):
    """What the agent was told at the start of a run, and what it did."""

    told: str
    played: list[Played]


TASKS = (
    Task(
        "Make the folder for the nightly sales report",
        "We need a nightly sales report folder",
        ("mkdir reports/nightly/sales", "mkdir -p reports/nightly/sales"),
    ),
    Task(
        "Keep a copy of the settings of the shop",
        "Copy what the shop is set to",
        ("cp config backup", "cp -r config backup"),
    ),
    Task(
        "Remove the stale build output",
        "The build output is stale again, get rid of it",
        ("rm build", "rm -r build"),
    ),
    Task(
        "Start the deploy script for staging",
        "Deploy to staging with the script",
        ("./deploy.sh staging", "sh deploy.sh staging"),
    ),
)

_FILES = {
    "config/settings.ini": "[shop]\ncurrency = EUR\n",
    "build/old.o": "",
    "deploy.sh": "echo deployed to $1\n",
}


def play(agent: Agent, place: str, prompts: list[str], *, inject: bool) -> Run:
    """Let the agent do all tasks in one run, in a fresh folder; `inject`: it asks for lessons."""
    for name, content in _FILES.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    told, played = str(agent.start()) if inject else "", []
    for task, prompt in zip(TASKS, prompts, strict=True):
        advice = [str(agent.before_turn(prompt))] if inject else []
        calls: list[tuple[str, str]] = []
        ways = list(task.ways)
        while ways and (not calls or calls[-1][1]):  # until a call has no error
            ways = by_preference(ways, "".join((told, *advice)))
            if inject and (warning := str(agent.before_action("bash", {"command": ways[0]}))):
                advice.append(warning)
                ways = by_preference(ways, warning)
            command = ways.pop(0)
            calls.append((command, _run(agent, command, place)))
        played.append(Played(prompt, "\n".join(filter(None, advice)), tuple(calls)))
    errors = (error for one in played for _, error in one.calls if error)
    agent.after_run(task="\n".join(prompts), error=next(errors, None))
    return Run(told, played)


def by_preference(ways: list[str], advice: str) -> list[str]:
    """The agent's commands in their order; those closest to the advice first."""
    advised = re.sub(r"instead of `[^`]+`", "", advice)
    calls = [*re.findall(r"`([^`]+)`", advised), *re.findall(r"\$ (.+?)(?:   ←|$)", advised, re.M)]
    words = {word for call in calls for word in call.split()}
    return sorted(ways, key=lambda way: -sum(word in way.split() for word in words))


def _run(agent: Agent, command: str, place: str) -> str:
    """Run a command; its last error line, "" when it worked."""
    shell = ["sh", "-c", command]
    ended = subprocess.run(shell, cwd=place, capture_output=True, text=True, timeout=_LIMIT)
    output, failed = ended.stdout + ended.stderr, ended.returncode != 0
    agent.after_action("bash", {"command": command}, output=output, failed=failed)
    lines = output.strip().splitlines() or [f"exit code {ended.returncode}"]
    return lines[-1] if failed else ""


_FIGURES = 17  # columns next to the tasks in the last table


@click.command("demo")
@options.flag("--no-inject", "Withhold the lessons in the second run.")
@options.as_json
def command(no_inject: bool) -> None:
    """Watch an agent make its mistakes once. Offline, no key, in a temporary home.

    A small scripted agent does real shell tasks in two runs. In the first it runs into real errors
    and finds its way around them: hardwon sees what failed and what worked. The second run is told
    before it makes its first call.
    """
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="hardwon-demo-") as scratch,
        hardwon.open(f"{scratch}/home") as hw,
    ):
        agent = hw.agent("demo", project="shop")
        first = play(agent, f"{scratch}/first", [task.prompt for task in TASKS], inject=True)
        others = [task.other_prompt for task in TASKS]
        second = play(agent, f"{scratch}/second", others, inject=not no_inject)
    seconds = time.monotonic() - began
    if is_json():
        dump({"before": first.played, "after": second.played, "told": second.told})
        return
    _narrate("Run 1: the agent knows nothing yet.", first)
    told = "Told at its start:" if second.told else "It is told nothing."
    say()
    _narrate(f"Run 2: the same in other words. {told}", second)
    say("\nFailed calls, before and after:", bold=True)
    rows = [("task", "run 1", "run 2")]
    for before, after in zip(first.played, second.played, strict=True):
        prompt = clip(before.prompt, width() - _FIGURES)
        rows.append((prompt, str(before.failures), str(after.failures)))
    failed, left = (sum(one.failures for one in run.played) for run in (first, second))
    table([*rows, ("in all", str(failed), str(left))])
    result = f"{'became' if left < failed else 'stayed'} {left} in {seconds:.1f} s"
    say()
    _say_wrapped(f"{failed} failed calls {result}, without any model.")


def _narrate(title: str, run: Run) -> None:
    _say_wrapped(title, bold=True)
    for line in run.told.splitlines():
        _say_wrapped(line, "    ", fg="cyan")
    for played in run.played:
        say()
        _say_wrapped(f"• {played.prompt}")
        for line in played.warned.splitlines():
            _say_wrapped(line, "    ", fg="cyan")
        for command, error in played.calls:
            mark, colour = ("✗", "red") if error else ("✓", "green")
            _say_wrapped(f"{mark} $ {command}   {error}".rstrip(), "    ", fg=colour)


def _say_wrapped(text: str, indent: str = "", **style: Any) -> None:
    """Print a text within the terminal's width; its further lines are indented."""
    more = f"{indent}    "
    say(textwrap.fill(text, width() - 1, initial_indent=indent, subsequent_indent=more), **style)
