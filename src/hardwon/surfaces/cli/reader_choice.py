"""Ask once, when hardwon is installed into an agent, how ended runs become a playbook."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hardwon.core import settings_file
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import load
from hardwon.models import command
from hardwon.surfaces.cli.output import say, say_folded
from hardwon.surfaces.hooks.agents import CAN_BE_ASKED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.settings import Settings

ASK, BACKGROUND, NONE = "ask", "background", "none"
WAYS = (ASK, BACKGROUND, NONE)
_OWN_MODEL = "agent:"  # how the name of a model begins that `install` has set


def choose_reader(agents: Sequence[str], home: str, way: str | None, *, is_asking: bool) -> None:
    """Set how ended runs are read: as the command line says, or as the person answers."""
    settings, possible = load(home), _possible(agents)
    if way is None and _is_chosen(settings):
        return
    if way is None and is_asking and sys.stdin.isatty() and len(possible) > 1:
        way = _answer(possible)
    if way is None:
        ways = "|".join(name for name in WAYS if name in possible)
        say_folded(f"Nobody reads ended runs yet: hardwon install {agents[0]} --read {ways}")
        return
    if way not in possible:
        raise InvalidInput(_impossible(way, agents))
    _set(way, settings, _reading(agents))
    say(_done(way, load(home)))
    say("  Change it: hardwon install AGENT --read ask|background|none")


def _possible(agents: Sequence[str]) -> dict[str, str]:
    """The ways that these agents allow, in the order they are offered, each in words."""
    asked = [agent for agent in agents if agent in CAN_BE_ASKED]
    reading = _reading(agents)
    ways = dict[str, str]()
    if asked:
        ways[ASK] = (
            f"{' and '.join(asked)} writes it down itself at the end of a session:"
            " one more call in a session with something new, no other model"
        )
    if reading:
        ways[BACKGROUND] = (
            f"{reading} reads ended runs in the background, by `{_command(reading)}`:"
            f" one call for a run with something new, at most {command.CALLS_A_DAY} a day,"
            " on your account; secrets are removed first"
        )
    ways[NONE] = "neither: calls that worked or failed are shown as they were typed, with no model"
    return ways


def _reading(agents: Sequence[str]) -> str:
    """The first agent whose headless mode can be called; "" if there is none."""
    return next((agent for agent in agents if command.has_agent(agent)), "")


def _command(agent: str) -> str:
    return command.AGENTS.get(agent, "")


def _is_chosen(settings: Settings) -> bool:
    return bool(settings.model.name) or settings.origin("hooks.ask") != "default"


def _answer(possible: dict[str, str]) -> str:
    """The way that the person chooses, by its number."""
    say("How should what sessions teach become the playbook of a project?")
    for number, words in enumerate(possible.values(), 1):
        say_folded(f"  {number}) {words}.")
    number = click.prompt("Choose a number", type=click.IntRange(1, len(possible)), default=1)
    return list(possible)[number - 1]


def _set(way: str, settings: Settings, agent: str) -> None:
    """Write the settings of a way; those of the others are taken back."""
    home = settings.home
    settings_file.set_setting(home, "hooks.ask", str(way == ASK).lower())
    if settings.model.name.startswith(_OWN_MODEL):
        settings_file.unset_setting(home, "model.name")
    if way == ASK:  # a model of your own must not read the same runs again
        settings_file.set_setting(home, "reader.enabled", "false")
    else:
        settings_file.unset_setting(home, "reader.enabled")
    if way == BACKGROUND:
        settings_file.set_setting(home, "model.name", f"{_OWN_MODEL}{agent}")
        if settings.origin("budget.calls") == "default":
            settings_file.set_setting(home, "budget.calls", str(command.CALLS_A_DAY))


def _done(way: str, settings: Settings) -> str:
    if way == ASK:
        return "The agent is asked at the end of a session, once, what the next one should know."
    if way == NONE:
        return "No model reads ended runs."
    reader = settings.model.name.removeprefix(_OWN_MODEL)
    return (
        f"{reader} reads ended runs in the background, at most {settings.budget.calls} calls a day."
    )


def _impossible(way: str, agents: Sequence[str]) -> str:
    if way == ASK:
        return f"{', '.join(agents)}: cannot be asked when a session ends"
    known = [agent for agent in agents if agent in command.AGENTS]
    if not known:
        return f"{', '.join(agents)}: no headless mode is known; set model.name instead"
    programs = ", ".join(f"`{_command(agent).split(' ')[0]}`" for agent in known)
    return f"{programs} is not on the PATH; install it, or set model.name"
