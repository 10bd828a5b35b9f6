"""Who makes a request, and its rights: the owner of the home, a key's holder, a browser's login.

A browser sends a cookie to every port of a host, so on a loopback address any program that listens
would get it. There the cookie is for a secret path: only this server knows it, and a request needs
both.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from datetime import datetime
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from hardwon.api.operations import Right
from hardwon.core.values.report import Place
from hardwon.storage import service

_VIEWER = {Right.LESSONS, Right.READ, Right.DREAMS, Right.COSTS}
_CURATOR = {*_VIEWER, Right.CHANGE, Right.UNDO_DREAMS}
RIGHTS = {
    service.Role.AGENT: {Right.DOOR, Right.LESSONS},
    service.Role.VIEWER: _VIEWER,
    service.Role.CURATOR: _CURATOR,
    service.Role.ADMIN: {*_CURATOR, Right.DOOR, Right.ADMIN},
}
_OF_AGENT = {Right.DREAMS, Right.UNDO_DREAMS}  # a dream is about all projects of an agent
_OF_TENANT = {Right.COSTS}


class Principal(NamedTuple):
    """The holder of a key, or the owner of the home. A request cannot choose the tenant."""

    tenant: str
    role: str
    agent: str | None = None  # the only one; None: any
    project: str | None = None
    key: str = ""  # the id of the key; "" for the owner of the home
    expires_at: datetime | None = None
    note: str = ""  # whom or what the key is for

    def may(self, right: str) -> bool:
        """Whether role and limits allow this."""
        if right == Right.OWNER:
            return not self.key
        is_whole_agent = self.project is None
        is_whole_tenant = is_whole_agent and self.agent is None
        return (
            right in RIGHTS[self.role]
            and (is_whole_agent or right not in _OF_AGENT)
            and (is_whole_tenant or right not in _OF_TENANT)
        )

    @property
    def place(self) -> Place:
        """What may be seen and changed; an agent also reads what holds everywhere."""
        return Place(self.tenant, self.agent, self.project)

    @property
    def keys(self) -> service.Limit:
        """Which keys may be seen, made and revoked."""
        if not self.key:
            return service.NO_LIMIT
        return service.Limit(self.tenant, self.agent, self.project, self.expires_at)


def of_key(key: service.Key) -> Principal:
    """The holder of a key."""
    limits = key.tenant, key.role, key.agent, key.project
    return Principal(*limits, key.id, key.expires_at, key.note)


class Access:
    """Checks tokens, keys and logins. Without a `token` only keys and links are accepted."""

    def __init__(
        self, database: service.ServiceDatabase, *, token: str = "", tenant: str = "default"
    ) -> None:
        self.database = database
        self.keys = service.KeyRing(database)
        self.logins = service.Logins(database)
        self.owner = Principal(tenant, service.Role.ADMIN)
        self._token = token

    def link(self) -> str:
        """A code that logs the owner of the home in once."""
        return self.logins.link(self.owner.tenant)

    def is_token(self, shown: str) -> bool:
        """Whether this is the token of the home."""
        return service.is_bearer(shown, self._token)

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


_SECRET_PATH = re.compile(r"/~[0-9a-f]{32}(?=/|$)")


def cookie_name(headers: Headers) -> str:
    """The name of the cookie, with the port: servers on two ports have two."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"hardwon-{port}" if port.isdecimal() else "hardwon"


def shown_cookie(headers: Headers) -> str:
    """The cookie of a browser, or ""."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers), "")


def path_in(path: str) -> str:
    """The secret path that a path begins with, or ""."""
    found = _SECRET_PATH.match(path)
    return found[0] if found else ""


def path_of(cookie: str, headers: Headers) -> str:
    """The secret path for a cookie; "" if the host of the request is this server's own."""
    return f"/~{_derive(cookie, 'path')}" if is_loopback(host_name(headers)) else ""


def csrf_of(cookie: str) -> str:
    """The token that every form of a login must send."""
    return _derive(cookie, "csrf")


def is_same(shown: str, secret: str) -> bool:
    """Whether the secret was shown; compares in constant time."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), secret.encode())


def host_name(headers: Headers) -> str:
    """The host of the request, without its port."""
    host = headers.get("host", "").lower()
    name, _, port = host.rpartition(":")
    return name if name and port.isdecimal() else host


def is_loopback(name: str) -> bool:
    """Whether a host name means this machine, whose ports belong to many programs."""
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return f".{name}".endswith(".localhost")  # browsers know all of these


def _derive(cookie: str, purpose: str) -> str:
    return hashlib.sha256(f"{purpose} {cookie}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def own_path(scope: Scope) -> str:
    """The path without the prefix that a proxy adds, and without that of a login."""
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path
