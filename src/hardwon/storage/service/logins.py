"""Logins of browsers, by a link that works once or by a key. Cookies are kept as digests."""

from __future__ import annotations

import hashlib
import secrets
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from hardwon.storage.service.keys import COLUMNS, key_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.storage.service.database import ServiceDatabase
    from hardwon.storage.service.keys import Key

IDLE = 12 * 3600.0  # seconds without a request until a login ends
LONGEST = 24 * 3600.0  # seconds until it ends in any case
LINK = 600.0  # seconds until a link expires
MOST = 20  # logins with one key at a time; the oldest ends first
_STEP = 60.0  # seconds by which a login is prolonged at least
_INSERT = """
INSERT INTO service.logins (digest, tenant, key, is_link, begun_at, until)
VALUES (:digest, :tenant, :key, :is_link, :now, :until)
"""
_EXCESS = """
DELETE FROM service.logins WHERE key = :key AND is_link = 0 AND digest NOT IN (
    SELECT digest FROM service.logins WHERE key = :key AND is_link = 0
    ORDER BY begun_at DESC, digest LIMIT :most
)
"""
_FIND = f"""
SELECT login.tenant, login.key, login.begun_at, login.until,
    {", ".join(f"keys.{name}" for name in COLUMNS.split(", "))}
FROM service.logins AS login LEFT JOIN service.keys AS keys ON keys.id = login.key
WHERE login.digest = :digest AND login.is_link = 0 AND login.until > :now
"""
_FOLLOW = """
DELETE FROM service.logins WHERE digest = :digest AND is_link = 1 AND until > :now
RETURNING tenant
"""


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
        rows = self._run(_FOLLOW, digest=_digest(code), now=self._clock())
        return self.begin(rows[0][0]) if rows else None

    def begin(self, tenant: str, key: str = "") -> str:
        """The cookie of a new login, of the owner of the home or with the key of this id."""
        self._run(_EXCESS, key=key, most=MOST - 1)
        return self._insert(tenant, key, IDLE)

    def find(self, cookie: str) -> Login | None:
        """The login of a cookie, prolonged; None if it has ended, or its key is not valid."""
        now = self._clock()
        rows = self._run(_FIND, digest=_digest(cookie), now=now)
        if not rows:
            return None
        tenant, identity, begun, until, *columns = rows[0]
        key = key_of(tuple(columns)) if columns[0] is not None else None
        if identity and not (key and key.is_valid(datetime.fromtimestamp(now, UTC))):
            return None
        self._prolong(cookie, until, min(now + IDLE, begun + LONGEST))
        return Login(tenant, key)

    def choose(self, cookie: str, tenant: str) -> None:
        """Let the owner of the home look at another tenant."""
        change = "UPDATE service.logins SET tenant = :tenant WHERE digest = :digest"
        self._run(f"{change} AND key = ''", digest=_digest(cookie), tenant=tenant)

    def end(self, cookie: str) -> None:
        """Log out."""
        self._run("DELETE FROM service.logins WHERE digest = :digest", digest=_digest(cookie))

    def _insert(self, tenant: str, key: str, lasts: float, *, is_link: bool = False) -> str:
        now, text = self._clock(), secrets.token_urlsafe(32)
        self._run("DELETE FROM service.logins WHERE until <= :now", now=now)
        times = {"now": now, "until": now + lasts}
        self._run(
            _INSERT, digest=_digest(text), tenant=tenant, key=key, is_link=int(is_link), **times
        )
        return text

    def _prolong(self, cookie: str, until: float, wanted: float) -> None:
        if wanted - until >= _STEP:
            change = "UPDATE service.logins SET until = :until WHERE digest = :digest"
            self._run(change, digest=_digest(cookie), until=wanted)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
