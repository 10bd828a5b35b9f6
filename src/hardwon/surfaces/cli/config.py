"""`hardwon config`: every setting and where it was set."""

from __future__ import annotations

import os

import click

import hardwon
from hardwon.settings import load, unknown, written
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import complain, dump, say, table


@click.command("config")
@options.home
@options.as_json
def command(home: str | None, as_json: bool) -> None:
    """Show every setting, its value and where it was set.

    A setting `section.name` is read from $HARDWON_SECTION_NAME, then from config.toml in the home
    directory. Durations are written 500ms, 5s, 2m or 168h.
    """
    settings = load(home)
    rows = settings.rows()
    for name in unknown(settings):
        complain(f"{name} is no setting{options.meant(name, [row[0] for row in rows])}")
    if as_json:
        dump({key: {"value": value, "origin": origin} for key, value, origin in rows})
        return
    table([(key, written(value), f"({origin})") for key, value, origin in rows], indent="")
    say()
    if os.path.isdir(os.path.join(settings.home, "spend")):
        with hardwon.open(settings.home) as hw:
            spent = hw.spent()
        say(
            f"spent today on models: {spent.calls} calls, {spent.tokens} tokens, ${spent.money:.2f}"
        )
    say("set one with $HARDWON_SECTION_NAME, or in config.toml in the home directory", dim=True)
