"""A client of a Redis server (RESP2) for all threads.

No library is used: importing one takes longer than an agent's turn may wait.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from hardwon.core.errors import Unavailable

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
        words = [word for word in (address.user, address.password) if word]
        greeting: list[Command] = [["AUTH", *words]] if words else []
        greeting += [["SELECT", address.db]] if address.db else []
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
        if size < 0:
            return None
        if kind == b"*":
            return [self._reply() for _ in range(size)]
        text = self._replies.read(size + 2)
        if len(text) < size + 2:
            raise ConnectionResetError("the server closed the connection")
        return text[:-2]


def encode_command(command: Command) -> bytes:
    """A command in wire format."""
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
    texts = (b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)
    return b"*%d\r\n%b" % (len(parts), b"".join(texts))


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


_SCANNED = 1000  # keys scanned per step


class RedisClient:
    """A client that connects on first use, and again when a connection was cut."""

    def __init__(self, url: str, *, timeout: float) -> None:
        self._url = url
        self._timeout = timeout
        self._idle: list[Connection] = []
        self._process = os.getpid()

    def gets(self, keys: Iterable[str]) -> list[bytes | None]:
        """The values of the keys in one round trip; a key of another type is an error."""
        return self._ask(*(("GET", key) for key in keys))

    def run(self, script: str, keys: Iterable[str], *values: Any) -> Any:
        """What a Lua script returns, in one round trip."""
        names = list(keys)
        return self._ask(("EVAL", script, len(names), *names, *values))[0]

    def remove(self, patterns: Iterable[str]) -> None:
        """Delete every key that matches one of the patterns."""
        for pattern in patterns:
            for key in self._scan(pattern):
                self._ask(("UNLINK", key))

    def texts(self, pattern: str) -> dict[str, str]:
        """The values of all keys of type string that match, as far as they are text."""
        keys = list(self._scan(pattern, "TYPE", "string"))
        values = self._ask(*(("GET", key) for key in keys)) if keys else []
        pairs = zip(keys, values, strict=True)
        return {_text(key): _text(value) for key, value in pairs if value is not None}

    def risks(self) -> list[str]:
        """Why this server could lose what it has acknowledged, in words."""
        names = ("appendonly", "appendfsync", "maxmemory", "maxmemory-policy")
        try:
            (answer,) = self._try_commands((("CONFIG", "GET", *names),))
        except Refused:
            return ["CONFIG is not allowed, so its durability cannot be checked"]
        words = [_text(word) for word in answer]
        settings = dict(zip(words[::2], words[1::2], strict=True))
        problems = []
        if settings.get("appendonly") == "no":
            problems.append("appendonly is off: a crash loses reflections; set appendonly yes")
        elif (sync := settings.get("appendfsync")) != "always":
            loss = "a crash loses the last second or more; set appendfsync always"
            problems.append(f"appendfsync is {sync}: {loss}")
        policy = settings.get("maxmemory-policy", "")
        if settings.get("maxmemory", "0") != "0" and policy != "noeviction":
            problems.append(f"maxmemory-policy is {policy}: a full server drops reflections")
        return problems

    def close(self) -> None:
        """Release the connections."""
        while self._idle:
            self._idle.pop().close()

    def _scan(self, pattern: str, *options: str) -> Iterator[bytes]:
        cursor = b"0"
        while True:
            step: Command = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED, *options)
            cursor, keys = self._ask(step)[0]
            yield from keys
            if cursor == b"0":
                return

    def _ask(self, *commands: Command) -> list[Any]:
        try:
            return self._try_commands(commands)
        except Refused as error:
            raise Unavailable(str(error)) from error

    def _try_commands(self, commands: tuple[Command, ...]) -> list[Any]:
        """The replies; Refused if one of them is an error, Unavailable without any reply."""
        try:
            replies = self._exchange(commands)
        except (OSError, ValueError) as error:
            words = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unavailable(" ".join(str(words).split())) from error
        for reply in replies:
            if isinstance(reply, Refused):
                raise reply
        return replies

    def _exchange(self, commands: tuple[Command, ...]) -> list[Any]:
        """The replies; if an idle connection was cut, a new one is tried.

        A connection made before a fork belongs to the parent.
        """
        if self._process != os.getpid():
            self._idle, self._process = [], os.getpid()
        with suppress(IndexError, ConnectionError):
            return self._with(self._idle.pop(), commands)
        return self._with(Connection(address_of(self._url), timeout=self._timeout), commands)

    def _with(self, connection: Connection, commands: tuple[Command, ...]) -> list[Any]:
        is_whole = False
        try:
            replies = connection.ask(*commands)
            is_whole = True
        finally:
            self._idle.append(connection) if is_whole else connection.close()
        return replies


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def name_of(url: str) -> str:
    """The name of the server for messages, without its password."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    where = parts.hostname or parts.path
    return f"Redis {where}:{port}" if port else f"Redis {where}"
