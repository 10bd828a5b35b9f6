"""Transactions, deadlines and exchanges with a server."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from hardwon.core.errors import StorageError, Unavailable
from hardwon.core.time_limits import WaitBudget
from hardwon.storage.postgres.connection import Connection, connect
from hardwon.storage.postgres.database import Database
from tests.postgres_server import Place, PostgresServer, running
from tests.redis_server import free_port

_ALL = "SELECT agent_id FROM hardwon.shelves ORDER BY agent_id"


@pytest.fixture
def db(database: Place) -> Iterator[Database]:
    with closing(Database(database.url)) as opened:
        yield opened


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that the test may freeze or stop."""
    with running() as server:
        yield server


def shelve(db: Database, tenant: str, agent: str) -> None:
    with db:
        own = db.of(tenant)
        own.run("INSERT INTO hardwon.tenants VALUES (:tenant) ON CONFLICT DO NOTHING")
        own.run(
            "INSERT INTO hardwon.shelves (tenant, agent_id) VALUES (:tenant, :agent)",
            agent=agent,
        )


def agents(db: Database, tenant: str) -> list[str]:
    return [agent for (agent,) in db.of(tenant).rows(_ALL)]


def test_a_database_that_could_not_be_prepared_is_prepared_at_the_next_use(
    database: Place,
) -> None:
    tried: list[str] = []

    def prepare(_: Database) -> None:
        tried.append("once")
        if len(tried) == 1:
            raise Unavailable("not yet")

    with closing(Database(database.url, prepare=prepare)) as new:
        with pytest.raises(Unavailable):
            new.ready()
        new.ready()
        new.ready()

    assert len(tried) == 2


def test_who_names_no_tenant_sees_nothing(db: Database, database: Place) -> None:
    shelve(db, "acme", "coder")

    with closing(Database(database.url)) as new, pytest.raises(StorageError, match="tenant"):
        new.rows(_ALL)
    assert db.rows(_ALL) == []  # a session that has served a tenant before


def test_nobody_writes_for_another_tenant(db: Database) -> None:
    shelve(db, "acme", "coder")

    with pytest.raises(StorageError, match="row-level security"):
        db.of("other").run("INSERT INTO hardwon.shelves (tenant, agent_id) VALUES ('acme', 'x')")


def test_the_role_of_a_service_changes_no_table(db: Database) -> None:
    with pytest.raises(StorageError, match="role that owns the tables"):
        db.rows("ALTER TABLE hardwon.shelves DISABLE ROW LEVEL SECURITY")


def test_a_block_is_kept_as_a_whole_or_not_at_all(db: Database) -> None:
    def fail() -> None:
        with db:
            shelve(db, "acme", "coder")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert agents(db, "acme") == []


def test_one_transaction_serves_several_tenants(db: Database) -> None:
    with db:
        shelve(db, "acme", "coder")
        shelve(db, "other", "writer")
        assert agents(db, "acme") == ["coder"]

    assert agents(db, "other") == ["writer"]


def test_a_snapshot_stays_while_others_write(db: Database) -> None:
    with db.snapshot():
        before = agents(db, "acme")
        beside = threading.Thread(target=shelve, args=(db, "acme", "coder"))
        beside.start()
        beside.join()
        assert agents(db, "acme") == before == []

    assert agents(db, "acme") == ["coder"]


def test_a_failed_statement_ends_its_transaction_only(db: Database) -> None:
    with pytest.raises(StorageError):
        db.rows("SELECT 1 / 0")

    assert db.rows("SELECT 1") == [(1,)]


def test_more_threads_than_connections_wait_their_turn(database: Place) -> None:
    found: list[object] = []
    with closing(Database(database.url, pool=2)) as db:
        threads = [
            threading.Thread(target=lambda: found.extend(db.rows("SELECT 1 FROM pg_sleep(0.01)")))
            for _ in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(found) == 12


def test_a_forked_child_has_connections_of_its_own(db: Database) -> None:
    before = db.rows("SELECT pg_backend_pid()")
    read, write = os.pipe()

    child = os.fork()
    if child == 0:
        os.write(write, str(db.rows("SELECT pg_backend_pid()")[0][0]).encode())
        os._exit(0)
    os.waitpid(child, 0)

    assert int(os.read(read, 100)) not in {before[0][0], db.rows("SELECT pg_backend_pid()")[0][0]}


def test_a_restarted_server_is_found_again(own_server: PostgresServer) -> None:
    with closing(Database(own_server.database().url)) as db:
        shelve(db, "acme", "coder")
        own_server.stop()
        own_server.start()

        assert agents(db, "acme") == ["coder"]


def test_who_is_in_a_hurry_gives_up_a_frozen_server_and_rests(own_server: PostgresServer) -> None:
    with closing(Database(own_server.database().url)) as db:
        shelve(db, "acme", "coder")
        own_server.freeze()
        with WaitBudget(0.08), pytest.raises(Unavailable, match="in time"):
            agents(db, "acme")
        with WaitBudget(0.08), pytest.raises(Unavailable, match="not tried again"):
            agents(db, "acme")
        own_server.thaw()

        assert agents(db, "acme") == ["coder"]
        with WaitBudget(5):  # the answer to somebody patient ended the rest
            assert agents(db, "acme") == ["coder"]


def test_waits_of_a_hurried_caller_add_up(db: Database) -> None:
    def ask() -> None:
        for _ in range(1000):
            db.rows("SELECT 1 FROM pg_sleep(0.02)")

    with WaitBudget(0.3), pytest.raises(Unavailable):
        ask()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_that_is_not_there_is_unavailable(host: str) -> None:
    with closing(Database(f"postgresql://u:secret@{host}:{free_port()}/db")) as db:
        with pytest.raises(Unavailable) as problem:
            db.rows("SELECT 1")
        assert "secret" not in str(problem.value)
        with WaitBudget(0.08), pytest.raises(Unavailable, match="not tried again"):
            db.rows("SELECT 1")


_SAME = "SELECT :value::text"


@pytest.fixture(params=["prepared", "pooled"])
def line(request: pytest.FixtureRequest, database: Place) -> Iterator[Connection]:
    url = database.url + ("?pgbouncer=true" if request.param == "pooled" else "")
    with connect(url, patience=30.0) as opened:
        yield opened


def test_each_statement_gets_its_rows(line: Connection) -> None:
    for value in ("one", "two"):
        found = line.exchange.ask(
            [
                ("SELECT generate_series(1, 3)", {}),
                ("CREATE TEMPORARY TABLE IF NOT EXISTS kept (number int)", {}),
                (_SAME, {"value": value}),
                ("SELECT :b::int % :a::int, :b::int", {"a": 3, "b": 10}),
                ("SELECT :blob::bytea, :many::bigint[]", {"blob": b"\0x", "many": [1, 2]}),
            ]
        )

        assert found == [[(1,), (2,), (3,)], [], [(value,)], [(1, 10)], [(b"\0x", [1, 2])]]


def test_numbers_of_every_size_reach_the_same_statement(line: Connection) -> None:
    sql = "SELECT :number::bigint, :many::bigint[]"
    for number in (1, 2**20, 2**40, -1):
        asked = (sql, {"number": number, "many": [number]})

        assert line.exchange.ask([asked]) == [[(number, [number])]]

    prepared = "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%::bigint[]'"
    assert len(line.exchange.ask([(prepared, {})])[0]) <= 1


def test_the_first_complaint_is_raised_and_the_line_goes_on(line: Connection) -> None:
    wrong = [(_SAME, {"value": "x"}), ("SELECT 1 / 0", {}), ("SELECT nobody", {})]

    for _ in range(2):
        with pytest.raises(psycopg.errors.DivisionByZero):
            line.exchange.ask(wrong)
        with pytest.raises(psycopg.errors.UndefinedColumn):
            line.exchange.ask([("SELECT nobody", {})])

    assert line.exchange.ask([(_SAME, {"value": "still here"})]) == [[("still here",)]]


def test_a_text_loses_what_no_text_of_the_server_can_hold(line: Connection) -> None:
    assert line.exchange.ask([(_SAME, {"value": "a\0b"})]) == [[("ab",)]]


def test_more_than_a_socket_holds_goes_both_ways(line: Connection) -> None:
    text = "x" * 3_000_000

    found = line.exchange.ask([(_SAME, {"value": text})] * 4)

    assert [len(rows[0][0]) for rows in found] == [len(text)] * 4


def test_more_statements_than_are_kept_prepared(line: Connection) -> None:
    for number in range(300):
        assert line.exchange.ask([(f"SELECT {number}", {})]) == [[(number,)]]

    ((kept,),) = line.exchange.ask([("SELECT count(*) FROM pg_prepared_statements", {})])[0]
    assert kept <= 250


def test_a_line_that_is_cut_says_so(line: Connection) -> None:
    with pytest.raises(psycopg.OperationalError):
        line.exchange.ask([("SELECT pg_terminate_backend(pg_backend_pid())", {})])

    assert line.closed
