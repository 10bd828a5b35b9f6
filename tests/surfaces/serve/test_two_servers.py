"""Two servers on one PostgreSQL database share keys and logins; each has a home of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.postgres_server import Place, running
from tests.surfaces.serve.processes import Server, identity, key, serving

REVOKED, MADE = 401, 200


@pytest.fixture
def servers(
    database: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Server, Server]]:
    monkeypatch.setenv("HARDWON_POSTGRES_URL", database.url)
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a slow machine decides no test
    with serving(tmp_path / "one") as first, serving(tmp_path / "two") as second:
        yield first, second


def test_a_key_of_one_server_is_a_key_of_the_other(
    servers: tuple[Server, Server], tmp_path: Path
) -> None:
    first, second = servers
    text = key(tmp_path / "third", "create", "--role", "admin")

    assert [server.ask(text)[0] for server in servers] == [MADE, MADE]
    assert second.ask(text, "DELETE", f"/v1/keys/{identity(text)}")[0] == 200
    assert [server.ask(text)[0] for server in servers] == [REVOKED, REVOKED]
    first.kill()
    with serving(tmp_path / "one") as again:
        assert again.ask(text)[0] == REVOKED


def test_a_login_at_one_server_is_a_login_at_the_other(
    servers: tuple[Server, Server], tmp_path: Path
) -> None:
    first, second = servers
    text = key(tmp_path / "one", "create", "--role", "viewer")

    name, value, path = first.log_in(text)

    for server in (first, second):
        cookie = f"{name.replace(str(first.port), str(server.port))}={value}"
        assert server.page(f"{path}lessons", cookie) == 200
        assert server.page("/lessons", cookie) == 303
    key(tmp_path / "two", "revoke", identity(text))
    assert first.page(f"{path}lessons", f"{name}={value}") == 303


def test_a_dump_of_the_database_has_the_keys_and_no_secret(
    servers: tuple[Server, Server], tmp_path: Path, database: Place
) -> None:
    text = key(tmp_path / "one", "create", "--note", "for the build")

    with psycopg.connect(database.owner) as connection:
        connection.execute("SELECT set_config('hardwon.tenant', ' ', false)")
        rows = connection.execute("SELECT * FROM hardwon.service_keys").fetchall()

    assert [row[0] for row in rows] == [identity(text)]
    assert not any(text.split("_", 2)[2] in str(row) for row in rows)
    assert not any(file.name == "serve.db" for file in tmp_path.rglob("*"))


def test_a_tenant_sees_no_key_and_no_login_of_another(
    servers: tuple[Server, Server], tmp_path: Path, database: Place
) -> None:
    servers[0].log_in(key(tmp_path / "one", "create", "--role", "viewer", "--tenant", "acme"))

    with psycopg.connect(database.url) as connection:
        counts = {}
        for tenant in ("acme", "other"):
            connection.execute("SELECT set_config('hardwon.tenant', %s, false)", (tenant,))
            counts[tenant] = [
                connection.execute(f"SELECT count(*) FROM hardwon.{table}").fetchall()[0][0]
                for table in ("service_keys", "service_logins")
            ]

    assert counts == {"acme": [1, 1], "other": [0, 0]}


def test_a_server_whose_database_is_away_says_so_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running() as postgres:
        monkeypatch.setenv("HARDWON_POSTGRES_URL", postgres.database().url)
        text = key(tmp_path, "create", "--role", "admin")
        with serving(tmp_path) as server:
            assert server.ask(text)[0] == MADE
            postgres.kill()

            away = [server.ask(text)[0] for _ in range(3)]
            alive = server.page("/healthz", "")
            postgres.start()
            while (status := server.ask(text)[0]) == 503:
                pass

    assert away == [503, 503, 503]
    assert (alive, status) == (200, MADE)
