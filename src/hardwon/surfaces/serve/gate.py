"""Before every route: check origin, principal and rate of a request."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response

from hardwon.auth import credentials
from hardwon.surfaces.serve import problems
from hardwon.surfaces.serve.limits import Buckets, Limits
from hardwon.surfaces.serve.principal import Principal, of_key
from hardwon.surfaces.serve.problems import Problem
from hardwon.surfaces.serve.sessions import is_same

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hardwon.surfaces.serve.access import Access

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
API = ("/v1/", "/metrics", "/readyz")  # for programs; everything else is for people
_PUBLIC = frozenset({"/healthz", "/login"})
_STATIC = "/static/"
_IMPORT = "/v1/lessons/import"
_KEY = 4096  # bytes of a login form; an unknown client may send no more
_FORM = "application/x-www-form-urlencoded"
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        b" connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer a form sends the origin `null`
    (b"x-content-type-options", b"nosniff"),
)


class Gate:
    """Passes on allowed requests, with `request.state.principal` set."""

    def __init__(
        self, inner: ASGIApp, *, access: Access, hosts: Collection[str], limits: Limits
    ) -> None:
        self._inner = inner
        self._access = access
        self._hosts = frozenset(name.lower() for name in hosts)
        self._limits = limits
        self._buckets = Buckets(limits.rate, time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, _Answer(scope, send))
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: Scope, receive: Receive, send: _Answer) -> None:
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            principal, csrf = self._who(headers)
            self._check_rate(principal)
            scope.setdefault("state", {}).update(principal=principal, csrf=csrf)
            if principal is None and not _is_public(own_path(scope)):
                await _sent_to_login(scope)(scope, receive, send)
                return
            if scope["method"] not in SAFE:
                receive = await self._arrived(scope, headers, receive)
            await self._inner(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - every request gets an answer
            problem = problems.problem_of(error)
            if not send.has_begun:
                await problems.response(problem)(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        """Refuse foreign host names: a page may have bound its name to this address."""
        host = headers.get("host", "").lower()
        if _name(host) not in self._hosts:
            raise Problem(
                421, f"the host {host!r} is not served; start the server with --name {host}"
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host:
            raise Problem(403, "requests from the pages of other sites are refused")

    def _who(self, headers: Headers) -> tuple[Principal | None, str]:
        """The principal, and the token that forms need if a browser sent the request."""
        header = headers.get("authorization")
        if header is not None:
            return self._bearer(header), ""
        cookie = session_cookie(headers)
        session = self._access.session(cookie) if cookie else None
        return (session.principal, session.csrf) if session else (None, "")

    def _bearer(self, header: str) -> Principal:
        if self._access.is_token(header):
            return self._access.owner
        key = self._access.key(credentials(header))
        if key is None:
            raise _unauthorized("this key is not known, has expired or was revoked")
        asyncio.get_running_loop().run_in_executor(None, self._access.keys.used, key)
        return of_key(key)

    def _check_rate(self, principal: Principal | None) -> None:
        wait = self._buckets.wait(principal.key) if principal else 0.0
        if wait:
            after = {"Retry-After": str(int(wait) + 1)}
            raise Problem(
                429,
                f"more than {self._limits.rate:g} requests per second",
                headers=after,
            )

    async def _arrived(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """The request with its body read; a browser's request must have the CSRF token."""
        limit = self._limits.pack if own_path(scope) == _IMPORT else self._limits.body
        if scope["state"]["principal"] is None:
            limit = min(limit, _KEY)
        try:
            async with asyncio.timeout(self._limits.arrival):
                body = await _body(headers, receive, limit)
        except TimeoutError:
            raise Problem(408, f"no whole request within {self._limits.arrival:g} s") from None
        csrf = scope["state"]["csrf"]
        if csrf and not is_same(_shown_token(headers, body), csrf):
            raise Problem(403, "the form has expired; open the page again and repeat it")
        return _replayed(body, receive)


def cookie_name(headers: Headers) -> str:
    """The name of the cookie, with the port: browsers share cookies between ports."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"hardwon-{port}" if port.isdecimal() else "hardwon"


def session_cookie(headers: Headers) -> str:
    """The session cookie of a browser, or ""."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers), "")


def own_path(scope: Scope) -> str:
    """The path without the prefix that a proxy adds."""
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path


def is_api(path: str) -> bool:
    """Whether a path is for programs."""
    return path.startswith(API)


def _name(host: str) -> str:
    """A host without its port."""
    name, _, port = host.rpartition(":")
    return name if name and port.isdecimal() else host


def _is_public(path: str) -> bool:
    return path in _PUBLIC or path.startswith(_STATIC)


def _unauthorized(detail: str) -> Problem:
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def _sent_to_login(scope: Scope) -> Response:
    if is_api(own_path(scope)):
        advice = "send `Authorization: Bearer <key>`; `hardwon key create` makes one"
        return problems.response(_unauthorized(advice))
    path = own_path(scope)
    if scope["query_string"]:
        path += f"?{scope['query_string'].decode('latin-1')}"
    query = f"?next={quote(path)}" if scope["method"] == "GET" and path != "/" else ""
    return RedirectResponse(f"{scope.get('root_path', '')}/login{query}", 303)


async def _body(headers: Headers, receive: Receive, limit: int) -> bytes:
    declared = headers.get("content-length", "0")
    body = bytearray()
    is_more = True
    while is_more:
        if len(body) > limit or (declared.isdecimal() and int(declared) > limit):
            raise Problem(413, f"a request may have at most {limit:,} bytes")
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(400, "the request ended in the middle")
        body += message.get("body", b"")
        is_more = message.get("more_body", False)
    if len(body) > limit:
        raise Problem(413, f"a request may have at most {limit:,} bytes")
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that yields the body that was read, then whatever follows."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


def _shown_token(headers: Headers, body: bytes) -> str:
    token = headers.get("x-csrf-token", "")
    if token or not headers.get("content-type", "").startswith(_FORM):
        return token
    return parse_qs(body.decode("latin-1")).get("csrf", [""])[-1]


class _Answer:
    """Sends an answer with the headers that every answer has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._cache = b"no-cache" if own_path(scope).startswith(_STATIC) else b"no-store"
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = (*message["headers"], *_HEADERS)
            if all(name != b"cache-control" for name, _ in headers):
                headers = (*headers, (b"cache-control", self._cache))
            message = {**message, "headers": headers}
        await self._send(message)
