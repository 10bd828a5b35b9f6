"""A Redis server of our own on a free port, with nothing in it."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import redis

from tests.programs import REDIS, needs

DURABLE = ("--appendonly", "yes", "--appendfsync", "always")


class RedisServer:
    """A server that can be stopped, frozen and started again on the same port."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self._program = needs("redis-server", package=REDIS, is_service=True)
        self._folder = folder
        self._settings = settings
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    @property
    def client(self) -> Any:
        return redis.Redis.from_url(self.url, decode_responses=True)

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *(self._program, "--port", str(self.port), "--bind", "127.0.0.1"),
                *("--save", "", "--dir", str(self._folder), *self._settings),
            ],
            stdout=subprocess.DEVNULL,
        )
        for _ in range(400):
            try:
                with redis.Redis(port=self.port) as client:
                    client.ping()
                    return
            except redis.RedisError:
                time.sleep(0.025)
        raise RuntimeError("redis-server does not answer")

    def freeze(self) -> None:
        """Stop answering without closing anything."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Answer again."""
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Kill the server; its port stays free for the next start."""
        self._process.kill()
        self._process.wait()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
