"""Authenticate a request: the owner of the home, the holder of a key, a browser's session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.auth import is_bearer
from hardwon.service.keys import KeyRing, Role
from hardwon.surfaces.serve.principal import Principal, of_key
from hardwon.surfaces.serve.sessions import BrowserSessions, Session

if TYPE_CHECKING:
    from hardwon.service.database import ServiceDatabase
    from hardwon.service.keys import Key


class Access:
    """Checks tokens, keys and sessions. Without a `token` only keys and links are accepted."""

    def __init__(
        self, database: ServiceDatabase, *, token: str = "", tenant: str = "default"
    ) -> None:
        self.database = database
        self.keys = KeyRing(database)
        self.owner = Principal(tenant, Role.ADMIN)
        self.sessions = BrowserSessions()
        self._token = token

    def link(self) -> str:
        """A code that logs the owner of the home in once."""
        return self.sessions.link(self.owner)

    def key(self, shown: str) -> Key | None:
        """The key with this text, if it is valid."""
        return self.keys.holder(shown)

    def is_token(self, shown: str) -> bool:
        """Whether this is the token of the home."""
        return is_bearer(shown, self._token)

    def session(self, cookie: str) -> Session | None:
        """The session of a cookie; None if its key is no longer valid."""
        session = self.sessions.find(cookie)
        if session is None or not session.principal.key:
            return session
        if self.keys.is_valid(session.principal.key):
            return session
        self.sessions.end(cookie)
        return None

    def log_in(self, shown: str) -> str | None:
        """The cookie for the token or a key; None for any other text."""
        if self.is_token(shown):
            return self.sessions.begin(self.owner)
        key = self.key(shown.strip())
        return None if key is None else self.sessions.begin(of_key(key))
