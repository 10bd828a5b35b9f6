"""The tables and their migrations, and checks of a server for operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from hardwon.core.errors import HardwonError, InvalidInput, NewerSchema, SetupError
from hardwon.storage.postgres.connection import patient, psycopg
from hardwon.storage.postgres.database import Database
from hardwon.storage.sql.dialect import read_queries

Check = Callable[[Database], tuple[bool, str]]

_SQL = read_queries(__file__)
_LOCK = 0x68617264776F6E  # "hardwon": the lock number of all migrations
AUTO, CHECK = "auto", "check"
SHARED = ("folded", "job_events", "migrations", "proof_salt")  # tables about no tenant


class Migration(NamedTuple):
    """One script: its number, its name and its statements."""

    number: int
    name: str
    script: str


def migrations() -> list[Migration]:
    """All scripts in their order."""
    paths = sorted(Path(__file__).with_name("migrations").glob("*.sql"))
    return [Migration(int(path.name[:4]), path.name, path.read_text("utf-8")) for path in paths]


def version(database: Database) -> int:
    """The number of the last script that was run there; 0 for an empty database."""
    if not database.rows(_SQL["is_there"])[0][0]:
        return 0
    return int(database.rows(_SQL["version"])[0][0])


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
        database.rows(_SQL["lock"], key=_LOCK)
        scripts = pending(database)  # another process may have run them
        for migration in scripts:
            database.run_script(migration.script)
            database.rows(
                _SQL["note"],
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
        database.run_script(_SQL["grant"].format(grantee))


_OLDEST = 140_000  # PostgreSQL 14, the oldest supported server
_SKEW = timedelta(seconds=2)  # between the clocks of the server and of this machine
HELD = 600  # seconds that a snapshot may keep dead rows from being removed
_MANY, _TIMES = 10_000, 10  # dead rows of a table, and how many per living row


class Finding(NamedTuple):
    """One check and its result."""

    name: str
    is_well: bool
    text: str


def inspect(database: Database) -> Iterator[Finding]:
    """Every check of a server, in order; stops at the first that cannot run."""
    for name, check in _CHECKS.items():
        try:
            yield Finding(name, *check(database))
        except HardwonError as error:
            yield Finding(name, False, str(error))
            return


def _server(database: Database) -> tuple[bool, str]:
    number, version = database.rows(_SQL["server"])[0]
    remedy = "" if number >= _OLDEST else "; 14 is the oldest supported"
    return number >= _OLDEST, f"{database.name}, version {version}{remedy}"


def _role(database: Database) -> tuple[bool, str]:
    name, is_super, may_bypass, is_owner = database.rows(_SQL["role"])[0]
    if is_super or may_bypass:
        why = "is a superuser" if is_super else "may bypass row-level security"
        return False, f"{name!r} {why}: use a role that is neither, see `hardwon migrate --grant`"
    if is_owner:
        return False, f"{name!r} owns the tables: give services another, `hardwon migrate --grant`"
    return True, f"{name!r} owns no table and bypasses no policy"


def _schema(database: Database) -> tuple[bool, str]:
    missing = pending(database)
    if missing:
        return False, f"{len(missing)} migrations wait: `hardwon migrate`"
    return True, f"version {version(database)}"


def _walls(database: Database) -> tuple[bool, str]:
    names = [name for (name,) in database.rows(_SQL["open"], shared=list(SHARED))]
    if names:
        return False, f"no row-level security on {', '.join(names)}"
    return True, "row-level security on every table of tenants"


def _horizon(database: Database) -> tuple[bool, str]:
    seconds, slots = database.rows(_SQL["horizon"])[0][0], database.rows(_SQL["slots"])[0][0]
    if slots:
        return False, f"{slots} idle replication slots keep dead rows: drop them or resume them"
    if seconds > HELD:
        return False, f"a transaction is open for {seconds // 60} min and keeps dead rows"
    if not database.rows(_SQL["sees_all"])[0][0]:
        return True, "hardwon's are young; to see those of others: GRANT pg_read_all_stats TO …"
    return True, "no old snapshot keeps dead rows"


def _dead_rows(database: Database) -> tuple[bool, str]:
    rows = database.rows(_SQL["dead"], many=_MANY, times=_TIMES)
    if rows:
        listed = ", ".join(f"{name} {count}" for name, count in rows)
        return False, f"dead rows: {listed}; is autovacuum on?"
    return True, "few dead rows"


def _clock(database: Database) -> tuple[bool, str]:
    before = datetime.now(UTC)
    server_time = database.rows(_SQL["clock"])[0][0]
    after = datetime.now(UTC)
    skew = max(before - server_time, server_time - after, timedelta())
    return skew <= _SKEW, f"{skew.total_seconds():.1f} s apart from this machine's"


_CHECKS: dict[str, Check] = {
    "server": _server,
    "role": _role,
    "schema": _schema,
    "walls": _walls,
    "snapshots": _horizon,
    "dead rows": _dead_rows,
    "clock": _clock,
}
