"""`hardwon install` and `hardwon uninstall`: hooks in coding agents."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.errors import HardwonError
from hardwon.core.settings import load
from hardwon.storage.auth import kept_token
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import say, say_folded
from hardwon.surfaces.cli.reader_choice import BACKGROUND, NONE, WAYS, choose_reader
from hardwon.surfaces.cli.session import offer_learning
from hardwon.surfaces.hooks import command as hook_command
from hardwon.surfaces.hooks import installer, locations
from hardwon.surfaces.hooks.agents import AGENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hardwon.surfaces.hooks.installer import ConfigChange
    from hardwon.surfaces.hooks.locations import Target

    Call = Callable[[str], dict[str, Any]]

_AGENTS = click.argument(
    "agents", metavar="AGENT...", nargs=-1, required=True, type=options.Choice(AGENTS)
)
_LEVEL = click.option(
    "--level",
    type=options.Choice(locations.LEVELS),
    default=locations.USER,
    show_default=True,
    help="In your home directory, or only in this project.",
)
_YES = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
_DRY = click.option("--dry-run", is_flag=True, help="Only show what would change.")
_DIFF = click.option("--diff", is_flag=True, help="Show every line that changes.")


@click.command("install")
@_AGENTS
@_LEVEL
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Claude Code only: ask `hardwon daemon --port PORT` instead of starting a process.",
)
@click.option(
    "--read",
    "way",
    type=options.Choice(WAYS),
    help="How runs become a playbook: the agent is asked, its headless mode reads them, or none.",
)
@click.option(
    "--model/--no-model",
    "wants_model",
    default=None,
    help="The same as --read background, and as --read none.",
)
@click.option(
    "--learn/--no-learn",
    "wants_learning",
    default=None,
    help="Whether to learn from the past sessions on this machine.",
)
@_YES
@_DRY
@_DIFF
@options.home
def command(
    agents: Sequence[str],
    level: str,
    port: int | None,
    way: str | None,
    wants_model: bool | None,
    wants_learning: bool | None,
    yes: bool,
    dry_run: bool,
    diff: bool,
    home: str | None,
) -> None:
    """Let hardwon learn inside AGENT.

    AGENT is claude-code, codex, gemini, copilot, opencode, cline, qwen or cursor.

    Shows the change to the agent's settings before writing it, in full with --diff. Other hooks,
    comments and layout stay; `hardwon uninstall` restores the file exactly.
    """
    data_home = load(home).home
    if port is not None and set(agents) != {"claude-code"}:
        raise click.UsageError("--http is for claude-code only")
    for agent in agents:
        target = _target(agent, level, _call(agent, port, data_home, is_usual=home is None))
        is_change = _carried_out(
            target,
            installer.installation(target),
            lambda t: installer.install(t, data_home),
            is_asking=not yes,
            is_dry=dry_run,
            is_whole=diff,
        )
        say(f"{agent}: {_result(is_change, 'installed', is_dry=dry_run)} ({target.path})")
        if is_change and not dry_run:
            _say_what_is_next(target, level)
    if wants_model is not None:
        way = way or (BACKGROUND if wants_model else NONE)
    if not dry_run:
        choose_reader(agents, data_home, way, is_asking=not yes)
        offer_learning(data_home, wants_learning, is_asking=not yes)


@click.command("uninstall")
@_AGENTS
@_LEVEL
@_YES
@_DRY
@_DIFF
@options.home
def uninstall(
    agents: Sequence[str], level: str, yes: bool, dry_run: bool, diff: bool, home: str | None
) -> None:
    """Remove hardwon from AGENT; its settings become what they were before."""
    data_home = load(home).home
    for agent in agents:
        target = _target(agent, level)
        is_change = _carried_out(
            target,
            installer.removal(target, data_home),
            lambda t: installer.uninstall(t, data_home),
            is_asking=not yes,
            is_dry=dry_run,
            is_whole=diff,
        )
        say(f"{agent}: {_result(is_change, 'removed', is_dry=dry_run)} ({target.path})")


def _say_what_is_next(target: Target, level: str) -> None:
    agent = target.agent
    say(f"  Restart {agent}: it reads hooks when a session begins.")
    if target.advice:
        say_folded(f"  {target.advice}")
    say_folded(f"  Lessons appear in its context: {target.doors}.")
    for trouble in doubled(agent):
        say_folded(f"  {trouble}")
    say("  To look: hardwon lesson list, hardwon status, hardwon doctor")
    project = f" --level {level}" if level != locations.USER else ""
    say(f"  To take it out: hardwon uninstall {agent}{project}")


def doubled(agent: str) -> Iterator[str]:
    """Messages about an agent in whose files hardwon is twice."""
    targets = dict(files(agent))
    with suppress(HardwonError, ValueError):
        installed = [level for level in targets if installer.is_installed(targets[level])]
        if installed and any(map(installer.has_plugin, targets.values())):
            remedy = f"`hardwon uninstall {agent}` keeps only the plugin"
            yield f"{agent}: the plugin and hooks are both installed; {remedy}"
        elif len(installed) > 1:
            remedy = f"`hardwon uninstall {agent} --level project` keeps one"
            twice = "installed for you and in this project, so hooks may run twice"
            yield f"{agent}: {twice}; {remedy}"


def files(agent: str) -> Iterator[tuple[str, Target]]:
    """The levels of an agent with their files; one file for both, in your home, is named once."""
    seen = set()
    for level in locations.LEVELS:
        target = _target(agent, level)
        if target.path not in seen:
            yield level, target
        seen.add(target.path)


def _carried_out(
    target: Target,
    change: ConfigChange,
    act: Callable[[Target], Any],
    *,
    is_asking: bool,
    is_dry: bool,
    is_whole: bool,
) -> bool:
    """Make a change; whether there was one. It is shown first, and confirmed at a terminal."""
    if not change:
        return False
    say(change.diff() if is_whole or is_dry else change.summary())
    if is_dry:
        return True
    if is_asking and sys.stdin.isatty():
        click.confirm("Write this?", default=True, abort=True)
    act(target)
    return True


def _result(is_change: bool, done: str, *, is_dry: bool) -> str:
    if not is_change:
        return "nothing to do"
    return f"would be {done}" if is_dry else done


def _target(agent: str, level: str, call: Call | None = None) -> Target:
    place = locations.ConfigPlace(level, os.getcwd(), os.environ, call or _call(agent, None, ""))
    return locations.target(agent, place)


def _call(agent: str, port: int | None, home: str, *, is_usual: bool = True) -> Call:
    """The call of hardwon at an event, as the agent's settings have it."""
    if port is None:
        return lambda event: hook_command.command(agent, event, home="" if is_usual else home)
    http_call = hook_command.http(agent, port=port, token=kept_token(home))
    return lambda event: http_call
