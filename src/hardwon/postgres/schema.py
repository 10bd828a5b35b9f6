"""The tables and how they change: numbered scripts, each run once, by one process at a time.

A change only adds (a later one removes), so that the release before and the one after work side by
side while a fleet is upgraded.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hardwon.errors import InvalidInput, NewerSchema, SetupError
from hardwon.postgres.deadline import patient
from hardwon.postgres.driver import psycopg

if TYPE_CHECKING:
    from hardwon.postgres.database import Database

_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
_LOCK = 0x68617264776F6E  # "hardwon": the number that all who migrate agree on
_FOUND = """
SELECT coalesce(max(version), 0) FROM hardwon.migrations
"""
_IS_THERE = "SELECT to_regclass('hardwon.migrations') IS NOT NULL"
AUTO, CHECK = "auto", "check"


class Migration(NamedTuple):
    """One script: its number, its name and its statements."""

    number: int
    name: str
    script: str


def migrations() -> list[Migration]:
    """All scripts in their order."""
    names = sorted(name for name in os.listdir(_FOLDER) if name.endswith(".sql"))
    return [Migration(int(name[:4]), name, _text(name)) for name in names]


def version(database: Database) -> int:
    """The number of the last script that was run there; 0 for an empty database."""
    if not database.rows(_IS_THERE)[0][0]:
        return 0
    return int(database.rows(_FOUND)[0][0])


def pending(database: Database) -> list[Migration]:
    """The scripts that were not run yet; NewerSchema when the database is ahead of this hardwon."""
    current, known = version(database), migrations()
    if current > known[-1].number:
        raise NewerSchema(database.name, current, known[-1].number)
    return [migration for migration in known if migration.number > current]


def migrate(database: Database) -> list[Migration]:
    """Bring the tables up to date, all or nothing; the scripts that were run."""
    if not pending(database):
        return []
    with patient(), database:
        database.rows("SELECT pg_advisory_xact_lock(%(key)s::bigint)", key=_LOCK)
        wanted = pending(database)  # another may have been faster
        for migration in wanted:
            database.run_script(migration.script)
            database.rows(
                "INSERT INTO hardwon.migrations (version, name) VALUES (%(version)s, %(name)s)",
                version=migration.number,
                name=migration.name,
            )
    return wanted


def ensure(database: Database, mode: str = AUTO) -> None:
    """Make sure the tables fit: `auto` migrates them, `check` raises when they do not."""
    if mode not in {AUTO, CHECK}:
        raise InvalidInput(f"postgres.migrate is {mode!r}: neither {AUTO!r} nor {CHECK!r}")
    if mode == AUTO:
        migrate(database)
    elif missing := pending(database):
        names = ", ".join(migration.name for migration in missing)
        raise SetupError(f"{database.name}: not migrated yet ({names}); run `hardwon migrate`")


def grant(database: Database, role: str) -> None:
    """Let a role use the tables, those to come as well, without owning them."""
    own = psycopg.sql.Identifier(role).as_string(None)
    with database:
        database.run_script(
            f"GRANT USAGE ON SCHEMA hardwon TO {own};"
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hardwon TO {own};"
            f"REVOKE INSERT, UPDATE, DELETE ON hardwon.migrations FROM {own};"
            f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA hardwon TO {own};"
            "ALTER DEFAULT PRIVILEGES IN SCHEMA hardwon"
            f" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {own};"
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA hardwon GRANT USAGE ON SEQUENCES TO {own};"
        )


def _text(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as script:
        return script.read()
