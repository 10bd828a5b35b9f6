"""Keys that let programs and people in over the network: shown once, kept as digests.

A key reads `hw_<id>_<secret>`. It belongs to one tenant and has one role; it may be limited to an
agent and a project.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.text.clean import one_line
from hardwon.core.text.secrets import safe
from hardwon.core.values.scope import check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon.storage.service.database import ServiceDatabase

_MARK = "hw"
_NOTED = timedelta(minutes=1)  # a use is recorded at most this often
_NOTHING = bytes(32)  # compared when the id is unknown, so that the time is the same
COLUMNS = "id, tenant, role, agent, project, note, created_at, expires_at, used_at, revoked_at"
_STORED = ("digest", *COLUMNS.split(", "))
_INSERT = f"""
INSERT INTO service.keys ({", ".join(_STORED)})
VALUES ({", ".join(f":{name}" for name in _STORED)}) ON CONFLICT (id) DO NOTHING
"""
# Which keys the holder of a limit may see and revoke.
_WITHIN = " AND ".join(
    f"(CAST(:{name} AS TEXT) IS NULL OR {name} = :{name})"
    for name in ("tenant", "agent", "project")
)


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

    def chosen(self, field: str, asked: str | None) -> str | None:
        """The tenant, agent or project of a new key; InvalidInput if that is not allowed."""
        limit: str | None = getattr(self, field)
        if None not in {limit, asked} and asked != limit:
            raise InvalidInput(f"keys made with this one are for the {field} {limit!r} only")
        return limit if asked is None else asked


NO_LIMIT = Limit()


def _now() -> datetime:
    return datetime.now(UTC)


class KeyRing:
    """The keys in a database. Any process may use it at any time."""

    def __init__(self, database: ServiceDatabase, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
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
        tenant, agent, project = (
            limit.chosen("tenant", tenant),
            limit.chosen("agent", agent),
            limit.chosen("project", project),
        )
        key = Key(
            secrets.token_hex(6),
            check_name("default" if tenant is None else tenant, "tenant"),
            role,
            None if agent is None else check_name(agent, "agent"),
            None if project is None else check_name(project, "project"),
            safe(one_line(note), 200),
            now,
            _earlier(None if lasts is None else _after(now, lasts), limit.expires_at),
        )
        secret = secrets.token_urlsafe(32)
        times = {"created_at": now.timestamp(), "expires_at": _seconds(key.expires_at)}
        self._run(_INSERT, **{**key._asdict(), **times, "digest": _digest(secret)})
        return key, f"{_MARK}_{key.id}_{secret}"

    def list(self, limit: Limit = NO_LIMIT) -> Sequence[Key]:
        """All keys within a limit, the newest first; revoked ones as well."""
        rows = self._run(
            f"SELECT {COLUMNS} FROM service.keys WHERE {_WITHIN} ORDER BY created_at DESC, id",
            **limit._asdict(),
        )
        return [key_of(row) for row in rows]

    def revoke(self, identity: str, *, limit: Limit = NO_LIMIT) -> Key:
        """Revoke a key, at once; raises NotFound for one that is unknown or beyond the limit."""
        rows = self._run(
            "UPDATE service.keys SET revoked_at = coalesce(revoked_at, :now)"
            f" WHERE id = :id AND {_WITHIN} RETURNING {COLUMNS}",
            **{**limit._asdict(), "id": identity, "now": self._clock().timestamp()},
        )
        if not rows:
            raise NotFound("key", identity)
        return key_of(rows[0])

    def holder(self, text: str) -> Key | None:
        """The key with this text, if it exists and is still valid."""
        if not text.isascii():
            return None
        mark, _, identity_and_secret = text.partition("_")
        identity, _, secret = identity_and_secret.partition("_")
        rows = self._run(f"SELECT digest, {COLUMNS} FROM service.keys WHERE id = :id", id=identity)
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
        change = "UPDATE service.keys SET used_at = :now WHERE id = :id"
        self._run(change, now=self._clock().timestamp(), id=key.id)


def move(source: ServiceDatabase, target: ServiceDatabase) -> int:
    """Move all keys to another database, where they open the same; returns how many."""
    rows = source(f"SELECT {', '.join(_STORED)} FROM service.keys")
    for row in rows:
        target(_INSERT, **dict(zip(_STORED, row, strict=True)))
    source("DELETE FROM service.keys")
    return len(rows)


def key_of(row: tuple[Any, ...]) -> Key:
    """The key in a row of `COLUMNS`."""
    return Key(*row[:6], *(_moment(at) for at in row[6:]))


def _digest(secret: str) -> bytes:
    """SHA-256 is enough: 256 random bits cannot be guessed, so nothing is gained by slowness."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _after(now: datetime, lasts: timedelta) -> datetime:
    try:
        return now + lasts
    except OverflowError:
        raise InvalidInput("a key cannot last that long; leave out when it expires") from None


def _earlier(first: datetime | None, second: datetime | None) -> datetime | None:
    return min((moment for moment in (first, second) if moment is not None), default=None)


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _moment(seconds: float | None) -> Any:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
