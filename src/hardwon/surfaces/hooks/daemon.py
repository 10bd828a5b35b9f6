"""The hooks without a process per event: one resident server, a Unix socket and a loopback port.

POST /hardwon/hook/<agent>[?event=<name>] with the event as the body; the answer is the agent's
JSON, or an empty object. An error is logged, and answered with an empty object.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from hardwon import _files
from hardwon.auth import is_bearer
from hardwon.errors import InvalidInput, storage_error
from hardwon.surfaces.hooks.agents import adapter
from hardwon.surfaces.hooks.entry import Watch, parsed
from hardwon.surfaces.hooks.respond import respond
from hardwon.text.json_clip import squeezed

if TYPE_CHECKING:
    from hardwon import Hardwon

PREFIX = "/hardwon/hook/"
SOCKET = "hook.sock"
_PATIENCE = 10  # seconds for a client to send its event


class Daemon:
    """Answers events until it is closed."""

    def __init__(self, hw: Hardwon, *, port: int | None, token: str) -> None:
        self._hw = hw
        self.socket_path = os.path.join(hw.settings.home, SOCKET)
        self._servers: list[_Server] = [_UnixServer(self.socket_path, hw, token="")]
        if port is not None:
            self._servers.append(self._on_loopback(port, token))

    @property
    def port(self) -> int | None:
        """The loopback port, if one is served."""
        return self._servers[1].server_address[1] if len(self._servers) > 1 else None

    def _on_loopback(self, port: int, token: str) -> _Server:
        try:
            return _Server(("127.0.0.1", port), self._hw, token=token)
        except OSError as error:
            self._servers[0].server_close()
            _files.unlink(self.socket_path)
            raise storage_error(error, f"127.0.0.1:{port}") from error

    def start(self) -> None:
        """Serve in threads of this process."""
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening; events in progress are finished."""
        for server in self._servers:
            server.shutdown()
            server.server_close()
        _files.unlink(self.socket_path)


class _Server(ThreadingHTTPServer):
    """HTTP on loopback; with token "" the mode of the socket file protects it."""

    daemon_threads = True

    def __init__(self, address: Any, hw: Hardwon, *, token: str) -> None:
        self.hw = hw
        self.token = token
        super().__init__(address, _Handler)

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
        if _is_served(path):
            raise InvalidInput(f"a daemon already serves {path}")
        _files.unlink(path)
        before = os.umask(0o177)
        try:
            self.socket.bind(path)
        finally:
            os.umask(before)
        self.server_name, self.server_port = "hardwon", 0


def _is_served(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            return probe.connect_ex(path) == 0
        except OSError as error:  # only a path that is too long
            problem = f"{path} is too long a path for a socket (about 100 characters)"
            raise InvalidInput(f"{problem}; set HARDWON_HOME to a shorter one") from error


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE

    def address_string(self) -> str:
        return "local"  # a Unix socket has no address

    def log_message(self, *_: Any) -> None:
        """Do not log events; errors are logged by Watch."""

    def do_POST(self) -> None:
        if not self.server.allows(self.headers):
            self._send(403, {})
            return
        url = urlsplit(self.path)
        agent = url.path.removeprefix(PREFIX)
        name = parse_qs(url.query).get("event", [""])[0]
        watch = Watch(f"{agent[:40]} {name[:40]}".strip() or "?", home=self.server.hw.settings.home)
        try:
            answer = self._answer(agent, name, watch)
            watch.ran()
        except Exception as error:  # noqa: BLE001 - the agent's turn goes on, whatever it is
            watch.trouble(error)
            answer = {}
        self._send(200, answer)

    def _answer(self, agent: str, name: str, watch: Watch) -> dict[str, Any]:
        agent_adapter = adapter(agent)
        event = agent_adapter.read(parsed(self._body()), name)
        if event is None:
            raise InvalidInput(f"unknown event {name!r}")
        watch.about(event)
        reply = respond(event, self.server.hw)
        return agent_adapter.answer(event, reply) if reply else {}

    def _body(self) -> bytes:
        remaining = max(0, int(self.headers.get("content-length") or 0))

        def read(size: int) -> bytes:
            nonlocal remaining
            chunk = self.rfile.read(min(size, remaining))
            remaining -= len(chunk)
            return chunk

        return squeezed(read)

    def _send(self, status: int, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
