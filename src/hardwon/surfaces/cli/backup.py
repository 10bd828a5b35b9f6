"""`hardwon backup`, `restore`, `copy` and `migrate`: homes as files, and stores in PostgreSQL."""

from __future__ import annotations

import os
from contextlib import closing

import click

from hardwon.core.errors import InvalidInput
from hardwon.core.settings import load
from hardwon.core.text.clean import plural
from hardwon.storage import backup, copying
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import Progress, say


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False))
@options.home
def command(file: str, home: str | None) -> None:
    """Write the whole home into FILE, a compressed archive; agents may go on working.

    Lessons, runs, the queue, keys and settings are in it, tokens and the key of a server are not.
    A database on a server has tools of its own, such as pg_dump.
    """
    say(f"{plural(backup.write(file, load(home).home), 'file')} in {file}")


@click.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@options.home
def restore_command(file: str, home: str | None) -> None:
    """Bring the backup FILE back into a home that is empty or not there yet."""
    place = load(home).home
    say(f"{plural(backup.restore(file, place), 'file')} restored into {place}")


@click.command("copy")
@click.argument("source")
@click.argument("target")
@options.flag("--resume", "Continue a copy that was interrupted.")
def copy_command(source: str, target: str, resume: bool) -> None:
    """Copy lessons, logs, reflections and dreams from SOURCE into TARGET, and compare them.

    Each is a home directory or `postgresql://…` with the role that owns the tables. The source is
    not changed; stop its writers first. Jobs are not copied: work them first.
    """
    home = load().home
    os.makedirs(home, mode=0o700, exist_ok=True)
    with Progress("Copying", kept="continue with --resume") as tell:
        rows = copying.copy(source, target, home=home, resume=resume, tell=tell)
    say(f"{plural(rows, 'row')} copied and compared")


@click.command("migrate")
@options.home
@options.flag("--sql", "Print what would be run, and run nothing.")
@options.flag("--check", "Exit with 1 when something would be run.")
@options.option("--grant", "Let this role use the tables without owning them.", metavar="ROLE")
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
        pending = schema.pending(database)
        if sql:
            say("\n".join(migration.script for migration in pending))
        elif check:
            say("\n".join(name for _, name, _ in pending) or "up to date")
            raise click.exceptions.Exit(1 if pending else 0)
        else:
            scripts = schema.migrate(database)
            say(f"{plural(len(scripts), 'migration')} run" if scripts else "up to date")
            if grant:
                schema.grant(database, grant)
                say(f"{grant} may use the tables")
