"""Keys that let programs and people in over the network: shown once, kept as digests.

A key reads `hw_<id>_<secret>`. It belongs to one tenant and has one role; it may be limited to an
agent and a project. All are in `<home>/serve.db`.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.errors import InvalidInput, NotFound
from hardwon.text.clean import one_line
from hardwon.text.secrets import safe
from hardwon.values.scope import named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon.service.database import ServiceDatabase

_MARK = "hw"
_NOTED = timedelta(minutes=1)  # a use is recorded at most this often
_NOTHING = bytes(32)  # compared when the id is unknown, so that the time is the same
_COLUMNS = "id, tenant, role, agent, project, note, created_at, expires_at, used_at, revoked_at"


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
        tenant: str = "default",
        role: str = Role.AGENT,
        agent: str | None = None,
        project: str | None = None,
        note: str = "",
        lasts: timedelta | None = None,
    ) -> tuple[Key, str]:
        """A new key and its text, which is not stored and cannot be shown again."""
        if role not in ROLES:
            raise InvalidInput(f"no such role: {role!r}; one of {', '.join(ROLES)}")
        now = self._clock()
        key = Key(
            secrets.token_hex(6),
            named(tenant, "tenant"),
            role,
            None if agent is None else named(agent, "agent"),
            None if project is None else named(project, "project"),
            safe(one_line(note), 200),
            now,
            None if lasts is None else now + lasts,
        )
        secret = secrets.token_urlsafe(32)
        row = (key.id, _digest(secret), *key[1:6], now.timestamp(), _seconds(key.expires_at))
        self._run(
            "INSERT INTO keys (id, digest, tenant, role, agent, project, note, created_at,"
            " expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        return key, f"{_MARK}_{key.id}_{secret}"

    def list(self, tenant: str | None = None) -> Sequence[Key]:
        """All keys, or those of a tenant, the newest first; revoked ones as well."""
        where = "" if tenant is None else "WHERE tenant = ?"
        order = "ORDER BY created_at DESC, id"
        values = () if tenant is None else (tenant,)
        rows = self._run(f"SELECT {_COLUMNS} FROM keys {where} {order}", values)
        return [_key(row) for row in rows]

    def revoke(self, identity: str, *, tenant: str | None = None) -> Key:
        """Revoke a key, at once; raises NotFound for an unknown one."""
        for key in self.list(tenant):
            if key.id == identity:
                now = key.revoked_at or self._clock()
                change = "UPDATE keys SET revoked_at = ? WHERE id = ?"
                self._run(change, (now.timestamp(), identity))
                return key._replace(revoked_at=now)
        raise NotFound("key", identity)

    def holder(self, text: str) -> Key | None:
        """The key with this text, if it exists and is still valid."""
        if not text.isascii():
            return None
        mark, _, identity_and_secret = text.partition("_")
        identity, _, secret = identity_and_secret.partition("_")
        rows = self._run(f"SELECT digest, {_COLUMNS} FROM keys WHERE id = ?", (identity,))
        digest = rows[0][0] if rows else _NOTHING
        is_right = hmac.compare_digest(_digest(secret), digest)
        if not (rows and is_right and mark == _MARK):
            return None
        key = _key(rows[0][1:])
        return key if key.is_valid(self._clock()) else None

    def is_valid(self, identity: str) -> bool:
        """Whether the key with this id is neither revoked nor expired."""
        rows = self._run(f"SELECT {_COLUMNS} FROM keys WHERE id = ?", (identity,))
        return bool(rows) and _key(rows[0]).is_valid(self._clock())

    def used(self, key: Key) -> None:
        """Record that a key was used, at most once a minute."""
        now = self._clock()
        if key.used_at is None or now - key.used_at >= _NOTED:
            self._run("UPDATE keys SET used_at = ? WHERE id = ?", (now.timestamp(), key.id))


def _digest(secret: str) -> bytes:
    """SHA-256 is enough: 256 random bits cannot be guessed, so nothing is gained by slowness."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _key(row: tuple[Any, ...]) -> Key:
    return Key(*row[:6], *(_moment(at) for at in row[6:]))


def _moment(seconds: float | None) -> Any:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
