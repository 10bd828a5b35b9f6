"""What commands share: options, groups, and how a verb of the API becomes a command."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from functools import partial, wraps
from typing import Any

import click

import hardwon
from hardwon.core.settings import duration, load
from hardwon.engine.trust import project_for
from hardwon.surfaces.cli.output import AS_JSON, Output, emit, say

Decorated = Callable[..., Any]
_WHOLE = 1000  # longer than any first sentence of a help text
_WEEK = timedelta(weeks=1)
PORT = click.IntRange(0, 65535)


def option(name: str, help: str, *names: str, choices: Sequence[str] = (), **how: Any) -> Decorated:
    """An option; its default is shown if there is one, and a misspelt choice is pointed out."""
    if choices:
        how["type"] = Choice(choices)
    how.setdefault("show_default", bool(how.get("default")))
    return click.option(name, *names, help=help, **how)


def flag(name: str, help: str, *names: str) -> Decorated:
    """An option without a value."""
    return click.option(name, *names, is_flag=True, help=help)


def together(*options: Decorated) -> Decorated:
    """Several options as one decorator, in this order."""

    def decorate(command: Decorated) -> Decorated:
        for one in reversed(options):
            command = one(command)
        return command

    return decorate


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


class Span(click.ParamType[timedelta]):
    """A span of time such as `10m`, `36h`, `30d` or `2w`."""

    name = "span"

    def convert(self, value: Any, param: Any, ctx: Any) -> timedelta:
        try:
            if isinstance(value, timedelta):
                return value
            weeks = value.removesuffix("w")
            is_weeks = weeks != value and weeks.isascii() and weeks.isdigit()
            return int(weeks) * _WEEK if is_weeks else duration(value)
        except (ValueError, KeyError, OverflowError):
            self.fail(f"{value!r} is not a duration such as 10m, 36h, 30d or 2w", param, ctx)


span = partial(option, type=Span())


def _project(
    context: click.Context, _: click.Parameter, name: str | None, *, is_look: bool = False
) -> str | None:
    """The named project, or the one of this folder for `.`. "" means no project."""
    if name != ".":
        return name or None
    tenant = context.params["tenant"]
    return project_for(os.getcwd(), _settings().home, tenant=tenant, is_look=is_look)


def _settings() -> hardwon.Settings:
    home = click.get_current_context().params.get("home")  # click's own marker if it is not given
    return load(home if isinstance(home, str) else None)


def _from_settings(name: str) -> str | None:
    """The value that hooks use, too: the variable, else [scope] in config.toml."""
    return getattr(_settings().scope, name) or None


home = click.option(
    "--home",
    metavar="DIR",
    is_eager=True,
    help="Where the data lives; default: $HARDWON_HOME, or ~/.hardwon.",
)
tenant = click.option(
    "--tenant",
    is_eager=True,
    default=lambda: _from_settings("tenant"),
    help="The tenant; default: the setting scope.tenant.",
)


def _scope(project_help: str, *, default: str | None = None, is_look: bool = False) -> Decorated:
    """The options that choose a scope; `default` is the project if no setting names one."""
    agent = click.option(
        "--agent",
        default=lambda: _from_settings("agent"),
        help="The agent; default: the setting scope.agent.",
    )
    project = click.option(
        "--project",
        default=lambda: _from_settings("project") or default,
        callback=partial(_project, is_look=is_look),
        help=project_help,
    )
    return together(home, tenant, agent, project)


scope = _scope("The project; default: none, which is everywhere; `.`: the one of this folder.")
scope_here = _scope(
    "The project; default: the one of this folder; '': only what holds everywhere.",
    default=".",
    is_look=True,
)
scope_of_server = _scope("The project; default: the one of the folder the server is started in.")
scope_of_each = _scope(
    "Put them all into this project; default: each into its own; `.`: the one of this folder."
)
as_json = click.option(
    "--json",
    is_flag=True,
    expose_value=False,  # `is_json` tells it, to those who ask
    callback=lambda context, _, is_wanted: context.meta.update({AS_JSON: is_wanted}),
    help="Print JSON.",
)
verbose = flag("--verbose", "Print what happened to each.", "-v")
limit = partial(option, "--limit", "At most this many.")


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


def with_meaning(settings: hardwon.Settings, wanted: bool | None) -> hardwon.Settings:
    """The settings with the embedder switched on or off by the command line."""
    if wanted is None:
        return settings
    name = (settings.recall.embedder or "minilm") if wanted else ""
    return settings._replace(recall=settings.recall._replace(embedder=name))


@contextmanager
def open_agent(
    home: str | None,
    tenant: str,
    agent: str,
    project: str | None,
    *,
    settings: hardwon.Settings | None = None,
) -> Iterator[hardwon.Agent]:
    """`with open_agent(...) as agent:` opens the store for one agent and closes it again."""
    with hardwon.open(home, settings=settings) as hw:
        yield hw.agent(agent, project=project, tenant=tenant)


def open_home(home: str | None) -> hardwon.Hardwon:
    """The store of a home; `hardwon.open` is imported here, as `--version` has no use for it."""
    return hardwon.open(home)


OF_HOME = {"place": home, "opens": open_home}  # a verb about a whole home


def verb(
    name: str,
    *,
    place: Decorated = scope,
    opens: Callable[..., AbstractContextManager[Any]] = open_agent,
) -> Callable[[Callable[..., Output]], click.Command]:
    """A command of a function that gets what `opens` opens, and its own options.

    The options of `place` are the arguments of `opens`, in their order. What the function returns
    is printed.
    """

    def make(function: Callable[..., Output]) -> click.Command:
        @wraps(function)
        def call(**values: Any) -> None:
            with opens(*(values.pop(name) for name in opened)) as own:
                output = function(own, **values)
            emit(output)

        parameters = vars(call).pop("__click_params__", [])
        shared = place(as_json(call))
        in_order = reversed(shared.__click_params__)
        opened = [parameter.name for parameter in in_order if parameter.expose_value]
        shared.__click_params__ += parameters  # click lists them in reverse: these come first
        return click.command(name)(shared)

    return make


class Group(click.Group):
    """Shows the whole first sentence of each command, and points out a misspelt one."""

    def verb(self, name: str, **how: Any) -> Callable[[Callable[..., Output]], click.Command]:
        """Like `verb`, for a command of this group."""

        def add(function: Callable[..., Output]) -> click.Command:
            command = verb(name, **how)(function)
            self.add_command(command)
            return command

        return add

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
                [(name, one.get_short_help_str(_WHOLE)) for name, one in commands if one]
            )


def group(name: str, **how: Any) -> Callable[[Decorated], Group]:
    """A group of commands."""
    return click.group(name, cls=Group, **how)
