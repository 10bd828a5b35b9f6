"""The hooks without a process per event: one resident server, a Unix socket and a loopback port.

POST /hardwon/hook/<agent>[?event=<name>] with the event as the body; the answer is the agent's
JSON, or an empty object. An error is logged, and answered with an empty object.

A hook (`client`) first sends what it must have in common with the daemon, and the event after
`100 Continue`. An event that was not accepted is answered in the hook's own process.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hardwon import Hardwon
from hardwon.core import _files
from hardwon.core.errors import InvalidInput, storage_error
from hardwon.core.settings import Settings
from hardwon.core.text.json_clip import clip_json
from hardwon.storage.service import is_bearer
from hardwon.storage.stores import guard_file
from hardwon.surfaces.hooks import guarding
from hardwon.surfaces.hooks.agents import SILENCE, Event, HookReply, adapter
from hardwon.surfaces.hooks.client import ENDS, PATH, SOCKET, STAMP, stamp
from hardwon.surfaces.hooks.respond import respond
from hardwon.surfaces.hooks.watch import Watch

_LOCK = "daemon.lock"
_STAYS = 409  # the status for a hook with other settings
_PATIENCE = 10  # seconds for a client to send its event, and for another daemon to end
_PAUSE = 0.05  # seconds between two tries to be the only daemon
_AT_ONCE = 8  # events
_SETTLED = 60.0  # seconds after which a hook with other settings ends the daemon
_CLOSING = 2.0  # seconds for answers that are under way
_NAP = 0.01  # seconds between two looks at them
_MEMORY = 64 << 20  # bytes
_MEMORY_WITH_MODEL = 512 << 20  # bytes with an embedder in the process


class Lifetime:
    """Whether a daemon is still needed. `with lifetime:` holds while a client is connected.

    A daemon without an `idle` time was started by a person, and ends only when told to.
    """

    def __init__(
        self, settings: Settings, socket: str, idle: timedelta | None, shared: bytes
    ) -> None:
        self._idle = None if idle is None else idle.total_seconds()
        self._stamp = shared.decode()
        self._socket, self._store = socket, os.path.join(settings.home, "hardwon.db")
        self._files = self._identities()
        self._memory = _MEMORY_WITH_MODEL if settings.recall.embedder else _MEMORY
        self._began = self._last = time.monotonic()
        self._connected = 0
        self._counting = threading.Lock()
        self._has_ended = False

    def __enter__(self) -> None:
        with self._counting:
            self._connected += 1

    def __exit__(self, *_: object) -> None:
        with self._counting:
            self._connected -= 1
        self._last = time.monotonic()

    def fits(self, shared: str) -> bool:
        """Whether a hook with this stamp would answer as the daemon does."""
        return not self._has_ended and shared == self._stamp and self._is_in_place()

    def is_over(self) -> bool:
        """Whether the daemon should end now: idle, too large, dismissed, or its home is gone."""
        if self._idle is None or self._connected:
            return False
        is_idle = time.monotonic() - self._last > self._idle
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # the most so far
        is_large = (used if sys.platform == "darwin" else used * 1024) > self._memory
        return self._has_ended or is_idle or is_large or not self._is_in_place()

    def end(self) -> bool:
        """End soon; False for a daemon that a person has started."""
        self._has_ended = self._idle is not None
        return self._has_ended

    def end_for_others(self) -> bool:
        """End for a hook that has other settings, but not soon after the start.

        Otherwise two agents with different settings would end each other's daemon at every event.
        """
        return time.monotonic() - self._began > _SETTLED and self.end()

    def wait_for_answers(self) -> None:
        """Wait for a short time until no client is connected."""
        end = time.monotonic() + _CLOSING
        while self._connected and time.monotonic() < end:
            time.sleep(_NAP)

    def _is_in_place(self) -> bool:
        """Whether the socket and the database are the files that were opened."""
        return self._files[0] is not None and self._identities() == self._files

    def _identities(self) -> list[int | None]:
        found: list[int | None] = []
        for path in (self._socket, self._store):
            try:
                found.append(os.stat(path).st_ino)
            except OSError:
                found.append(None)
        return found


class Daemon:
    """Answers events until it is closed, or until it is not needed any more.

    Only a daemon with an `idle` time, which a hook has started, ends by itself. `shared` is the
    stamp of the home from before its settings were read.
    """

    def __init__(
        self,
        hw: Hardwon,
        *,
        port: int | None,
        token: str,
        idle: timedelta | None = None,
        shared: bytes = b"",
    ) -> None:
        self.hw = hw
        hw.on_trouble(Watch("daemon", hw.settings.home).trouble)
        self.socket_path = os.path.join(hw.settings.home, os.fsdecode(SOCKET))
        self._lock = _alone(hw.settings.home, self.socket_path, makes_room=idle is None)
        self._servers: list[_Server] = []
        try:
            self._servers.append(_UnixServer(self.socket_path, self, token=""))
            if port is not None:
                self._servers.append(_Server(("127.0.0.1", port), self, token=token))
        except BaseException as error:
            self._release()
            if isinstance(error, OSError):
                raise storage_error(error, f"127.0.0.1:{port}") from error
            raise
        self.lifetime = Lifetime(
            hw.settings, self.socket_path, idle, shared or stamp(os.fsencode(hw.settings.home))
        )
        self.pool = ThreadPoolExecutor(_AT_ONCE)

    @property
    def port(self) -> int | None:
        """The loopback port, if one is served."""
        return self._servers[1].server_address[1] if len(self._servers) > 1 else None

    def start(self) -> None:
        """Serve in threads of this process."""
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening; events in progress are finished."""
        for server in self._servers:
            server.shutdown()
        self.lifetime.wait_for_answers()
        self.pool.shutdown()
        self._release()

    def _release(self) -> None:
        for server in self._servers:
            server.server_close()
        if self._servers:
            _files.unlink(self.socket_path)
        self._lock.release()


def _alone(home: str, path: str, *, makes_room: bool) -> _files.Lock:
    """The lock of the only daemon of a home; `makes_room` ends one that a hook has started."""
    lock, end = _files.Lock(os.path.join(home, _LOCK)), time.monotonic() + _PATIENCE
    try:
        while not lock.acquire(wait=False):
            if time.monotonic() > end or (makes_room and not _ends(path)):
                raise InvalidInput(f"a daemon already serves {path}")
            time.sleep(_PAUSE)
    except OSError as error:
        raise storage_error(error, lock.path) from error
    return lock


def _ends(path: str) -> bool:
    """Ask the daemon at the socket to end; False if it refuses."""
    try:
        with socket.socket(socket.AF_UNIX) as running:
            running.settimeout(_PATIENCE)
            running.connect(path)
            running.sendall(b"DELETE / HTTP/1.0\r\n\r\n")
            return f" {_STAYS} ".encode() not in running.recv(100)
    except OSError:  # it is starting or ending
        return True


class _Server(ThreadingHTTPServer):
    """HTTP on loopback; with token "" the mode of the socket file protects it."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: Any, daemon: Daemon, *, token: str) -> None:
        self.daemon = daemon
        self.token = token
        super().__init__(address, _Handler)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self.daemon.lifetime:
            super().process_request_thread(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect in the middle of a request."""

    def allows(self, headers: Any) -> bool:
        """Whether the token is right and no web page sent it: a page sends an Origin header."""
        host = str(headers.get("host", "")).rsplit(":", 1)[0]
        is_local = host in {"127.0.0.1", "localhost"} and "origin" not in headers
        return not self.token or (
            is_local and is_bearer(str(headers.get("authorization", "")), self.token)
        )


class _UnixServer(_Server):
    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        path = str(self.server_address)
        _files.unlink(path)  # a daemon that was killed has left it
        before = os.umask(0o177)
        try:
            self.socket.bind(path)
        except OSError as error:
            if error.errno is not None:
                raise storage_error(error, path) from error
            problem = f"{path} is too long a path for a socket (about 100 characters)"
            raise InvalidInput(f"{problem}; set HARDWON_HOME to a shorter one") from error
        finally:
            os.umask(before)
        self.server_name, self.server_port = "hardwon", 0


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE

    def address_string(self) -> str:
        return "local"  # a Unix socket has no address

    def log_message(self, *_: Any) -> None:
        """Do not log events; errors are logged by Watch."""

    def handle_expect_100(self) -> bool:
        """Accept the event of a hook that has the same settings."""
        shared = self.headers.get(STAMP)
        if shared is None or self.server.daemon.lifetime.fits(shared):
            return super().handle_expect_100()
        self._send(ENDS if self.server.daemon.lifetime.end_for_others() else _STAYS, {})
        return False

    def do_DELETE(self) -> None:
        """End a daemon that a hook has started; only its owner can ask for that."""
        is_owner = not self.server.token
        self._send(200 if is_owner and self.server.daemon.lifetime.end() else _STAYS, {})

    def do_POST(self) -> None:
        if not self.server.allows(self.headers):
            self._send(403, {})
            return
        url = urlsplit(self.path)
        agent = url.path.removeprefix(PATH)
        name = parse_qs(url.query).get("event", [""])[0]
        watch = Watch(f"{agent[:40]} {name[:40]}".strip() or "?")
        settings = self.server.daemon.hw.settings
        watch.limit_by(settings)
        if settings.recall.embedder:
            watch.extend(settings.recall.patience.total_seconds())
        try:
            raw = self._body()
            event = adapter(agent).understand(raw, name)
            watch.about(event)
            reply = self._reply(event, raw, watch)
            answer = adapter(agent).answer(event, reply) if reply else {}
            watch.ran()
        except Exception as error:  # noqa: BLE001 - the agent's turn goes on, whatever it is
            watch.trouble(error)
            answer = {}
        self._send(200, answer)

    def _reply(self, event: Event, raw: bytes, watch: Watch) -> HookReply:
        """The reply; none if it takes too long, though the event is recorded all the same."""
        hw = self.server.daemon.hw
        if not hw.settings.hooks.enabled:
            return SILENCE
        lines = guard_file.lines_about(guard_file.read(hw.settings.home), raw)
        if reason := guarding.reason_to_deny(event, lines, lambda: hw.settings, watch):
            return HookReply(denial=reason)
        try:
            return self.server.daemon.pool.submit(respond, event, hw).result(watch.limit)
        except TimeoutError:
            watch.gave_up()
            return SILENCE

    def _body(self) -> bytes:
        remaining = max(0, int(self.headers.get("content-length") or 0))

        def read(size: int) -> bytes:
            nonlocal remaining
            chunk = self.rfile.read(min(size, remaining))
            remaining -= len(chunk)
            return chunk

        return clip_json(read)

    def _send(self, status: int, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))  # the last one, as `client` expects
        self.end_headers()
        self.wfile.write(body)
