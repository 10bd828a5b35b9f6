"""Authenticate a request: the owner of the home, the holder of a key, a browser's login."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.storage.auth import is_bearer
from hardwon.storage.service.keys import KeyRing, Role
from hardwon.storage.service.logins import Logins
from hardwon.surfaces.serve.principal import Principal, of_key

if TYPE_CHECKING:
    from hardwon.storage.service.database import ServiceDatabase


class Access:
    """Checks tokens, keys and logins. Without a `token` only keys and links are accepted."""

    def __init__(
        self, database: ServiceDatabase, *, token: str = "", tenant: str = "default"
    ) -> None:
        self.database = database
        self.keys = KeyRing(database)
        self.logins = Logins(database)
        self.owner = Principal(tenant, Role.ADMIN)
        self._token = token

    def link(self) -> str:
        """A code that logs the owner of the home in once."""
        return self.logins.link(self.owner.tenant)

    def is_token(self, shown: str) -> bool:
        """Whether this is the token of the home."""
        return is_bearer(shown, self._token)

    def session(self, cookie: str) -> Principal | None:
        """The principal of a browser that has logged in."""
        login = self.logins.find(cookie)
        if login is None:
            return None
        return of_key(login.key) if login.key else self.owner._replace(tenant=login.tenant)

    def log_in(self, shown: str) -> str | None:
        """The cookie for the token or a key; None for any other text."""
        if self.is_token(shown):
            return self.logins.begin(self.owner.tenant)
        key = self.keys.holder(shown.strip())
        return None if key is None else self.logins.begin(key.tenant, key.id)
