"""`hardwon migrate`, and what `hardwon doctor` says about a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run
from tests.postgres_server import SERVICE, Place, PostgresServer


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path))


def findings(url: str, capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[bool, str]]:
    capsys.readouterr()
    run(["doctor", "--json", "--home", url])
    return {
        check["name"]: (check["is_well"], check["finding"])
        for check in json.loads(capsys.readouterr().out)
    }


def test_tables_are_made_once_and_shown_before(
    postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = postgres.empty().owner

    assert run(["migrate", "--check", "--home", owner]) == 1
    assert run(["migrate", "--sql", "--home", owner]) == 0
    assert "CREATE TABLE hardwon.lessons" in capsys.readouterr().out
    assert run(["migrate", "--home", owner]) == 0
    assert run(["migrate", "--home", owner]) == 0
    assert run(["migrate", "--check", "--home", owner]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["up to date", "up to date"]


def test_a_service_gets_a_role_of_its_own(
    postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    place = postgres.empty()

    assert run(["migrate", "--grant", SERVICE, "--home", place.owner]) == 0
    assert run(["reflect", "use Edit for large files", "--home", place.url]) == 0
    assert all(is_well for is_well, _ in findings(place.url, capsys).values())


def test_without_a_database_it_says_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["migrate"]) == 2
    assert "postgres.url" in capsys.readouterr().err


def test_a_role_that_could_look_past_the_walls_is_refused(
    postgres: PostgresServer, database: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = findings(database.owner, capsys)["role"]
    superuser = findings(postgres.admin(database.name), capsys)["role"]

    assert (owner[0], "owns the tables" in owner[1]) == (False, True)
    assert (superuser[0], "superuser" in superuser[1]) == (False, True)


def test_a_missing_wall_and_a_missing_migration_are_found(
    postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    place = postgres.database()
    postgres.execute("ALTER TABLE hardwon.lessons DISABLE ROW LEVEL SECURITY", place.name)
    postgres.execute("DELETE FROM hardwon.migrations WHERE version > 1", place.name)

    found = findings(place.url, capsys)

    assert found["walls"] == (False, "no row-level security on lessons")
    assert found["schema"][0] is False


def test_a_server_that_is_away_is_one_finding(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings("postgresql://u:secret@127.0.0.1:1/none", capsys)

    assert found["server"][0] is False
    assert "role" not in found
    assert "secret" not in str(found)
