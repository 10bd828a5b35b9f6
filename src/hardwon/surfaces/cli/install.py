"""`hardwon install` and `hardwon uninstall`: hooks in coding agents, and who reads their runs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import distribution
from tempfile import gettempdir
from urllib.parse import unquote

import click

from hardwon import __version__
from hardwon.core import settings_file
from hardwon.core.errors import InvalidInput, MissingExtra
from hardwon.core.settings import Settings, load
from hardwon.models import command as headless
from hardwon.storage.service import kept_token
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import complain, say, say_folded
from hardwon.surfaces.hooks import installer
from hardwon.surfaces.hooks.agents import AGENTS, CAN_BE_ASKED
from hardwon.surfaces.hooks.installer import ConfigChange, Target

ASK, BACKGROUND, NONE = "ask", "background", "none"
WAYS = (ASK, BACKGROUND, NONE)
_OWN_MODEL = "agent:"  # how the name of a model begins that `install` has set


def choose_reader(agents: Sequence[str], home: str, way: str | None, *, is_asking: bool) -> None:
    """Set how ended runs are read: as the command line says, or as the person answers."""
    settings = load(home)
    asked = [agent for agent in agents if agent in CAN_BE_ASKED]
    reader = next((agent for agent in agents if headless.has_agent(agent)), "")
    can_be = {ASK: bool(asked), BACKGROUND: bool(reader), NONE: True}
    possible = [name for name in WAYS if can_be[name]]
    if way is None and (settings.model.name or settings.origin("hooks.ask") != "default"):
        return
    if way is None and is_asking and sys.stdin.isatty() and len(possible) > 1:
        way = _ask_way(possible, " and ".join(asked), reader)
    if way is None:
        ways = "|".join(possible)
        say_folded(f"Nobody reads ended runs yet: hardwon install {agents[0]} --read {ways}")
        return
    if way not in possible:
        names = ", ".join(agents)
        if way == ASK:
            raise InvalidInput(f"{names}: cannot be asked when a session ends")
        modes = [headless.AGENTS[agent] for agent in agents if agent in headless.AGENTS]
        if not modes:
            raise InvalidInput(f"{names}: no headless mode is known; set model.name instead")
        programs = ", ".join(f"`{mode.split(' ')[0]}`" for mode in modes)
        raise InvalidInput(f"{programs} is not on the PATH; install it, or set model.name")
    _set(way, settings, reader)
    calls = f"at most {load(home).budget.calls} calls a day"
    chosen = {
        ASK: "The agent is asked at the end of a session, once, what the next one should know.",
        BACKGROUND: f"{reader} reads ended runs in the background, {calls}.",
        NONE: "No model reads ended runs.",
    }
    say(chosen[way])
    say("  Change it: hardwon install AGENT --read ask|background|none")


def _ask_way(possible: Sequence[str], asked: str, reader: str) -> str:
    """The way that the person chooses, by its number."""
    ways = {
        ASK: f"{asked} writes it down itself at the end of a session:"
        " one more call in a session with something new, no other model",
        BACKGROUND: f"{reader} reads ended runs in the background, by"
        f" `{headless.AGENTS.get(reader, '')}`: one call for a run with something new, at most"
        f" {headless.CALLS_A_DAY} a day, on your account; secrets are removed first",
        NONE: "neither: calls that worked or failed are shown as they were typed, with no model",
    }
    say("How should what sessions teach become the playbook of a project?")
    for number, name in enumerate(possible, 1):
        say_folded(f"  {number}) {ways[name]}.")
    number = click.prompt("Choose a number", type=click.IntRange(1, len(possible)), default=1)
    return possible[number - 1]


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
            settings_file.set_setting(home, "budget.calls", str(headless.CALLS_A_DAY))


_common = options.together(
    click.argument(
        "agents", metavar="AGENT...", nargs=-1, required=True, type=options.Choice(AGENTS)
    ),
    option(
        "--level",
        "In your home directory, or only in this project.",
        choices=installer.LEVELS,
        default=installer.USER,
    ),
)
_how = options.together(
    flag("--yes", "Do not ask.", "-y"),
    flag("--dry-run", "Only show what would change."),
    flag("--diff", "Show every line that changes."),
    options.home,
)


@click.command("install")
@_common
@option(
    "--http",
    "Claude Code only: ask `hardwon daemon --port PORT` instead of starting a process.",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
)
@option(
    "--read",
    "How runs become a playbook: the agent is asked, its headless mode reads them, or none.",
    "way",
    choices=WAYS,
)
@option(
    "--model/--no-model",
    "The same as --read background, and as --read none.",
    "wants_model",
    default=None,
)
@option(
    "--learn/--no-learn",
    "Whether to learn from the past sessions on this machine.",
    "wants_learning",
    default=None,
)
@option(
    "--follow/--no-follow",
    "Whether a worker goes on learning from new sessions, also of agents without hooks.",
    "is_followed",
    default=None,
)
@_how
def command(
    agents: Sequence[str],
    level: str,
    port: int | None,
    way: str | None,
    wants_model: bool | None,
    wants_learning: bool | None,
    is_followed: bool | None,
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
    if cache := _cache_of_program():
        source = shlex.quote(_source())
        complain(
            f"note: the hooks will start hardwon in {cache}, a folder that is emptied now and then;"
            f" they last longer after `uv tool install {source}` or `pipx install {source}`"
        )
        uv = os.environ.get("UV")  # set where `uvx` has started this program
        if uv and not dry_run:
            _install_tool(uv, is_asking=not yes)
    for agent in agents:
        call = partial(installer.command_hook, agent, home="" if home is None else data_home)
        if port is not None:
            call = partial(installer.http_hook, agent, port=port, token=kept_token(data_home))
        target = installer.target(agent, level, call)
        change = installer.installation(target)
        act = installer.install
        _carry_out(change, target, act, data_home, yes=yes, dry_run=dry_run, diff=diff)
        if not change or dry_run:
            continue
        _say_next(agent, target, level)
    if wants_model is not None:
        way = way or (BACKGROUND if wants_model else NONE)
    if dry_run:
        return
    choose_reader(agents, data_home, way, is_asking=not yes)
    _offer_learning(data_home, wants_learning, is_followed, is_asking=not yes)


def _say_next(agent: str, target: installer.Target, level: str) -> None:
    """Say what to do after an installation, and where lessons appear."""
    say(f"  Restart {agent}: it reads hooks when a session begins.")
    if target.file.advice:
        say_folded(f"  {target.file.advice}")
    say_folded(f"  Lessons appear in its context: {target.file.doors}.")
    for trouble in installer.double_installs(agent):
        say_folded(f"  {trouble}")
    say("  To look: hardwon lesson list, hardwon status, hardwon doctor")
    project = f" --level {level}" if level != installer.USER else ""
    say(f"  To take it out: hardwon uninstall {agent}{project}")


def _offer_learning(
    home: str, wanted: bool | None, is_followed: bool | None, *, is_asking: bool
) -> None:
    """Offer to learn from sessions; a machine that cannot is an error only if it must."""
    is_offered = not load(home).server.url if wanted is None else wanted
    if not is_offered and is_followed is None:
        return
    try:
        from hardwon.surfaces.cli import session

        if is_offered:
            session.offer_learning(home, is_wanted=bool(wanted), is_asking=is_asking)
        session.offer_following(home, is_followed, is_asking=is_asking and is_offered)
    except MissingExtra as error:
        if wanted or is_followed:
            raise
        say(f"  To learn from past sessions, too: pip install 'hardwon[{error.extra}]'")


@click.command("uninstall")
@_common
@_how
def uninstall_command(agents: Sequence[str], level: str, home: str | None, **how: bool) -> None:
    """Remove hardwon from AGENT; its settings become what they were before."""
    data_home = load(home).home
    for agent in agents:
        target = installer.target(agent, level)
        change = installer.removal(target, data_home)
        _carry_out(change, target, installer.uninstall, data_home, **how)


def _cache_of_program() -> str:
    """The folder of caches that this program stands in, as `uvx` puts it there; "" if none."""
    places = (os.environ.get("UV_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME"))
    caches = (*places, "~/.cache", "~/Library/Caches", gettempdir())
    real = (os.path.realpath(os.path.expanduser(cache)) for cache in caches if cache)
    own = os.path.realpath(sys.prefix)
    return next((cache for cache in real if own.startswith(cache + os.sep)), "")


def _source() -> str:
    """What this program was installed from: a folder, a file, an address, or the index."""
    direct = distribution("hardwon").read_text("direct_url.json")  # not written for the index
    url = str(json.loads(direct)["url"]) if direct else ""
    return unquote(url.removeprefix("file://")) or f"hardwon=={__version__}"


def _install_tool(uv: str, *, is_asking: bool) -> None:
    """Install this version of the program with `uv`, and continue in it; returns if it cannot."""
    wanted = _source()
    if is_asking and sys.stdin.isatty():
        click.confirm(f"Run `uv tool install {wanted}` first?", default=True, abort=True)
    if subprocess.run([uv, "tool", "install", wanted], check=False).returncode:
        return
    listed = subprocess.run([uv, "tool", "dir", "--bin"], capture_output=True, text=True)
    program = os.path.join(listed.stdout.strip(), "hardwon")
    environ = {name: value for name, value in os.environ.items() if name != "UV"}  # not once more
    os.execve(program, [program, *sys.argv[1:]], environ)


def _carry_out(
    change: ConfigChange,
    target: Target,
    act: Callable[[Target, str], ConfigChange],
    home: str,
    *,
    yes: bool,
    dry_run: bool,
    diff: bool,
) -> None:
    """Show a change, make it once it is confirmed at a terminal, and say what was done."""
    if change:
        say(change.diff() if diff or dry_run else change.summary())
    if change and not dry_run:
        if not yes and sys.stdin.isatty():
            click.confirm("Write this?", default=True, abort=True)
        act(target, home)
    done = "would be " * dry_run + ("installed" if act is installer.install else "removed")
    say(f"{target.agent}: {done if change else 'nothing to do'} ({target.path})")
