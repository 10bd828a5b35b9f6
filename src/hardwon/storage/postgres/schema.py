"""The tables and their migrations: numbered scripts, each run once, one process at a time.

A migration only adds (a later one removes), so that two releases work side by side during an
upgrade.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import InvalidInput, NewerSchema, SetupError
from hardwon.storage.postgres.deadline import patient
from hardwon.storage.postgres.driver import psycopg

if TYPE_CHECKING:
    from hardwon.storage.postgres.database import Database

_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
_LOCK = 0x68617264776F6E  # "hardwon": the lock number of all migrations
_VERSION = """
SELECT coalesce(max(version), 0) FROM hardwon.migrations
"""
_IS_THERE = "SELECT to_regclass('hardwon.migrations') IS NOT NULL"
AUTO, CHECK = "auto", "check"
SHARED = ("folded", "job_events", "migrations", "proof_salt")  # tables about no tenant


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
    return int(database.rows(_VERSION)[0][0])


def pending(database: Database) -> list[Migration]:
    """The scripts not run yet; NewerSchema if the database is newer than this hardwon."""
    current, scripts = version(database), migrations()
    if current > scripts[-1].number:
        raise NewerSchema(database.name, current, scripts[-1].number)
    return [migration for migration in scripts if migration.number > current]


def migrate(database: Database) -> list[Migration]:
    """Bring the tables up to date, all or nothing; returns the scripts that were run."""
    if not pending(database):
        return []
    with patient(), database:
        database.rows("SELECT pg_advisory_xact_lock(:key::bigint)", key=_LOCK)
        scripts = pending(database)  # another process may have run them
        for migration in scripts:
            database.run_script(migration.script)
            database.rows(
                "INSERT INTO hardwon.migrations (version, name) VALUES (:version, :name)",
                version=migration.number,
                name=migration.name,
            )
    return scripts


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
    """Let a role use the present and future tables without owning them."""
    grantee = psycopg.sql.Identifier(role).as_string(None)
    with database:
        database.run_script(
            f"GRANT USAGE ON SCHEMA hardwon TO {grantee};"
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hardwon TO {grantee};"
            f"REVOKE INSERT, UPDATE, DELETE ON hardwon.migrations FROM {grantee};"
            f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA hardwon TO {grantee};"
            "ALTER DEFAULT PRIVILEGES IN SCHEMA hardwon"
            f" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {grantee};"
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA hardwon GRANT USAGE ON SEQUENCES TO {grantee};"
        )


def _text(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as script:
        return script.read()
