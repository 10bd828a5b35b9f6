"""Where a server keeps keys, logins and answers: one commit per statement, shared by processes.

In SQLite that is `<home>/serve.db`; with PostgreSQL they are beside the lessons, and several
servers share them. Statements name their tables `service.…` and their values `:name`.

Only SQLite opens its file. A process that closes any other descriptor of it loses all its locks
there, and the next process to close it takes itself for the last and deletes the log in use.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, NotFound, StorageError
from hardwon.core.text.clean import one_line
from hardwon.core.text.secrets import safe
from hardwon.core.values.scope import check_name
from hardwon.storage.sql.dialect import read_queries, values_clause

if TYPE_CHECKING:
    from hardwon.core.settings import Settings
    from hardwon.storage.postgres.database import Database

Rows = Sequence[tuple[Any, ...]]

NAME = "serve.db"
_PATIENCE = 5.0  # seconds to wait for another process, or for the server
COLUMNS = "id, tenant, role, agent, project, note, created_at, expires_at, used_at, revoked_at"
_STORED = ("digest", *COLUMNS.split(", "))
_SQL = read_queries(
    __file__,
    COLUMNS=COLUMNS,
    KEY_COLUMNS=", ".join(f"keys.{name}" for name in COLUMNS.split(", ")),
    STORED=", ".join(_STORED),
    STORED_VALUES=values_clause(_STORED),
)
_SCHEMA = [sql for name, sql in _SQL.items() if name.startswith("create_")]


class ServiceDatabase(Protocol):
    """Call it with a statement to get all rows."""

    is_local: bool  # answers in microseconds

    def __call__(self, sql: str, **values: object) -> Rows: ...

    def close(self) -> None:
        """Release files and connections."""


def open_database(settings: Settings) -> ServiceDatabase:
    """The database of a home, or the PostgreSQL database that it is set to share."""
    if settings.postgres.url:
        from hardwon.storage.postgres import database, schema

        url, mode = settings.postgres.url, settings.postgres.migrate
        server = database.Database(
            url, patience=_PATIENCE, prepare=lambda connected: schema.ensure(connected, mode)
        )
        return SharedDatabase(server)
    return FileDatabase(settings.home)


def forget(settings: Settings, tenant: str) -> None:
    """Remove the keys, logins and stored answers of a tenant, if there are any."""
    if not (settings.postgres.url or os.path.exists(os.path.join(settings.home, NAME))):
        return
    database = open_database(settings)
    for table in ("keys", "logins", "replies"):
        database(_SQL["forget_tenant"].format(table), tenant=tenant)
    if database.is_local:
        database("PRAGMA wal_checkpoint(TRUNCATE)")  # otherwise its name stays in the log
    database.close()


class SharedDatabase:
    """Tables in PostgreSQL."""

    is_local = False

    def __init__(self, database: Database) -> None:
        self._db = database

    def __call__(self, sql: str, **values: object) -> Rows:
        from hardwon.storage.postgres.database import EVERY_TENANT
        from hardwon.storage.sql.dialect import Statement

        own = sql.replace("service.", "hardwon.service_")
        return self._db.ask(EVERY_TENANT, Statement(own, values))[0]

    def close(self) -> None:
        self._db.close()


class FileDatabase:
    """`<home>/serve.db`, which only its owner can read."""

    is_local = True

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, NAME)
        self._lock = threading.Lock()
        try:
            os.makedirs(home, mode=0o700, exist_ok=True)
            if os.path.islink(self._path):
                raise OSError("it is a link")
            from hardwon.storage.stores.sqlite.database import connect

            self._connection = connect(self._path, patience=_PATIENCE)
            os.chmod(self._path, 0o600)  # first: the log gets the same mode
            for statement in ("PRAGMA journal_mode = WAL", "PRAGMA secure_delete = ON", *_SCHEMA):
                self._connection.execute(statement)
        except (OSError, sqlite3.Error) as error:
            raise self._explain(error) from error

    def __call__(self, sql: str, **values: object) -> Rows:
        try:
            with self._lock:
                return self._connection.execute(sql.replace("service.", ""), values).fetchall()
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def close(self) -> None:
        self._connection.close()

    def _explain(self, error: Exception) -> StorageError:
        return StorageError(self._path, str(error), "check that it can be written, or move it away")


_MARK = "hw"
_NOTED = timedelta(minutes=1)  # a use is recorded at most this often
_NOTHING = bytes(32)  # compared when the id is unknown, so that the time is the same


class Role:
    """What the holder of a key may do."""

    AGENT = "agent"  # use the doors, learn, read lessons
    VIEWER = "viewer"  # read everything of the tenant
    CURATOR = "curator"  # also change lessons and dead letters
    ADMIN = "admin"  # all of it, the doors and the keys of the tenant included


ROLES = (Role.AGENT, Role.VIEWER, Role.CURATOR, Role.ADMIN)


class Key(NamedTuple):
    """One key, without its secret."""

    id: str
    tenant: str
    role: str
    agent: str | None  # the only agent it is for; None: any
    project: str | None
    note: str
    created_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class Limit(NamedTuple):
    """Which keys may be seen, made and revoked; None: any."""

    tenant: str | None = None
    agent: str | None = None
    project: str | None = None
    expires_at: datetime | None = None  # no key that is made lasts longer

    def choose(self, field: str, asked: str | None) -> str | None:
        """The tenant, agent or project of a new key; InvalidInput if that is not allowed."""
        limit: str | None = getattr(self, field)
        if None not in {limit, asked} and asked != limit:
            raise InvalidInput(f"keys made with this one are for the {field} {limit!r} only")
        return limit if asked is None else asked


NO_LIMIT = Limit()


class KeyRing:
    """The keys in a database. Any process may use it at any time."""

    def __init__(
        self, database: ServiceDatabase, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._clock = clock or partial(datetime.now, UTC)
        self._run = database

    def create(
        self,
        *,
        tenant: str | None = None,
        role: str = Role.AGENT,
        agent: str | None = None,
        project: str | None = None,
        note: str = "",
        lasts: timedelta | None = None,
        limit: Limit = NO_LIMIT,
    ) -> tuple[Key, str]:
        """A new key and its text, which is not stored and cannot be shown again."""
        if role not in ROLES:
            raise InvalidInput(f"no such role: {role!r}; one of {', '.join(ROLES)}")
        now = self._clock()
        tenant, agent, project = map(
            limit.choose, ("tenant", "agent", "project"), (tenant, agent, project)
        )
        try:
            ends = (None if lasts is None else now + lasts, limit.expires_at)
        except OverflowError:
            problem = "a key cannot last that long; leave out when it expires"
            raise InvalidInput(problem) from None
        key = Key(
            secrets.token_hex(6),
            check_name("default" if tenant is None else tenant, "tenant"),
            role,
            None if agent is None else check_name(agent, "agent"),
            None if project is None else check_name(project, "project"),
            safe(one_line(note), 200),
            now,
            min(filter(None, ends), default=None),
        )
        secret = secrets.token_urlsafe(32)
        end = key.expires_at and key.expires_at.timestamp()
        times = {"created_at": now.timestamp(), "expires_at": end}
        self._run(_SQL["insert"], **{**key._asdict(), **times, "digest": _digest(secret)})
        return key, f"{_MARK}_{key.id}_{secret}"

    def list(self, limit: Limit = NO_LIMIT) -> Sequence[Key]:
        """All keys within a limit, the newest first; revoked ones as well."""
        rows = self._run(_SQL["list_keys"], **limit._asdict())
        return [key_of(row) for row in rows]

    def revoke(self, identity: str, *, limit: Limit = NO_LIMIT) -> Key:
        """Revoke a key, at once; raises NotFound for one that is unknown or beyond the limit."""
        values = {**limit._asdict(), "id": identity, "now": self._clock().timestamp()}
        rows = self._run(_SQL["revoke_key"], **values)
        if not rows:
            raise NotFound("key", identity)
        return key_of(rows[0])

    def holder(self, text: str) -> Key | None:
        """The key with this text, if it exists and is still valid."""
        if not text.isascii():
            return None
        mark, _, identity_and_secret = text.partition("_")
        identity, _, secret = identity_and_secret.partition("_")
        rows = self._run(_SQL["find_key"], id=identity)
        digest = rows[0][0] if rows else _NOTHING
        is_right = hmac.compare_digest(_digest(secret), digest)
        if not (rows and is_right and mark == _MARK):
            return None
        key = key_of(rows[0][1:])
        return key if key.is_valid(self._clock()) else None

    def is_noted(self, key: Key) -> bool:
        """Whether a use of the key was recorded within the last minute."""
        return key.used_at is not None and self._clock() - key.used_at < _NOTED

    def used(self, key: Key) -> None:
        """Record that a key was used."""
        self._run(_SQL["use_key"], now=self._clock().timestamp(), id=key.id)


def move(source: ServiceDatabase, target: ServiceDatabase) -> int:
    """Move all keys to another database, where they open the same; returns how many."""
    rows = source(_SQL["all_keys"])
    for row in rows:
        target(_SQL["insert"], **dict(zip(_STORED, row, strict=True)))
    source(_SQL["drop_keys"])
    return len(rows)


def key_of(row: tuple[Any, ...]) -> Key:
    """The key in a row of `COLUMNS`."""
    times = (None if at is None else datetime.fromtimestamp(at, UTC) for at in row[6:])
    return Key._make((*row[:6], *times))


def _digest(secret: str) -> bytes:
    """SHA-256 is enough: 256 random bits cannot be guessed, so nothing is gained by slowness."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


IDLE = 12 * 3600.0  # seconds without a request until a login ends
LONGEST = 24 * 3600.0  # seconds until it ends in any case
LINK = 600.0  # seconds until a link expires
MOST = 20  # logins with one key at a time; the oldest ends first
_STEP = 60.0  # seconds by which a login is prolonged at least


class Login(NamedTuple):
    """Who has logged in; without a key the owner of the home, who looks at a tenant."""

    tenant: str
    key: Key | None


class Logins:
    """The logins in a database; all servers that share it know them."""

    def __init__(self, database: ServiceDatabase, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._run = database

    def link(self, tenant: str) -> str:
        """A code that logs the owner of the home in once, within ten minutes."""
        return self._insert(tenant, "", LINK, is_link=True)

    def follow(self, code: str) -> str | None:
        """The cookie of a new login; None for a code that was used or is too old."""
        rows = self._run(_SQL["follow"], digest=_digest(code), now=self._clock())
        return self.begin(rows[0][0]) if rows else None

    def begin(self, tenant: str, key: str = "") -> str:
        """The cookie of a new login, of the owner of the home or with the key of this id."""
        self._run(_SQL["excess"], key=key, most=MOST - 1)
        return self._insert(tenant, key, IDLE)

    def find(self, cookie: str) -> Login | None:
        """The login of a cookie, prolonged; None if it has ended, or its key is not valid."""
        now = self._clock()
        rows = self._run(_SQL["find"], digest=_digest(cookie), now=now)
        if not rows:
            return None
        tenant, identity, begun, until, *columns = rows[0]
        key = key_of(tuple(columns)) if columns[0] is not None else None
        if identity and not (key and key.is_valid(datetime.fromtimestamp(now, UTC))):
            return None
        wanted = min(now + IDLE, begun + LONGEST)
        if wanted - until >= _STEP:
            self._run(_SQL["prolong"], digest=_digest(cookie), until=wanted)
        return Login(tenant, key)

    def choose(self, cookie: str, tenant: str) -> None:
        """Let the owner of the home look at another tenant."""
        self._run(_SQL["choose_tenant"], digest=_digest(cookie), tenant=tenant)

    def end(self, cookie: str) -> None:
        """Log out."""
        self._run(_SQL["end_login"], digest=_digest(cookie))

    def _insert(self, tenant: str, key: str, lasts: float, *, is_link: bool = False) -> str:
        now, text = self._clock(), secrets.token_urlsafe(32)
        self._run(_SQL["forget_logins"], now=now)
        times = {"now": now, "until": now + lasts}
        self._run(
            _SQL["add_login"],
            digest=_digest(text),
            tenant=tenant,
            key=key,
            is_link=int(is_link),
            **times,
        )
        return text


KEPT = 86_400.0  # seconds that answers are stored
NAME_LIMIT = 200  # characters


class Kept(NamedTuple):
    """A stored answer."""

    status: int
    body: bytes


class Replies:
    """Answers, stored for a day. They survive a restart of the server."""

    def __init__(self, database: ServiceDatabase, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._run = database

    def find(self, tenant: str, name: str, request: bytes) -> Kept | None:
        """The stored answer to this request; InvalidInput if the name was used for another."""
        if len(name) > NAME_LIMIT:
            raise InvalidInput(f"an Idempotency-Key has at most {NAME_LIMIT} characters")
        rows = self._run(
            _SQL["find_reply"],
            tenant=tenant,
            name=_name(name),
            after=self._clock() - KEPT,
        )
        if not rows:
            return None
        stored_request, status, body = rows[0]
        if stored_request != hashlib.sha256(request).digest():
            raise InvalidInput(
                "this Idempotency-Key was used for another request; choose a new one"
            )
        return Kept(status, body)

    def keep(self, tenant: str, name: str, request: bytes, answer: Kept) -> None:
        """Store an answer, and remove those that are too old."""
        now = self._clock()
        self._run(_SQL["forget_replies"], until=now - KEPT)
        values = {
            "tenant": tenant,
            "name": _name(name),
            "request": hashlib.sha256(request).digest(),
            "at": now,
        }
        self._run(_SQL["keep"], **values, **answer._asdict())


def _name(shown: str) -> str:
    """The name as it is stored: what a client put into it is nobody's business."""
    return _digest(shown).hex()


def kept_token(home: str) -> str:
    """The token of this home, readable by its owner only; made on first use."""
    path = os.path.join(home, "token")
    with _files.storage_errors(path):
        os.makedirs(home, mode=0o700, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            with open(path, encoding="ascii") as file:
                return file.read().strip()
        with os.fdopen(handle, "w", encoding="ascii") as file:
            token = secrets.token_urlsafe(32)
            file.write(token + "\n")
        return token


def credentials(header: str) -> str:
    """What an Authorization header shows; its scheme `Bearer` may be in any case, or missing."""
    scheme, _, rest = header.strip().partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else header.strip()


def is_bearer(header: str, token: str) -> bool:
    """Whether an Authorization header carries the token; takes the same time for any wrong one."""
    shown = credentials(header)
    return bool(token) and hmac.compare_digest(shown.encode(), token.encode())
