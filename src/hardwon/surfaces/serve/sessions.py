"""Sessions of browsers that logged in, by a link that works once or by a key."""

from __future__ import annotations

import hmac
import secrets
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.surfaces.serve.principal import Principal

LOGIN_LASTS = 12 * 3600.0  # seconds without a request until the session ends
LINK_LASTS = 600.0  # seconds until a link expires
_MOST = 10_000  # most sessions; the oldest are removed first


class Session(NamedTuple):
    """One browser that has logged in."""

    principal: Principal
    csrf: str  # needed by every form that changes something
    until: float


class BrowserSessions:
    """Logins, in memory: a restart of the server ends them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sessions: dict[str, Session] = {}
        self._links: dict[str, tuple[Principal, float]] = {}

    def link(self, principal: Principal) -> str:
        """A code that logs in once, within ten minutes."""
        code = secrets.token_urlsafe(32)
        self._links[code] = principal, self._clock() + LINK_LASTS
        return code

    def follow(self, code: str) -> str | None:
        """The cookie of a new session; None for a code that was used or is too old."""
        principal, until = self._links.pop(code, (None, 0.0))
        if principal is None or self._clock() >= until:
            return None
        return self.begin(principal)

    def begin(self, principal: Principal) -> str:
        """The cookie of a new session."""
        while len(self._sessions) >= _MOST:
            del self._sessions[next(iter(self._sessions))]
        cookie = secrets.token_urlsafe(32)
        until = self._clock() + LOGIN_LASTS
        self._sessions[cookie] = Session(principal, secrets.token_urlsafe(32), until)
        return cookie

    def find(self, cookie: str) -> Session | None:
        """The session of a cookie; its lifetime starts again."""
        session = self._sessions.get(cookie)
        if session is None:
            return None
        now = self._clock()
        if now >= session.until:
            del self._sessions[cookie]
            return None
        self._sessions[cookie] = session._replace(until=now + LOGIN_LASTS)
        return session

    def become(self, cookie: str, principal: Principal) -> None:
        """Give a session another principal."""
        session = self._sessions.get(cookie)
        if session is not None:
            self._sessions[cookie] = session._replace(principal=principal)

    def end(self, cookie: str) -> None:
        """Log out."""
        self._sessions.pop(cookie, None)


def is_same(shown: str, csrf: str) -> bool:
    """Whether the token is that of the session; compares in constant time."""
    return bool(csrf) and hmac.compare_digest(shown.encode(), csrf.encode())
