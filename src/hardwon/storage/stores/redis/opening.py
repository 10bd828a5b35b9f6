"""Two clients for one server: the agent's gives up soon, the worker's is patient."""

from __future__ import annotations

import logging
import threading
from urllib.parse import urlsplit

from hardwon.core.errors import Unavailable
from hardwon.storage.stores.redis.server import RedisClient

log = logging.getLogger("hardwon")
_WRITE_PATIENCE = 5.0  # seconds; nobody waits for a worker


class RedisOpening:
    """A reader and a writer. Neither connects before it is used."""

    def __init__(self, url: str, *, patience: float) -> None:
        self.name = name_of(url)
        self._problem = ""
        self._servers: list[RedisClient] = []
        try:
            timeouts = (patience, _WRITE_PATIENCE, _WRITE_PATIENCE)
            *self._servers, checker = [RedisClient(url, timeout=timeout) for timeout in timeouts]
        except ValueError as error:
            self._problem = str(error)
            return
        # In the background: nothing waits for a warning.
        warn = threading.Thread(
            target=self._warn, args=(checker,), daemon=True, name="hardwon-redis"
        )
        warn.start()

    def reader(self) -> RedisClient:
        """The client for an agent's turn: gives up soon."""
        return self._open_clients()[0]

    def writer(self) -> RedisClient:
        """The client for a worker: waits longer."""
        return self._open_clients()[1]

    def close(self) -> None:
        """Release the connections."""
        for server in self._servers:
            server.close()

    def _open_clients(self) -> list[RedisClient]:
        if self._problem:
            raise Unavailable(self._problem)
        return self._servers

    def _warn(self, checker: RedisClient) -> None:
        """Log if the server's settings could lose acknowledged data.

        Uses its own client: the others may be closed meanwhile.
        """
        try:
            for problem in checker.risks():
                log.warning("%s: %s", self.name, problem)
        except Unavailable:
            return
        finally:
            checker.close()


def name_of(url: str) -> str:
    """The name of the server for messages, without its password."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    where = parts.hostname or parts.path
    return f"Redis {where}:{port}" if port else f"Redis {where}"
