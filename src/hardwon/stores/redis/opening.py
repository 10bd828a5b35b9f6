"""Opening a server beside the agent: importing its library alone takes longer than a turn may."""

from __future__ import annotations

import logging
import threading
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hardwon.errors import MissingExtra, Unavailable

if TYPE_CHECKING:
    from hardwon.stores.redis.server import Server

log = logging.getLogger("hardwon")
_WRITE_PATIENCE = 5.0  # seconds; nobody waits for a worker
_LONGEST = 60.0  # seconds that a worker waits for the opening


class Opening:
    """A reader and a writer, made in a thread that nobody waits for longer than it must."""

    def __init__(self, url: str, *, patience: float) -> None:
        self._url = url
        self._patience = patience
        self._servers: list[Server] = []
        self._problem = ""
        self._is_open = threading.Event()
        self.name = name_of(url)
        threading.Thread(target=self._open, daemon=True, name="hardwon-redis-opening").start()

    def reader(self) -> Server:
        """For an agent's turn: gives up soon."""
        return self._opened(self._patience)[0]

    def writer(self) -> Server:
        """For a worker: waits."""
        return self._opened(_LONGEST)[1]

    def is_open(self) -> bool:
        """Whether the library is there; before that, a read that fails says nothing."""
        return self._is_open.is_set()

    def close(self) -> None:
        """Release the connections."""
        for server in self._servers:
            server.close()

    def _opened(self, seconds: float) -> list[Server]:
        if not self._is_open.wait(seconds):
            raise Unavailable("still opening")
        if self._problem:
            raise Unavailable(self._problem)
        return self._servers

    def _open(self) -> None:
        try:
            made = import_module("hardwon.stores.redis.server").Server
            timeouts = (self._patience, _WRITE_PATIENCE, _WRITE_PATIENCE)
            *self._servers, own = [made(self._url, timeout=timeout) for timeout in timeouts]
        except (MissingExtra, ValueError) as error:
            self._problem = str(error)
            self._is_open.set()
            return
        self._is_open.set()
        self._warn(own)

    def _warn(self, own: Server) -> None:
        """Log how the server could lose what it acknowledges; that it is away, others notice.

        With a client of its own: the others may be closed meanwhile.
        """
        try:
            for problem in own.risks():
                log.warning("%s: %s", self.name, problem)
        except Unavailable:
            return
        finally:
            own.close()


def name_of(url: str) -> str:
    """The server in words, without the password that may stand in its URL."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    where = parts.hostname or parts.path
    return f"Redis {where}:{port}" if port else f"Redis {where}"
