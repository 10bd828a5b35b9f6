"""The agent of the demo: it runs real commands, really fails, and reads its lessons.

It is scripted: for each task it knows a few ways and tries them in a fixed order. When a lesson
recommends a command it knows, it tries that one first. Nothing else differs between the rounds.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hardwon import Agent

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


def play(agent: Agent, workspace: str, prompts: list[str], *, inject: bool) -> Run:
    """Let the agent do all tasks in one run, in a fresh workspace."""
    told = str(agent.start()) if inject else ""
    played = [
        _try(
            agent,
            task,
            _furnished(os.path.join(workspace, str(place))),
            prompt,
            told if inject else None,
        )
        for place, (task, prompt) in enumerate(zip(TASKS, prompts, strict=True))
    ]
    errors = (error for one in played for _, error in one.calls if error)
    agent.after_run(task="\n".join(prompts), error=next(errors, None))
    return Run(told, played)


def _try(agent: Agent, task: Task, place: str, prompt: str, told: str | None) -> Played:
    """Do one task; `told` is what the agent knows from the start, None if it may ask nothing."""
    advice = [str(agent.before_turn(prompt))] if told is not None else []
    calls: list[tuple[str, str]] = []
    ways = list(task.ways)
    while ways:
        ways = preferred(ways, "".join((told or "", *advice)))
        if told is not None and (warning := str(agent.before_action("bash", {"command": ways[0]}))):
            advice.append(warning)
            ways = preferred(ways, warning)
        command = ways.pop(0)
        error = _run(agent, command, place)
        calls.append((command, error))
        if not error:
            break
    return Played(prompt, "\n".join(filter(None, advice)), tuple(calls))


def preferred(ways: list[str], advice: str) -> list[str]:
    """The agent's commands in their order; those closest to the advice first."""
    advised = re.sub(r"instead of `[^`]+`", "", advice)
    words = {word for code in re.findall(r"`([^`]+)`", advised) for word in code.split()}
    return sorted(ways, key=lambda way: -sum(word in way.split() for word in words))


def _run(agent: Agent, command: str, place: str) -> str:
    """Run a command; its last error line, "" when it worked."""
    completed = subprocess.run(
        ["sh", "-c", command],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    output = completed.stdout + completed.stderr
    failed = completed.returncode != 0
    agent.after_action("bash", {"command": command}, output=output, failed=failed)
    lines = output.strip().splitlines() or [f"exit code {completed.returncode}"]
    return lines[-1] if failed else ""


def _furnished(place: str) -> str:
    for name, content in _FILES.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    return place
