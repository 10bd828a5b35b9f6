"""`hardwon work`: turn captured failures into lessons."""

from __future__ import annotations

import click

import hardwon
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, say


@click.command("work")
@options.home
@options.as_json
def command(home: str | None, as_json: bool) -> None:
    """Work every job that is due, then stop."""
    with hardwon.open(home) as hw:
        tally = hw.drain()
        left = len(hw.waiting())
    if as_json:
        dump({**tally._asdict(), "left": left})
    else:
        say(f"{tally.done} done, {tally.retried} later, {tally.buried} given up, {left} waiting")
