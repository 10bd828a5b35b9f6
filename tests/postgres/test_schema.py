"""Migrations: each once, by one process at a time, and never backwards."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import HardwonError, InvalidInput, NewerSchema, SetupError
from hardwon.core.values.lesson import Status
from hardwon.knowledge.ranking.query import query
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.connection import is_patient
from hardwon.storage.postgres.database import Database
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import SERVICE, Place, PostgresServer
from tests.samples import CODER, NOW, lesson

REPLICAS, LATEST = 3, schema.migrations()[-1].number
_UNSUPPORTED = """
SELECT key.conrelid::regclass::text, key.conname FROM pg_constraint AS key
WHERE key.contype = 'f' AND key.connamespace = 'hardwon'::regnamespace AND NOT EXISTS (
    SELECT 1 FROM pg_index AS i WHERE i.indrelid = key.conrelid
    AND (i.indkey::int2[])[0:cardinality(key.conkey) - 1] @> key.conkey
)
"""


@pytest.fixture
def empty(postgres: PostgresServer) -> Iterator[Database]:
    with closing(Database(postgres.empty().owner)) as opened:
        yield opened


def test_an_empty_database_gets_every_table_once(empty: Database) -> None:
    known = schema.migrations()

    assert schema.version(empty) == 0
    assert schema.migrate(empty) == known
    assert schema.migrate(empty) == []
    assert schema.version(empty) == known[-1].number


def test_who_migrates_waits_for_another_as_long_as_it_takes(empty: Database) -> None:
    class Watched(Database):
        def rows(self, sql: str, **values: object) -> list[tuple[object, ...]]:
            waited.append((sql.split("(")[0], is_patient.get()))
            return super().rows(sql, **values)

    waited: list[tuple[str, bool]] = []
    with closing(Watched(empty.url)) as database:
        schema.migrate(database)
        schema.migrate(database)  # nothing waits: an ordinary question

    assert ("SELECT pg_advisory_xact_lock", True) in waited
    assert [waited[at][1] for at in (0, -1)] == [False, False]


def test_no_foreign_key_needs_a_look_at_the_whole_table(empty: Database) -> None:
    schema.migrate(empty)

    assert empty.rows(_UNSUPPORTED) == []


def test_the_scripts_are_numbered_without_a_gap() -> None:
    assert [one.number for one in schema.migrations()] == list(
        range(1, len(schema.migrations()) + 1)
    )


@pytest.mark.parametrize("rounds", [20, pytest.param(100, marks=pytest.mark.torture)])
def test_replicas_that_start_together_migrate_once(postgres: PostgresServer, rounds: int) -> None:
    for _ in range(rounds):
        place = postgres.empty()
        done: list[int] = []

        def start(place: Place = place, done: list[int] = done) -> None:
            with closing(Database(place.owner)) as own:
                done.append(len(schema.migrate(own)))

        threads = [threading.Thread(target=start) for _ in range(REPLICAS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(done) == [0] * (REPLICAS - 1) + [len(schema.migrations())]


@pytest.mark.parametrize("version", range(1, LATEST))
def test_every_earlier_version_is_brought_up_to_date_with_what_it_holds(
    postgres: PostgresServer, tmp_path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, known = postgres.empty(), schema.migrations()
    monkeypatch.setattr(schema, "migrations", lambda: known[:version])
    with closing(PostgresStore(place.owner, str(tmp_path), fresh=0)) as earlier:
        kept = earlier.lessons.add(lesson("a zebra"))
        monkeypatch.undo()
        with closing(PostgresStore(place.owner, str(tmp_path), fresh=0)) as later:
            added = later.lessons.add(lesson("an otter"))
            again = earlier.lessons.add(lesson("a heron"))  # while a fleet is upgraded

            found = later.lessons.recent(CODER, status=Status.ALL, limit=9)
            asked = query("turn", "zebra")
            matches = later.lessons.match(CODER, asked, now=NOW, limit=9)
            assert {one.id for one in found} == {kept.id, added.id, again.id}
            assert matches[0].lesson.id == kept.id
            assert schema.version(later.database) == LATEST
            assert later.check() == []


def test_a_script_only_adds() -> None:
    taken = re.compile(r"^(DROP|TRUNCATE|DELETE)\b|\b(RENAME|(DROP|ALTER) COLUMN)\b", re.M)

    assert [one.name for one in schema.migrations() if taken.search(one.script)] == []


def test_a_database_of_a_newer_release_is_left_alone(empty: Database) -> None:
    schema.migrate(empty)
    empty.rows("INSERT INTO hardwon.migrations (version, name) VALUES (9999, 'of tomorrow')")

    for look in (schema.migrate, schema.pending, schema.ensure):
        with pytest.raises(NewerSchema):
            look(empty)


def test_a_service_that_only_checks_says_what_to_run(empty: Database) -> None:
    with pytest.raises(SetupError, match="hardwon migrate"):
        schema.ensure(empty, schema.CHECK)
    assert schema.version(empty) == 0

    schema.ensure(empty, schema.AUTO)
    schema.ensure(empty, schema.CHECK)


def test_another_mode_is_refused(empty: Database) -> None:
    with pytest.raises(InvalidInput):
        schema.ensure(empty, "sometimes")


def test_a_granted_role_uses_the_tables_and_those_to_come(postgres: PostgresServer) -> None:
    place = postgres.empty()
    with closing(Database(place.owner)) as owner, closing(Database(place.url)) as service:
        schema.migrate(owner)
        with pytest.raises(SetupError):
            service.of("acme").rows("SELECT * FROM hardwon.lessons")
        schema.grant(owner, SERVICE)
        owner.rows("CREATE TABLE hardwon.later (tenant text)")

        assert service.of("acme").rows("SELECT * FROM hardwon.lessons") == []
        assert service.of("acme").rows("SELECT * FROM hardwon.later") == []
        with pytest.raises(SetupError):
            service.rows("DELETE FROM hardwon.migrations")


def test_every_table_of_tenants_is_walled(database: Place, postgres: PostgresServer) -> None:
    open_tables = postgres.execute(
        "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'hardwon' AND c.relkind = 'r'"
        " AND NOT (c.relrowsecurity AND c.relforcerowsecurity)",
        database.name,
    )

    assert {name for (name,) in open_tables} == set(schema.SHARED)


def test_no_table_gives_a_row_away_to_another_tenant(
    database: Place, postgres: PostgresServer
) -> None:
    """Each table is asked as a tenant that nobody is, without any condition."""
    tables = postgres.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace"
        " AND relkind = 'r' ORDER BY relname",
        database.name,
    )
    with hardwon.open(database.url) as hw:
        hw.agent("coder", tenant="acme").learn("lock the row before the balance is changed")

    with closing(Database(database.url)) as service:
        for table in {name for (name,) in tables} - set(schema.SHARED):
            service.of("other").run(f"DELETE FROM hardwon.{table}")

    with hardwon.open(database.url) as hw:
        assert len(hw.agent("coder", tenant="acme").lessons.list()) == 1


def test_no_tenant_is_added_or_renamed_by_another(database: Place) -> None:
    with closing(Database(database.url)) as service:
        service.of("acme").run("INSERT INTO hardwon.tenants VALUES (:tenant)")

        with pytest.raises(HardwonError, match="row-level security"):
            service.of("other").run("INSERT INTO hardwon.tenants VALUES ('third')")
        service.of("other").run("UPDATE hardwon.tenants SET name = 'other'")

        assert service.rows("SELECT name FROM hardwon.tenants") == [("acme",)]
