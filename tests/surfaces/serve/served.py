"""A real server on a free port, and a small client that keeps nothing back."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import hardwon
from hardwon.surfaces.serve.limits import Limits
from hardwon.surfaces.serve.server import Address, Service


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Served:
    """A running server with its home."""

    def __init__(self, hw: hardwon.Hardwon, service: Service) -> None:
        self.hw = hw
        self.service = service
        self.keys = service.access.keys
        self.token = (Path(hw.settings.home) / "token").read_text().strip()
        self._paths: dict[str, str] = {}  # the secret path of each cookie

    def key(self, role: str = "admin", **more: Any) -> str:
        return self.keys.create(role=role, **more)[1]

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request; a body that is no bytes is sent as JSON.

        One with the cookie of `log_in` goes to its secret path, which the answer is shown without.
        """
        sent = dict(headers or {})
        secret_path = self._paths.get(sent.get("Cookie", ""), "")
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=120)
        try:
            connection.request(method, secret_path + path, body, sent)
            got = connection.getresponse()
            names = {
                name.lower(): value.replace(secret_path, "") for name, value in got.getheaders()
            }
            return Answer(got.status, names, got.read().replace(secret_path.encode(), b""))
        finally:
            connection.close()

    def log_in(self, key: str = "") -> dict[str, str]:
        """The headers of a browser that has logged in, by a link or with a key."""
        if key:
            origin = {"Origin": self.service.url, "Content-Type": FORM}
            answer = self.ask("POST", "/login", f"key={key}".encode(), headers=origin)
        else:
            answer = self.ask("GET", self.service.link().removeprefix(self.service.url))
        assert answer.status == 303, answer
        cookie, *attributes = answer.headers["set-cookie"].split("; ")
        path = next(one for one in attributes if one.startswith("Path="))
        self._paths[cookie] = path.removeprefix("Path=").rstrip("/")
        return {"Cookie": cookie}


FORM = "application/x-www-form-urlencoded"
PATIENT = Limits(
    arrival=60.0, answer=120.0, door=60.0, logins=1000.0
)  # no test is decided by a slow machine


@contextmanager
def served(
    home: Path | str, *, limits: Limits = PATIENT, port: int = 0, access_log: str = ""
) -> Iterator[Served]:
    """Serve a home or the database at a URL while the block runs."""
    with hardwon.open(home) as hw:
        service = Service(hw, Address(port=port), limits=limits, access_log=access_log)
        thread = threading.Thread(target=service.run)
        thread.start()
        try:
            yield Served(hw, service)
        finally:
            service.stop()
            thread.join()
