"""Answers to requests with an `Idempotency-Key`: the same request again gets the same answer."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.storage.service.database import ServiceDatabase

KEPT = 86_400.0  # seconds that answers are stored
NAME_LIMIT = 200  # characters
_KEEP = """
INSERT INTO service.replies (tenant, name, request, status, body, at)
VALUES (:tenant, :name, :request, :status, :body, :at)
ON CONFLICT (tenant, name) DO UPDATE SET request = excluded.request, status = excluded.status,
    body = excluded.body, at = excluded.at
"""


class Kept(NamedTuple):
    """A stored answer."""

    status: int
    body: bytes


class Replies:
    """Answers, stored for a day. They survive a restart of the server."""

    def __init__(self, database: ServiceDatabase, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._run = database

    def find(self, tenant: str, name: str, request: bytes) -> Kept | None:
        """The stored answer to this request; InvalidInput if the name was used for another."""
        if len(name) > NAME_LIMIT:
            raise InvalidInput(f"an Idempotency-Key has at most {NAME_LIMIT} characters")
        rows = self._run(
            "SELECT request, status, body FROM service.replies"
            " WHERE tenant = :tenant AND name = :name AND at > :after",
            tenant=tenant,
            name=_name(name),
            after=self._clock() - KEPT,
        )
        if not rows:
            return None
        stored_request, status, body = rows[0]
        if stored_request != _digest(request):
            raise InvalidInput(
                "this Idempotency-Key was used for another request; choose a new one"
            )
        return Kept(status, body)

    def keep(self, tenant: str, name: str, request: bytes, answer: Kept) -> None:
        """Store an answer, and remove those that are too old."""
        now = self._clock()
        self._run("DELETE FROM service.replies WHERE at <= :until", until=now - KEPT)
        values = {"tenant": tenant, "name": _name(name), "request": _digest(request), "at": now}
        self._run(_KEEP, **values, **answer._asdict())


def _name(shown: str) -> str:
    """The name as it is stored: what a client put into it is nobody's business."""
    return _digest(shown.encode("utf-8", "surrogatepass")).hex()


def _digest(request: bytes) -> bytes:
    return hashlib.sha256(request).digest()
