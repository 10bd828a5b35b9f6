"""One connection to PostgreSQL: its address, its options, and a limit on each wait."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from hardwon.core import time_limits
from hardwon.storage.postgres.deadline import bounded, is_patient
from hardwon.storage.postgres.driver import psycopg
from hardwon.storage.postgres.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Generator

    T = TypeVar("T")

_TRUE = {"1", "true", "yes", "on"}
_LOOK = 0.1  # seconds between two checks of the clock and for Ctrl-C
_OPTIONS: dict[str, Any] = {
    "application_name": "hardwon",
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,  # milliseconds
}


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits `patience` seconds, or what is left of the wait budget."""

    patience: float | None = None
    born: float = 0.0
    exchange: Exchange
    _pool = None  # psycopg does not warn if the program ends with it open

    def wait(
        self, gen: Generator[Any, Any, T], interval: float = _LOOK, timeout: float | None = None
    ) -> T:
        """One exchange with the server; after a TimeoutError the connection is closed."""
        with time_limits.Waiting() as remaining:
            limit = self._usual_limit() if remaining is None else remaining
            if limit is None:
                return super().wait(gen, interval)
            try:
                bound = bounded(gen, time.monotonic() + limit)
                return super().wait(bound, min(interval, limit))
            except TimeoutError:
                self.pgconn.finish()  # later data would belong to the abandoned exchange
                raise

    def _usual_limit(self) -> float | None:
        return None if is_patient() else self.patience


def connect(url: str, *, patience: float | None) -> Connection:
    """A new connection. It may take long, so an agent's turn does not call this itself."""
    plain, is_pooled = without_own_options(url)
    url_options = dict(parse_qsl(urlsplit(plain).query))
    options = {name: value for name, value in _OPTIONS.items() if name not in url_options}
    connection = Connection.connect(plain, autocommit=True, prepare_threshold=None, **options)
    connection.patience, connection.born = patience, time.monotonic()
    connection.exchange = Exchange(connection, is_pooled=is_pooled)
    return connection


def without_own_options(url: str) -> tuple[str, bool]:
    """The URL as libpq reads it, and whether it leads to a pooler (`?pgbouncer=true`)."""
    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    libpq_options = [(name, value) for name, value in options if name != "pgbouncer"]
    is_pooled = any(name == "pgbouncer" and value.lower() in _TRUE for name, value in options)
    return (urlunsplit(parts._replace(query=urlencode(libpq_options))), is_pooled)


def name_of(url: str) -> str:
    """The name of the database for messages, without its password."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    host = parts.hostname or dict(parse_qsl(parts.query)).get("host", "localhost")
    return f"PostgreSQL {host}{f':{port}' if port else ''}{parts.path}"
