"""`hardwon config`: every setting and where it was set."""

from __future__ import annotations

import click

from hardwon.settings import load
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, say, table


@click.command("config")
@options.home
@options.as_json
def command(home: str | None, as_json: bool) -> None:
    """Show every setting, its value and where it was set.

    A setting `section.name` is read from $HARDWON_SECTION_NAME, then from config.toml in the home
    directory. Durations are written 500ms, 5s, 2m or 168h.
    """
    rows = load(home).rows()
    if as_json:
        dump({key: {"value": value, "origin": origin} for key, value, origin in rows})
        return
    table([(key, str(value), f"({origin})") for key, value, origin in rows], indent="")
    say()
    say("set one with $HARDWON_SECTION_NAME, or in config.toml in the home directory", dim=True)
