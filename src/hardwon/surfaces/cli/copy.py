"""`hardwon copy`: from one store into another."""

from __future__ import annotations

import os

import click

from hardwon.core.settings import load
from hardwon.core.text.clean import plural
from hardwon.storage import copying
from hardwon.surfaces.cli.output import say
from hardwon.surfaces.cli.progress import Progress


@click.command("copy")
@click.argument("source")
@click.argument("target")
@click.option("--resume", is_flag=True, help="Continue a copy that was interrupted.")
def copy_command(source: str, target: str, resume: bool) -> None:
    """Copy lessons, logs, reflections and dreams from SOURCE into TARGET, and compare them.

    Each is a home directory or `postgresql://…` with the role that owns the tables. The source is
    not changed; stop its writers first. Jobs are not copied: work them first.
    """
    home = load().home
    os.makedirs(home, mode=0o700, exist_ok=True)
    with Progress("Copying", kept=lambda _: "continue with --resume") as tell:
        rows = copying.copy(source, target, home=home, resume=resume, tell=tell)
    say(f"{plural(rows, 'row')} copied and compared")
