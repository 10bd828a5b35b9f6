"""Serve the application on one address, loopback or encrypted; drain it at the end."""

from __future__ import annotations

import asyncio
import resource
import signal
import socket
import ssl
import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import InvalidInput, MissingExtra, SetupError, storage_error
from hardwon.storage.service import KeyRing, kept_token, open_database

try:
    import uvicorn

    from hardwon.surfaces.serve.access import Access, is_loopback, own_path
    from hardwon.surfaces.serve.app import create
    from hardwon.surfaces.serve.gate import LOOPBACK
    from hardwon.surfaces.serve.limits import Limits
    from hardwon.surfaces.serve.protocol import PatientProtocol
    from hardwon.surfaces.serve.traffic import Traffic, route_of
except ImportError as error:
    raise MissingExtra("serve") from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

    from hardwon import Hardwon, Settings

_DRAIN = 30  # seconds for requests in flight at shutdown
_IDLE = 75  # seconds that a connection may be idle
_WAITING = 2048  # size of the listen queue
_FILES = 256  # that the server itself may need
_ACCEPTED = 32  # connections accepted at once; requests are answered in between


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
        self._check_certificate()
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

    def _check_certificate(self) -> None:
        if bool(self.cert) != bool(self.key):
            raise InvalidInput("--tls-cert and --tls-key belong together")
        try:
            if self.cert:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.cert, self.key)
        except OSError as error:
            raise SetupError(f"the certificate {self.cert} cannot be used: {error}") from error

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
        app = create(hw, self.access, hosts=self._hosts, limits=limits, traffic=traffic)
        self._server = _Server(self._config(_observed(app, hw.settings), limits))
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
        _allow_many_connections()
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

    @property
    def _hosts(self) -> set[str]:
        return {*LOOPBACK, self._address.host, *self._address.names}

    def _config(self, app: ASGIApp, limits: Limits) -> uvicorn.Config:
        address = self._address
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
            http=type("Protocol", (PatientProtocol,), {"limits": _affordable(limits)}),
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


def _observed(app: ASGIApp, settings: Settings) -> ASGIApp:
    """The application, with a span for each request if spans are made."""
    if not settings.is_observed:
        return app
    from hardwon.engine.telemetry import ServerSpans

    return ServerSpans(app, path_of=own_path, route_of=route_of)


def _affordable(limits: Limits) -> Limits:
    """The limits with fewer connections than files, so that stores can always open theirs."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most == resource.RLIM_INFINITY:
        return limits
    return limits._replace(connections=min(limits.connections, max(most - _FILES, most // 2)))


def _allow_many_connections() -> None:
    """Raise the limit of open files to the system's maximum: each client needs one."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


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
