"""`hardwon install`, `hardwon uninstall`, `hardwon status`: hooks in coding agents."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from hardwon import trust
from hardwon.auth import kept_token
from hardwon.errors import HardwonError
from hardwon.settings import default_home, load
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.model_offer import offer_model
from hardwon.surfaces.cli.output import dump, say, say_folded, table
from hardwon.surfaces.hooks import command as hook_command
from hardwon.surfaces.hooks import hook_log, installer, locations
from hardwon.surfaces.hooks.agents import AGENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hardwon.surfaces.hooks.installer import ConfigChange
    from hardwon.surfaces.hooks.locations import Target

    Call = Callable[[str], dict[str, Any]]

_ABSENT = "-"
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
    "--model/--no-model",
    "wants_model",
    default=None,
    help="Let the agent's headless mode write lessons in the background, or let rules do it.",
)
@_YES
@_DRY
@_DIFF
@options.home
def command(
    agents: Sequence[str],
    level: str,
    port: int | None,
    wants_model: bool | None,
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
            _say_what_is_next(agent, level, target.advice)
    if not dry_run:
        offer_model(agents, data_home, wants_model, is_asking=not yes)


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


@click.command("status")
@options.as_json
def status(as_json: bool) -> None:
    """Show in which coding agents hardwon is installed, and in which file."""
    rows = [_state(target, level) for agent in AGENTS for level, target in _files(agent)]
    if as_json:
        runs = _last_runs()
        dump([{**row, "ran": runs.get(row["agent"], {})} for row in rows])
        return
    _say_where(rows)
    for agent, events in _last_runs().items():
        ran = ", ".join(f"{name} {at}" for name, at in events.items())
        say_folded(f"{agent} last ran: {ran}")
    for trouble in hook_log.in_words(hook_log.read(default_home())):
        say_folded(f"{trouble}; see hook.log, or raise hooks.limit")
    for trouble in (*_installation_troubles(), *_unconfirmed()):
        say_folded(trouble)


def _say_where(rows: Sequence[dict[str, str]]) -> None:
    """Print the files that contain hardwon or cannot be read; the other agents in one line."""
    present = [row for row in rows if row["state"] != _ABSENT]
    table([(row["agent"], row["level"], row["state"], row["path"]) for row in present])
    absent = [agent for agent in AGENTS if agent not in {row["agent"] for row in present}]
    if absent:
        say_folded(f"Not installed in {', '.join(absent)}; `hardwon install AGENT` installs it")


def _last_runs() -> dict[str, dict[str, str]]:
    """When each hook of each agent last ran, in local time, the latest first."""
    runs: dict[str, dict[str, str]] = {}
    for (agent, event), at in hook_log.last_runs(default_home()).items():
        runs.setdefault(agent, {})[event] = f"{_local(at):%Y-%m-%d %H:%M}"
    return runs


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()


def _say_what_is_next(agent: str, level: str, advice: str) -> None:
    say(f"  Restart {agent}: it reads hooks when a session begins.")
    if advice:
        say(f"  {advice}")
    say("  Lessons appear in its context: at a prompt, before a call, after an error.")
    say("  To look: hardwon lesson list, hardwon status, hardwon doctor")
    project = f" --level {level}" if level != locations.USER else ""
    say(f"  To take it out: hardwon uninstall {agent}{project}")


def _installation_troubles() -> Iterator[str]:
    """Messages about hooks that cannot run, or run twice."""
    for agent in AGENTS:
        targets = dict(_files(agent))
        for level, target in targets.items():
            with suppress(HardwonError, ValueError):
                if program := installer.missing_program(target):
                    remedy = f"`hardwon install {agent} --level {level}` repairs it"
                    yield f"{agent}: its hooks start {program}, which is gone; {remedy}"
        with suppress(HardwonError, ValueError):
            installed = [target for target in targets.values() if installer.is_installed(target)]
            if installed and any(map(installer.has_plugin, targets.values())):
                remedy = f"`hardwon uninstall {agent}` keeps only the plugin"
                yield f"{agent}: the plugin and hooks are both installed; {remedy}"


def _unconfirmed() -> Iterator[str]:
    """Messages about folders that claim a project and are not trusted."""
    claims = trust.read(default_home())
    if not claims.is_whole:
        yield f"the file {trust.NAME} is damaged: no new folder is trusted; `hardwon project trust`"
    for claim in claims.all:
        if not claim.is_trusted:
            confirm = f"`hardwon project trust {shlex.quote(claim.folder)}` confirms it"
            yield f"{claim.folder} claims {claim.project}: its lessons are kept separate; {confirm}"


def _files(agent: str) -> Iterator[tuple[str, Target]]:
    """The levels of an agent with their files; one file for both, in your home, is named once."""
    seen = set()
    for level in locations.LEVELS:
        target = _target(agent, level)
        if target.path not in seen:
            yield level, target
        seen.add(target.path)


def _state(target: Target, level: str) -> dict[str, str]:
    try:
        state = "installed" if installer.is_installed(target) else _ABSENT
    except HardwonError:
        state = "unreadable"
    return {"agent": target.agent, "level": level, "state": state, "path": target.path}


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
