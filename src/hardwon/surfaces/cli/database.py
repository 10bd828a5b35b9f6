"""`hardwon copy` and `hardwon migrate`: stores in PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing

import click

from hardwon.core.errors import InvalidInput
from hardwon.core.settings import load
from hardwon.core.text.clean import plural
from hardwon.storage import copying
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import Progress, say


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


@click.command("migrate")
@options.home
@click.option("--sql", is_flag=True, help="Print what would be run, and run nothing.")
@click.option("--check", is_flag=True, help="Exit with 1 when something would be run.")
@click.option("--grant", metavar="ROLE", help="Let this role use the tables without owning them.")
def migrate_command(home: str | None, sql: bool, check: bool, grant: str | None) -> None:
    """Bring the tables of a PostgreSQL database up to date, all or nothing.

    The database is that of `postgres.url`, or `--home postgresql://…`. Run it with the role that is
    to own the tables; give services a role of their own (`--grant`) and `postgres.migrate = check`.
    """
    url = load(home).postgres.url
    if not url:
        raise InvalidInput("no database is set: give `--home postgresql://…` or set postgres.url")
    from hardwon.storage.postgres import schema
    from hardwon.storage.postgres.database import Database

    database = Database(url, patience=None)
    with closing(database):
        if sql:
            say("\n".join(migration.script for migration in schema.pending(database)))
        elif check:
            _check(schema.pending(database))
        else:
            scripts = schema.migrate(database)
            say(f"{plural(len(scripts), 'migration')} run" if scripts else "up to date")
        if grant and not sql and not check:
            schema.grant(database, grant)
            say(f"{grant} may use the tables")


def _check(pending: Sequence[tuple[int, str, str]]) -> None:
    for _, name, _ in pending:
        say(name)
    if pending:
        raise click.exceptions.Exit(1)
    say("up to date")
