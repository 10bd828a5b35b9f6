"""One connection to Redis (RESP2). No library is used: importing one takes longer than an agent's
turn may wait."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    Command = Sequence[str | bytes | int | float]

_PORT = 6379
_TLS = {"ssl_cert_reqs", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"}
_FALSE = {"0", "false", "no", "none"}


class Refused(Exception):
    """The server answered a command with an error."""


class RedisAddress(NamedTuple):
    """The address and credentials of a server."""

    host: str
    port: int = _PORT
    path: str = ""  # a Unix socket, instead of host and port
    user: str = ""
    password: str = ""
    db: int = 0
    tls: tuple[tuple[str, str], ...] | None = None  # options; None: plain text


def address_of(url: str) -> RedisAddress:
    """The address in `redis://`, `rediss://` or `unix://`; ValueError for anything else."""
    parts = urlsplit(url)
    if parts.scheme not in {"redis", "rediss", "unix"}:
        raise ValueError("the address must begin with redis://, rediss:// or unix://")
    options = dict(parse_qsl(parts.query))
    unknown = options.keys() - {"db", *_TLS}
    if unknown:
        raise ValueError(f"unknown options in the address: {', '.join(unknown)}")
    is_path = parts.scheme == "unix"
    db = options.pop("db", "") or ("" if is_path else parts.path.strip("/")) or "0"
    return RedisAddress(
        parts.hostname or "localhost",
        parts.port or _PORT,
        unquote(parts.path) if is_path else "",
        unquote(parts.username or ""),
        unquote(parts.password or ""),
        int(db),
        tuple(options.items()) if parts.scheme == "rediss" else None,
    )


class Connection:
    """A connection, opened at once; after an error it must be closed."""

    def __init__(self, address: RedisAddress, *, timeout: float) -> None:
        self._socket = _connect(address, timeout)
        self._replies = self._socket.makefile("rb")
        greeting = [command for command in _greeting(address) if command]
        for reply in self.ask(*greeting) if greeting else ():
            if isinstance(reply, Refused):
                self.close()
                raise reply

    def ask(self, *commands: Command) -> list[Any]:
        """The replies to the commands, in one round trip; an error is returned as a reply."""
        self._socket.sendall(b"".join(map(encode_command, commands)))
        return [self._reply() for _ in commands]

    def close(self) -> None:
        """Release the connection."""
        self._replies.close()
        self._socket.close()

    def _reply(self) -> Any:
        line = self._replies.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionResetError("the server closed the connection")
        kind, content = line[:1], line[1:-2]
        if kind in (b"+", b":"):
            return content if kind == b"+" else int(content)
        if kind == b"-":
            return Refused(content.decode("utf-8", "replace"))
        size = int(content)
        if kind == b"*":
            return None if size < 0 else [self._reply() for _ in range(size)]
        return None if size < 0 else self._bulk(size)

    def _bulk(self, size: int) -> bytes:
        text = self._replies.read(size + 2)
        if len(text) < size + 2:
            raise ConnectionResetError("the server closed the connection")
        return text[:-2]


def encode_command(command: Command) -> bytes:
    """A command in wire format."""
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
    texts = (b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)
    return b"*%d\r\n%b" % (len(parts), b"".join(texts))


def _greeting(address: RedisAddress) -> tuple[Command, Command]:
    """The commands that log in and select the database, if needed."""
    words = [word for word in (address.user, address.password) if word]
    return ["AUTH", *words] if words else [], ["SELECT", address.db] if address.db else []


def _connect(address: RedisAddress, timeout: float) -> socket.socket:
    if address.path:
        local = socket.socket(socket.AF_UNIX)
        local.settimeout(timeout)
        local.connect(address.path)
        return local
    plain = socket.create_connection((address.host, address.port), timeout)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    return plain if address.tls is None else _encrypt(plain, address.host, dict(address.tls))


def _encrypt(plain: socket.socket, host: str, options: dict[str, str]) -> socket.socket:
    import ssl  # imported only if needed

    context = ssl.create_default_context(cafile=options.get("ssl_ca_certs"))
    is_trusting = options.get("ssl_cert_reqs", "").lower() in _FALSE
    if is_trusting or options.get("ssl_check_hostname", "").lower() in _FALSE:
        context.check_hostname = False
    if is_trusting:
        context.verify_mode = ssl.CERT_NONE
    if certificate := options.get("ssl_certfile"):
        context.load_cert_chain(certificate, options.get("ssl_keyfile"))
    return context.wrap_socket(plain, server_hostname=host)
