"""Options that several commands share, and groups of commands."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import click

import hardwon
from hardwon.core.settings import load
from hardwon.engine.trust import project_for
from hardwon.surfaces.cli.output import say


def _project(
    context: click.Context, _: click.Parameter, name: str | None, *, is_look: bool = False
) -> str | None:
    """The named project, or the one of this folder for `.`. "" means no project."""
    if name != ".":
        return name or None
    home, tenant = load(_home()).home, context.params["tenant"]
    return project_for(os.getcwd(), home, tenant=tenant, is_look=is_look)


def _home() -> str | None:
    home = click.get_current_context().params.get("home")  # click's own marker if it is not given
    return home if isinstance(home, str) else None


def _from_settings(name: str) -> str | None:
    """The value that hooks use, too: the variable, else [scope] in config.toml."""
    value: str = getattr(load(_home()).scope, name)
    return value or None


_SHARED = (
    click.option(
        "--home",
        metavar="DIR",
        is_eager=True,
        help="Where the data lives; default: $HARDWON_HOME, or ~/.hardwon.",
    ),
    click.option(
        "--tenant",
        is_eager=True,
        default=lambda: _from_settings("tenant"),
        help="The tenant; default: the setting scope.tenant.",
    ),
    click.option(
        "--agent",
        default=lambda: _from_settings("agent"),
        help="The agent; default: the setting scope.agent.",
    ),
    click.option(
        "--project",
        default=lambda: _from_settings("project"),
        callback=_project,
        help="The project; default: none, which is everywhere; `.`: the one of this folder.",
    ),
)

_STARTED_IN = click.option(
    "--project",
    default=lambda: _from_settings("project"),
    callback=_project,
    help="The project; default: the one of the folder the server is started in.",
)

_HERE = click.option(
    "--project",
    default=lambda: _from_settings("project") or ".",
    callback=partial(_project, is_look=True),
    help="The project; default: the one of this folder; '': only what holds everywhere.",
)

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
home, tenant = _SHARED[:2]
verbose = click.option("--verbose", "-v", is_flag=True, help="Print what happened to each.")


def scope(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --home, --tenant, --agent and --project."""
    return _with(_SHARED, command)


def scope_here(command: Callable[..., Any]) -> Callable[..., Any]:
    """Like `scope`, but the default project is the one of this folder."""
    return _with((*_SHARED[:-1], _HERE), command)


def scope_of_server(command: Callable[..., Any]) -> Callable[..., Any]:
    """Like `scope`, for a server that takes the project of its folder by default."""
    return _with((*_SHARED[:-1], _STARTED_IN), command)


def _with(added: Sequence[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with these options, in this order."""
    for option in reversed(added):
        command = option(command)
    return command


def scope_options(scope: hardwon.Scope) -> str:
    """The options that choose a scope; none for the agent that is chosen without them."""
    is_usual = scope.project and scope.agent == _from_settings("agent")
    agent = "" if is_usual else f"--agent {shlex.quote(scope.agent)} "
    project = f"--project {shlex.quote(scope.project)}" if scope.project else ""
    return f"{agent}{project}".rstrip()


def where(scope: hardwon.Scope, *, joined: str = "and") -> str:
    """` in acme/api and everywhere`: the lessons that a command looks at."""
    return f"{place(scope)} {joined} everywhere" if scope.project else place(scope)


def place(scope: hardwon.Scope) -> str:
    """` of agent coder in acme/api`; the agent is left out if it is the usual one."""
    agent = f" of agent {scope.agent}" if scope.agent != _from_settings("agent") else ""
    return f"{agent} in {scope.project}" if scope.project else f"{agent} outside projects"


def say_where(scope: hardwon.Scope) -> None:
    """Print which lessons are looked at, unless they are those of no project."""
    if scope.project:
        say(f"{where(scope).strip()}:", dim=True)


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` if a known word is similar, else ""."""
    key = word.removeprefix("HARDWON_").lower().replace("_", ".", 1)
    words = list(known)
    begun = [name for name in words if len(key) > 2 and name.startswith(key)]
    matches = begun if len(begun) == 1 else difflib.get_close_matches(key, words, 1, 0.75)
    return f"; did you mean {matches[0]}?" if matches else ""


class Choice(click.Choice):  # type: ignore[type-arg]  # before click 8.2 it takes no type
    """One of a few words; a misspelt one is pointed out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = suggestion(str(value), map(str, self.choices))
            self.fail(error.message.rstrip(".") + near if near else error.message, param, ctx)


def with_meaning(settings: hardwon.Settings, wanted: bool | None) -> hardwon.Settings:
    """The settings with the embedder switched on or off by the command line."""
    if wanted is None:
        return settings
    name = (settings.recall.embedder or "minilm") if wanted else ""
    return settings._replace(recall=settings.recall._replace(embedder=name))


class Scoped:
    """`with Scoped(...) as agent:` opens the store for one agent and closes it again."""

    def __init__(
        self,
        home: str | None,
        tenant: str,
        agent: str,
        project: str | None,
        *,
        settings: hardwon.Settings | None = None,
    ) -> None:
        self._hardwon = hardwon.open(home, settings=settings)
        self._names = tenant, agent, project

    def __enter__(self) -> hardwon.Agent:
        tenant, agent, project = self._names
        return self._hardwon.agent(agent, project=project, tenant=tenant)

    def __exit__(self, *_: object) -> None:
        self._hardwon.close()


_WHOLE = 1000  # longer than any first sentence


class Group(click.Group):
    """Shows the whole first sentence of each command, and points out a misspelt one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise click.UsageError(f"no such command: {args[0]!r}{suggestion(args[0], known)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(_WHOLE))
                    for name, command in commands
                    if command
                ]
            )
