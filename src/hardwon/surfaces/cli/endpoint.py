"""The monitoring endpoint of a worker: /metrics, /healthz and /readyz, on loopback only."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from hardwon.core.errors import StorageError, storage_error

if TYPE_CHECKING:
    from hardwon.engine.worker import WorkerProcess

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_PATIENCE = 1.0  # seconds to wait for a request: a worker waits this long at its end
_TEXT = "text/plain; version=0.0.4; charset=utf-8"


class WorkerEndpoint:
    """A small server in the process of a worker; `with WorkerEndpoint(worker, port):`."""

    def __init__(self, worker: WorkerProcess, port: int) -> None:
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(worker))
        except OSError as error:
            raise storage_error(error, f"127.0.0.1:{port}") from error
        self._server.daemon_threads = False  # requests in progress get their whole answer
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    def __enter__(self) -> WorkerEndpoint:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(worker: WorkerProcess) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _PATIENCE

        def do_GET(self) -> None:
            if self.headers.get("Host", "localhost").rsplit(":", 1)[0] not in _LOCAL:
                self._answer(421, b"not here\n")  # DNS rebinding by a foreign page
            elif self.path == "/healthz":
                self._answer(200, b"ok\n")
            elif self.path == "/readyz":
                is_ready = worker.ledger.is_ready
                self._answer(200 if is_ready else 503, b"ready\n" if is_ready else b"not ready\n")
            elif self.path == "/metrics":
                self._metrics()
            else:
                self._answer(404, b"/metrics, /healthz, /readyz\n")

        def _metrics(self) -> None:
            try:
                self._answer(200, worker.metrics())
            except StorageError as error:
                self._answer(503, f"{error}\n".encode())

        def _answer(self, code: int, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", _TEXT)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Do not log scrapes."""

    return Handler
