"""Send several statements in one round trip; they are prepared for the next time.

This uses libpq directly: the cursors and pipelines of psycopg take longer than the server itself
for the queries of an agent's turn. Psycopg still converts values and rows.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.waiting import Ready, Wait

from hardwon.storage.postgres.driver import psycopg
from hardwon.storage.sql.dialect import in_postgres

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from psycopg.pq.abc import PGconn, PGresult

    Row = tuple[Any, ...]
    Key = tuple[bytes, tuple[int, ...]]  # a statement, and the types of its values

_MOST = 250  # statements kept prepared per connection; their texts are constants of hardwon
_BINARY = 1


class Message(NamedTuple):
    """One statement as it is sent."""

    sql: bytes
    values: Sequence[Any]
    types: tuple[int, ...]
    formats: Sequence[int]


class Exchange:
    """Requests on one connection. `is_pooled`: the next one may reach another session."""

    def __init__(self, connection: psycopg.Connection[Any], *, is_pooled: bool) -> None:
        self._connection = connection
        for dumper in (Int8BinaryDumper, Int8Dumper):  # by default the type depends on the size,
            connection.adapters.register_dumper(int, dumper)  # and each type is prepared again
        self._converter = Transformer(connection)
        self._most = 0 if is_pooled else _MOST
        self._prepared: dict[Key, bytes] = {}
        self._named = 0

    def ask(self, statements: Sequence[tuple[str, Mapping[str, Any]]]) -> list[list[Row]]:
        """The rows of each statement; empty for a statement without rows."""
        messages = [self._message(sql, values) for sql, values in statements]
        pgconn = self._connection.pgconn
        new: dict[Key, bytes] = {}
        pgconn.enter_pipeline_mode()
        try:
            are_rows = [
                is_rows for message in messages for is_rows in self._sent(pgconn, message, new)
            ]
            pgconn.pipeline_sync()
            results = self._connection.wait(_answers(pgconn))
        finally:
            _leave(pgconn)
        self._prepared.update(new)
        return [self._rows(result) for result in compress(results, are_rows)]

    def _message(self, sql: str, values: Mapping[str, Any]) -> Message:
        text, places = in_postgres(sql)
        arguments = [_storable(values[name]) for name in places]
        dumped = self._converter.dump_sequence(arguments, list(map(_format, arguments)))
        types, formats = self._converter.types or (), self._converter.formats or ()
        return Message(text, dumped, types, formats)

    def _sent(self, pgconn: PGconn, message: Message, new: dict[Key, bytes]) -> Iterator[bool]:
        """Send a statement, prepared if possible; for each answer whether it has rows."""
        sql, values, types, formats = message
        name = self._prepared.get((sql, types)) or new.get((sql, types))
        if name is None and len(self._prepared) + len(new) < self._most:
            self._named += 1
            name = new[sql, types] = b"hardwon%d" % self._named
            pgconn.send_prepare(name, sql, types)
            yield False
        if name is None:
            pgconn.send_query_params(sql, values, types, formats, _BINARY)
        else:
            pgconn.send_query_prepared(name, values, formats, _BINARY)
        yield True

    def _rows(self, result: PGresult) -> list[Row]:
        if not result.nfields:
            return []
        self._converter.set_pgresult(result)
        return self._converter.load_rows(0, result.ntuples, tuple)


def _storable(value: Any) -> Any:
    """The value without NUL, which no text of PostgreSQL can hold: one would stop all others."""
    if isinstance(value, str):
        return value.replace("\0", "")  # the same object if there is none
    if isinstance(value, list) and value and isinstance(value[0], str):
        return [_storable(text) for text in value]
    return value


def _format(value: object) -> PyFormat:
    """The format of a value: long lists are far cheaper as bytes; an empty list has no type."""
    return PyFormat.BINARY if isinstance(value, list | bytes) and value else PyFormat.AUTO


def _answers(pgconn: PGconn) -> Generator[Wait, Ready | int, list[PGresult]]:
    """The results of all statements; the server's first error is raised."""
    results: list[PGresult] = []
    while pgconn.flush():
        if (yield Wait.RW) & Ready.R:
            pgconn.consume_input()
    while True:
        while pgconn.is_busy():
            if (yield Wait.R):
                pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            if pgconn.status == ConnStatus.BAD:
                raise _error(results) or psycopg.OperationalError("the connection is lost")
        elif result.status == ExecStatus.PIPELINE_SYNC:
            break
        else:
            results.append(result)
    if problem := _error(results):
        raise problem
    return results


def _error(results: Sequence[PGresult]) -> psycopg.Error | None:
    failed = (result for result in results if result.status == ExecStatus.FATAL_ERROR)
    first = next(failed, None)
    return None if first is None else psycopg.errors.error_from_result(first)


def _leave(pgconn: PGconn) -> None:
    """End the pipeline; a connection with unread answers is closed."""
    if pgconn.status != ConnStatus.OK:
        return
    try:
        pgconn.exit_pipeline_mode()
    except psycopg.OperationalError:
        pgconn.finish()
