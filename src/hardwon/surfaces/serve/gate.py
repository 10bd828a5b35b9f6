"""Before every route: check host, origin, principal and rate of a request."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from functools import partial
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hardwon.storage.service import credentials
from hardwon.surfaces.serve.access import (
    Access,
    Principal,
    csrf_of,
    host_name,
    is_same,
    of_key,
    own_path,
    path_in,
    path_of,
    shown_cookie,
)
from hardwon.surfaces.serve.limits import Buckets, Limits, Traffic
from hardwon.surfaces.serve.requests import Problem, problem_of, problem_response

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
API = ("/v1/", "/metrics")  # for programs; everything else is for people
_LOGIN = "/login"
_PUBLIC = frozenset({"/healthz", "/readyz", _LOGIN})
_STATIC = "/static/"
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
    """Passes on allowed requests.

    `request.state` gets `principal`, the `csrf` token of a browser's login, and `root`, the path
    below which the server is, without the secret path of the login. What answers for long calls
    `ask_again` for the principal: its key may have been revoked since.
    """

    def __init__(
        self,
        inner: ASGIApp,
        *,
        access: Access,
        hosts: Collection[str],
        limits: Limits,
        traffic: Traffic,
    ) -> None:
        self._traffic = traffic
        self._inner = inner
        self._access = access
        self._hosts = frozenset(name.lower() for name in hosts)
        self._requests = Buckets(limits.rate, time.monotonic)
        self._logins = Buckets(limits.logins, time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
        elif scope["type"] == "http":
            root, secret_path = scope["root_path"], path_in(own_path(scope))
            scope["root_path"] = f"{root}{secret_path}"
            scope.setdefault("state", {}).update(principal=None, csrf="", root=root)
            begun, answer = time.monotonic(), _Answer(scope, send)
            await self._request(scope, receive, answer, secret_path)
            self._traffic.note(scope, answer.status, time.monotonic() - begun)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _request(
        self, scope: Scope, receive: Receive, send: _Answer, secret_path: str
    ) -> None:
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            principal, csrf = await self._who(headers, secret_path)
            self._check_rate(scope, principal)
            ask_again = partial(self._who, headers, secret_path)
            scope["state"].update(principal=principal, csrf=csrf, ask_again=ask_again)
            path = own_path(scope)
            is_open = principal is not None or path in _PUBLIC or path.startswith(_STATIC)
            await (self._inner if is_open else _send_to_login(scope))(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - every request gets an answer
            problem = problem_of(error)
            if not send.status:
                await problem_response(problem)(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        """Refuse foreign host names: a page may have bound its name to this address."""
        host = headers.get("host", "").lower()
        if host_name(headers) not in self._hosts:
            raise Problem(
                421, f"the host {host!r} is not served; start the server with --name {host}"
            )
        origin = headers.get("origin", f"//{host}").lower()
        if origin.partition("//")[2] != host:
            raise Problem(403, "requests from the pages of other sites are refused")

    async def _who(self, headers: Headers, secret_path: str) -> tuple[Principal | None, str]:
        """The principal, and the token that forms need if a browser sent the request."""
        header, access = headers.get("authorization"), self._access
        if header is not None and access.is_token(header):
            return access.owner, ""
        if header is not None:
            find, shown = access.keys.holder, credentials(header)
            is_local = access.database.is_local  # another machine must not hold up others
            key = find(shown) if is_local else await run_in_threadpool(find, shown)
            if key is None:
                raise _login_problem("this key is not known, has expired or was revoked")
            if not access.keys.is_noted(key):
                asyncio.get_running_loop().run_in_executor(None, access.keys.used, key)
            return of_key(key), ""
        cookie = shown_cookie(headers)
        if not (cookie and is_same(secret_path, path_of(cookie, headers))):
            return None, ""
        principal = await run_in_threadpool(access.session, cookie)
        return principal, csrf_of(cookie) if principal else ""

    def _check_rate(self, scope: Scope, principal: Principal | None) -> None:
        if own_path(scope) == _LOGIN and (scope["method"] == "POST" or scope["query_string"]):
            _take(self._logins, str((scope.get("client") or ("",))[0]), "logins")
        elif principal:
            _take(self._requests, principal.key, "requests")


def is_api(path: str) -> bool:
    """Whether a path is for programs."""
    return path.startswith(API)


def _take(buckets: Buckets, name: str, what: str) -> None:
    wait = buckets.wait(name)
    if wait:
        after = {"Retry-After": str(int(wait) + 1)}
        raise Problem(429, f"more than {buckets.rate:g} {what} per second", headers=after)


def _login_problem(detail: str) -> Problem:
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def _send_to_login(scope: Scope) -> Response:
    path = own_path(scope)
    if is_api(path):
        advice = "send `Authorization: Bearer <key>`; `hardwon key create` makes one"
        return problem_response(_login_problem(advice))
    if scope["query_string"]:
        path += f"?{scope['query_string'].decode('latin-1')}"
    query = f"?next={quote(path)}" if scope["method"] == "GET" and path != "/" else ""
    return RedirectResponse(f"{scope['state']['root']}{_LOGIN}{query}", 303)


class _Answer:
    """Sends an answer with the headers that every answer has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._cache = b"no-cache" if own_path(scope).startswith(_STATIC) else b"no-store"
        self.status = 0  # 0: the client has gone before there was an answer

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = (*message["headers"], *_HEADERS)
            if all(name != b"cache-control" for name, _ in headers):
                headers = (*headers, (b"cache-control", self._cache))
            message = {**message, "headers": headers}
        await self._send(message)
