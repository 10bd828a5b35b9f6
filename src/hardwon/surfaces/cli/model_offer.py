"""Offer a model that words lessons, once, when hardwon is installed into an agent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hardwon import settings_file
from hardwon.errors import InvalidInput
from hardwon.models import headless
from hardwon.settings import load
from hardwon.surfaces.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Sequence

_WITHOUT = "Lessons are made by rules, without a model."


def offer_model(
    agents: Sequence[str], home: str, wants_model: bool | None, *, is_asking: bool
) -> None:
    """Offer to let the agent's own headless mode word lessons; it needs the person's consent."""
    settings = load(home)
    if wants_model is None and settings.model.name:
        return  # chosen before
    agent = next((name for name in agents if headless.is_there(name)), None)
    if agent is None:
        if wants_model:
            raise InvalidInput(_missing(agents))
        return
    if wants_model is None:
        wants_model = is_asking and sys.stdin.isatty() and _agrees(agent)
    if not wants_model:
        say(f"{_WITHOUT} To let {agent} word them: hardwon install {agent} --model")
        return
    settings_file.set_setting(home, "model.name", f"agent:{agent}")
    if settings.origin("budget.calls") == "default":
        settings_file.set_setting(home, "budget.calls", str(headless.CALLS_A_DAY))
    calls = load(home).budget.calls
    say(f"{agent} words lessons in the background, at most {calls} calls a day.")
    say("  Undo: hardwon config unset model.name")


def _agrees(agent: str) -> bool:
    say(f"{agent} can word the lessons in the background: better ones than rules make.")
    say(f"  It runs `{headless.COMMANDS[agent]}`,")
    say(
        f"  at most {headless.CALLS_A_DAY} calls a day, on your account. Secrets are removed first."
    )
    return click.confirm(f"Let {agent} word lessons?", default=False)


def _missing(agents: Sequence[str]) -> str:
    with_headless = [name for name in agents if name in headless.COMMANDS]
    if not with_headless:
        return f"{', '.join(agents)}: no headless mode is known; set model.name instead"
    programs = ", ".join(f"`{headless.COMMANDS[name].split(' ')[0]}`" for name in with_headless)
    return f"{programs} is not on the PATH; install it, or set model.name"
