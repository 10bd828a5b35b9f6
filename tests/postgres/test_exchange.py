"""Several statements in one round trip: their rows, their errors, and large ones both ways."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from hardwon.storage.postgres.connection import Connection, connect
from tests.postgres_server import Place

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
