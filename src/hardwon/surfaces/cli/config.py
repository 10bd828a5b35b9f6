"""`hardwon config`: every setting and where it was set."""

from __future__ import annotations

import os

import click

import hardwon
from hardwon.core import settings_file
from hardwon.core.errors import HardwonError, InvalidInput
from hardwon.core.settings import Settings, load
from hardwon.core.settings_file import unknown_settings
from hardwon.core.text.clean import plural
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.group import Group
from hardwon.surfaces.cli.output import complain, dump, say, say_folded, table


@click.group("config", cls=Group, invoke_without_command=True)
@options.home
@options.as_json
@click.pass_context
def command(context: click.Context, home: str | None, as_json: bool) -> None:
    """Show every setting, its value and where it was set; `set` and `unset` change one.

    A setting `section.name` is read from $HARDWON_SECTION_NAME, then from config.toml in the home
    directory. Durations are written 500ms, 5s, 2m or 168h.
    """
    if context.invoked_subcommand is None:
        _show(home, as_json=as_json)


@command.command("set")
@click.argument("key")
@click.argument("value")
@options.home
def set_(key: str, value: str, home: str | None) -> None:
    """Write KEY = VALUE into config.toml; comments and layout stay."""
    settings = load(home)
    _ensure_known(settings, key)
    literal = settings_file.set_setting(settings.home, key, value)
    say(f"{key} = {literal}")
    origin = load(home).origin(key)
    if origin != "config.toml":
        complain(f"{origin} is set and overrides config.toml")


@command.command("unset")
@click.argument("key")
@options.home
def unset(key: str, home: str | None) -> None:
    """Remove KEY from config.toml, so that its default applies again."""
    settings = load(home)
    _ensure_known(settings, key)
    was_set = settings_file.unset_setting(settings.home, key)
    say(f"{key} is {'no longer' if was_set else 'not'} set in config.toml")


def _ensure_known(settings: Settings, key: str) -> None:
    names = [row[0] for row in settings.rows() if "." in row[0]]
    if key not in names:
        raise InvalidInput(f"{key!r} is not a setting{options.suggestion(key, names)}")


def _show(home: str | None, *, as_json: bool) -> None:
    settings = load(home)
    rows = settings.rows()
    for name in unknown_settings(settings):
        complain(f"{name} is not a setting{options.suggestion(name, [row[0] for row in rows])}")
    if as_json:
        dump({key: {"value": value, "origin": origin} for key, value, origin in rows})
        return
    table(
        [(key, settings_file.format_value(value), f"({origin})") for key, value, origin in rows],
        indent="",
    )
    say()
    if settings.postgres.url or os.path.isdir(os.path.join(settings.home, "spend")):
        say_folded(f"spent today on models: {_spent(settings)}")
    change = "change one with `hardwon config set KEY VALUE`, or by $HARDWON_SECTION_NAME"
    say_folded(change, dim=True)


def _spent(settings: Settings) -> str:
    try:
        with hardwon.open(settings.home, settings=settings) as hw:
            spent = hw.spent()
    except HardwonError as error:
        return f"unknown ({error})"
    calls, tokens = plural(spent.calls, "call"), plural(spent.tokens, "token")
    return f"{calls}, {tokens}, ${spent.money:.2f}"
