"""The application, served on one address, loopback or encrypted, and drained at the end."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hardwon import Hardwon
from hardwon.core.errors import HardwonError, InvalidInput, MissingExtra, SetupError, storage_error
from hardwon.storage.service import KeyRing, Replies, kept_token, open_database

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles
    from starlette.types import ASGIApp
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    from hardwon.surfaces.serve import api, pages
    from hardwon.surfaces.serve.access import Access, is_loopback, own_path
    from hardwon.surfaces.serve.gate import LOOPBACK, Gate, is_api
    from hardwon.surfaces.serve.limits import Limits, NamedLocks, ThreadPool, Traffic, route_of
    from hardwon.surfaces.serve.pages.overview import Reports
    from hardwon.surfaces.serve.requests import Problem, problem_of, problem_response
except ImportError as error:
    raise MissingExtra("serve") from error

_STATIC = os.path.join(os.path.dirname(__file__), "static")
_LINGER = 2.0  # seconds for a client to read its answer before the connection is closed
_REST = 1.0  # seconds for the rest of a body whose answer is out
_REFUSALS = {
    400: b"this is not HTTP",
    431: b"the head of the request is too large",
    503: b"too many connections; try again later",
}
_DRAIN = 30  # seconds for requests in flight at shutdown
_IDLE = 75  # seconds that a connection may be idle
_WAITING = 2048  # size of the listen queue
_FILES = 256  # that the server itself may need
_ACCEPTED = 32  # connections accepted at once; requests are answered in between
_COLLECTED = 300.0  # seconds between two looks for garbage among all objects


def create(
    hw: Hardwon,
    access: Access,
    *,
    hosts: Collection[str] = LOOPBACK,
    limits: Limits = Limits(),
    traffic: Traffic | None = None,
) -> Starlette:
    """The ASGI application for one opened hardwon; `hosts` are the names it answers to."""
    traffic = traffic or Traffic()
    gate: Any = Middleware(Gate, access=access, hosts=hosts, limits=limits, traffic=traffic)
    app = Starlette(
        routes=[
            Route("/healthz", _alive),
            Route("/readyz", _ready),
            Mount("/static", StaticFiles(directory=_STATIC, check_dir=False)),
            *pages.login_routes,
            *api.routes(),
            *pages.routes(),
        ],
        middleware=[gate],
        lifespan=_running,
        exception_handlers=dict.fromkeys((HTTPException, HardwonError, Problem), _answer_error),
    )
    app.state.hw, app.state.access, app.state.limits = hw, access, limits
    app.state.traffic, app.state.reports = traffic, Reports()
    app.state.is_ending = lambda: False  # polled by streams
    app.state.replies, app.state.locks = Replies(access.database), NamedLocks()
    # Doors have their own threads: a slow report delays no agent.
    for name, what in {"door_threads": "hardwon-door", "threads": "hardwon-desk"}.items():
        pool = ThreadPool(limits.threads, what, keeps_context=hw.settings.is_observed)
        setattr(app.state, name, pool)
    return app


@asynccontextmanager
async def _running(app: Starlette) -> AsyncIterator[None]:
    """Runs with the server; closes what the application opened."""
    collecting = asyncio.create_task(_collect_garbage())
    yield
    collecting.cancel()
    for threads in (app.state.door_threads, app.state.threads):
        threads.close()


async def _collect_garbage() -> None:
    """Look for garbage among all objects every few minutes, and else among young ones only.

    With 10,000 connections a look at all takes half a second, in which nobody is answered, and
    Python would take one every second.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*usual[:2], 1_000_000)
    try:
        while True:
            await asyncio.sleep(_COLLECTED)
            gc.collect()
    finally:
        gc.set_threshold(*usual)


async def _alive(request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _ready(request: Request) -> Response:
    """Whether requests can be answered; without a key, so it tells no more."""
    state = request.app.state

    def look() -> dict[str, object]:
        state.hw.tenant().lessons(limit=1)
        counts, worker = state.hw.queue.status()
        return {"ready": True, "worker": bool(worker), "waiting": counts.pending}

    try:
        async with asyncio.timeout(state.limits.answer):
            return JSONResponse(await state.threads.run(look))
    except (HardwonError, TimeoutError) as error:
        logging.getLogger("hardwon").error("not ready: %s", error)
        return problem_response(Problem(503, "the database or the queue cannot be read"))


def _answer_error(request: Request, error: Exception) -> Response:
    """An error as the caller sees it: a document for programs, a page for people."""
    if isinstance(error, HTTPException):
        error = Problem(error.status_code, str(error.detail), headers=error.headers)
    problem = problem_of(error)
    wants_page = not is_api(own_path(request.scope)) and request.state.principal is not None
    return pages.problem(request, problem) if wants_page else problem_response(problem)


class _TooLarge(Exception):
    """The head of a request has too many bytes or fields, or too many requests came at once."""


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1, with limits on how many clients there are, and on the head of a request.

    `requests.body_of` limits the bodies; uvicorn closes idle connections.
    """

    limits = Limits()
    _late: asyncio.TimerHandle | None = None
    _waiting = 0  # bytes that arrived for a head that is not complete
    _size = _count = 0  # bytes and fields of the head so far
    _is_over = False  # what arrives now is thrown away
    _is_answered = False  # before the body was there

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(503)
            self.transport.close()  # at once: there may be more of them than files
        else:
            self._await_head()

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        super().data_received(data)
        if self._late is not None:
            self._waiting += len(data)
            if self._waiting > self.limits.head and not self._is_over:
                self._linger() if self._is_answered else self._refuse(431)

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser did not take."""
        is_too_large = self._size > self.limits.head or self._count > self.limits.fields
        self._refuse(431 if is_too_large else 400)

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= self.limits.pipelined:
            raise _TooLarge
        super().on_message_begin()
        self._size = self._count = 0
        if self._late is None:  # another request on the same connection
            self._await_head()

    def on_url(self, url: bytes) -> None:
        self._grow(len(url), 0)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Also called for the fields behind a body."""
        self._grow(len(name) + len(value), 1)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._cancel_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        if self._is_answered:
            self._is_answered = False
            self._cancel_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Close the connection unless the rest of the request comes soon and is short."""
        is_half = not self.pipeline and self.cycle.more_body
        super().on_response_complete()
        if is_half and not self.transport.is_closing():
            self._cancel_timer()
            self._is_answered, self._waiting = True, 0
            self._late = self.loop.call_later(_REST, self._linger)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timer()
        super().connection_lost(exc)

    def _grow(self, size: int, count: int) -> None:
        self._size += size
        self._count += count
        if self._size > self.limits.head or self._count > self.limits.fields:
            raise _TooLarge

    def _await_head(self) -> None:
        self._waiting = 0
        self._late = self.loop.call_later(self.limits.arrival, self.transport.abort)

    def _cancel_timer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _refuse(self, status: int) -> None:
        if self.pipeline:  # earlier requests would take this for their answer
            self.transport.abort()
            return
        if self.cycle is not None:
            self.cycle.disconnected = True  # what it still sends is dropped
            self.cycle.message_event.set()
        words = _REFUSALS[status]
        head = f"HTTP/1.1 {status} \r\ncontent-type: text/plain\r\ncontent-length: {len(words)}"
        self.transport.write(f"{head}\r\nconnection: close\r\n\r\n".encode() + words)
        self._linger()

    def _linger(self) -> None:
        """Close in a way that lets the client read its answer: a reset would take it away."""
        self._is_over = True
        self._unset_keepalive_if_required()
        self._cancel_timer()
        self._late = self.loop.call_later(_LINGER, self.transport.abort)
        if self.transport.can_write_eof():
            with suppress(OSError):  # the client is gone
                self.transport.write_eof()


class Address(NamedTuple):
    """Where a server listens, and its names."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any free port
    names: tuple[str, ...] = ()  # in addition to the loopback names and `host`
    cert: str = ""  # PEM files
    key: str = ""
    is_behind_proxy: bool = False  # the proxy encrypts, and reports the client's address
    prefix: str = ""  # the path prefix that the proxy adds

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    def check(self, keys: KeyRing) -> None:
        """Raise an error if serving here would let strangers in or expose secrets."""
        if bool(self.cert) != bool(self.key):
            raise InvalidInput("--tls-cert and --tls-key belong together")
        try:
            if self.cert:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.cert, self.key)
        except OSError as error:
            raise SetupError(f"the certificate {self.cert} cannot be used: {error}") from error
        if self.is_loopback:
            return
        if not (self.cert or self.is_behind_proxy):
            raise SetupError(
                f"{self.host} can be reached by others: name --tls-cert and --tls-key,"
                " or --behind-proxy when a proxy encrypts"
            )
        if not any(key.is_valid(datetime.now(UTC)) for key in keys.list()):
            raise SetupError(
                f"{self.host} can be reached by others, and there is no key yet:"
                " `hardwon key create` makes one"
            )

    def url(self, port: int) -> str:
        """The URL to open in a browser."""
        scheme = "https" if self.cert or (self.is_behind_proxy and self.names) else "http"
        if self.is_behind_proxy and self.names:
            return f"{scheme}://{self.names[0]}{self.prefix}"
        name = self.names[0] if self.names else "127.0.0.1" if self.is_loopback else self.host
        return f"{scheme}://{name}:{port}{self.prefix}"


class Service:
    """A server for one opened hardwon; SIGTERM or SIGINT drains it, then `run` returns."""

    def __init__(
        self,
        hw: Hardwon,
        address: Address,
        *,
        tenant: str = "default",
        limits: Limits = Limits(),
        access_log: str = "",
    ) -> None:
        if hw.settings.server.url:
            raise SetupError(
                f"this home is logged in to {hw.settings.server.url}: `hardwon logout` first,"
                " or serve another home"
            )
        database = open_database(hw.settings)
        address.check(KeyRing(database))
        is_local = address.is_loopback and not address.is_behind_proxy
        token = kept_token(hw.settings.home) if is_local else ""
        self.access = Access(database, token=token, tenant=tenant)
        self._address = address
        self._socket = _listening(address)
        traffic = Traffic(access_log)
        hosts = {*LOOPBACK, address.host, *address.names}
        app = create(hw, self.access, hosts=hosts, limits=limits, traffic=traffic)
        asgi: ASGIApp = app
        if hw.settings.is_observed:  # a span for each request
            from hardwon.engine.telemetry import ServerSpans

            asgi = ServerSpans(app, path_of=own_path, route_of=route_of)
        self._server = _Server(self._config(asgi, limits))
        app.state.is_ending = lambda: self._server.should_exit

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        """The URL of the server."""
        return self._address.url(self.port)

    def link(self) -> str:
        """An address that logs a browser in, once."""
        return f"{self.url}/login?code={self.access.link()}"

    def run(self) -> None:
        """Serve until a signal ends it; requests in flight are answered."""
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        with suppress(OSError, ValueError):  # each client needs an open file
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        """Release the port and the files; `run` does so itself."""
        self._socket.close()
        self.access.database.close()

    def stop(self) -> None:
        """Let `run` end, from another thread; requests in flight are answered."""
        self._server.should_exit = True

    def _config(self, app: ASGIApp, limits: Limits) -> uvicorn.Config:
        address, most = self._address, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if most != resource.RLIM_INFINITY:  # so that stores can always open their files
            affordable = min(limits.connections, max(most - _FILES, most // 2))
            limits = limits._replace(connections=affordable)
        return uvicorn.Config(
            app,
            ssl_certfile=address.cert or None,
            ssl_keyfile=address.key or None,
            root_path=address.prefix,
            proxy_headers=address.is_behind_proxy,
            forwarded_allow_ips="*" if address.is_behind_proxy else None,
            timeout_graceful_shutdown=_DRAIN,
            timeout_keep_alive=_IDLE,
            backlog=_ACCEPTED,
            log_level="error",
            access_log=False,
            server_header=False,
            http=type("Protocol", (PatientProtocol,), {"limits": limits}),
            ws="none",
        )


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Make the listen queue longer than the number asyncio accepts at once."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_WAITING)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Exit normally after a signal; uvicorn would raise it again."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(
                    number, self.handle_exit, number, None
                )
        yield


def _listening(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio: no delay
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        listener.listen(_WAITING)
    except OSError as error:
        listener.close()
        raise storage_error(error, f"{address.host}:{address.port}") from error
    return listener
