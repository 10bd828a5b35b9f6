"""A proxy before a real server that breaks connections in the ways networks do."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

_RESET = struct.pack("ii", 1, 0)


class Fault(NamedTuple):
    """What happens to a connection once enough has gone in one direction."""

    kind: str = ""  # refuse, slow, blackhole, cut, reset; "": nothing
    after: int = 0  # bytes
    messages: int = 0  # that come before; a small message is read as one piece
    is_answer: bool = False  # the direction: from the server
    seconds: float = 0.0  # how slow


class Proxy:
    """Forwards to a port on this machine; `plan` says what becomes of each new connection."""

    def __init__(self, port: int, plan: Callable[[], Fault]) -> None:
        self._target = port
        self.plan = plan
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections; a thread that waits for one is woken."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            fault = self.plan()
            if fault.kind == "refuse":
                client.close()
                server.close()
                continue
            for source, goal, is_answer in ((client, server, False), (server, client, True)):
                own = fault if fault.is_answer == is_answer else Fault()
                threading.Thread(target=_pump, args=(source, goal, own), daemon=True).start()


def _pump(source: socket.socket, goal: socket.socket, fault: Fault) -> None:
    """Carry bytes one way until an end is closed or the fault strikes."""
    left, seen = fault.after, 0
    try:
        while piece := source.recv(65536):
            seen += 1
            if fault.kind and len(piece) >= left and seen > fault.messages:
                goal.sendall(piece[:left])
                if not _struck(fault, goal):
                    return
                piece, left = piece[left:], 0
            left = max(0, left - len(piece))
            if fault.kind != "blackhole" or left or seen <= fault.messages:
                goal.sendall(piece)
    except OSError:
        return
    finally:
        for end in (source, goal):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RD)  # a thread that reads from it would keep it open
            end.close()


def _struck(fault: Fault, goal: socket.socket) -> bool:
    """Let the fault happen; whether the connection goes on."""
    if fault.kind == "slow":
        time.sleep(fault.seconds)
    if fault.kind == "reset":
        goal.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    return fault.kind in ("slow", "blackhole")
