"""A hardwon whose home is a server."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from hardwon._cold.hashing import blake2b
from hardwon.api import Hardwon
from hardwon.client import reading
from hardwon.client.agent import RemoteAgent
from hardwon.client.elsewhere import ELSEWHERE
from hardwon.client.outbox import Outbox
from hardwon.client.wire import DOOR, Wire
from hardwon.errors import InvalidInput
from hardwon.models.budget import Spent
from hardwon.namespaces import JobQueue
from hardwon.runtime import utc_now
from hardwon.settings import load
from hardwon.values.queue import QueueCounts
from hardwon.values.scope import scope as scoped

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from hardwon.settings import Settings
    from hardwon.values.job import Job
    from hardwon.values.queue import WorkerStatus
    from hardwon.values.report import Report
    from hardwon.values.scope import Scope

_LATE = "the key decides whose data it is; leave out the tenant"


class Connection:
    """What all handles of one server share."""

    def __init__(
        self, wire: Wire, folder: str, settings: Settings, clock: Callable[[], datetime]
    ) -> None:
        self.wire = wire
        self.settings = settings
        self.clock = clock
        self.trouble: Callable[[BaseException], None] = _warn
        self.outbox = Outbox(folder, wire, self.tell)

    def tell(self, error: BaseException) -> None:
        """Say what was kept from the agent's turn."""
        try:
            self.trouble(error)
        except Exception:  # noqa: BLE001 - a listener of the program must not end its turn
            return


class RemoteHardwon(Hardwon):
    """One server and one key. Close it, or use it in a `with` block."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(ELSEWHERE)
        self._connection = connection
        self._wire = connection.wire

    @property
    def settings(self) -> Settings:
        """What is set here; the server has settings of its own."""
        return self._connection.settings

    def agent(
        self,
        name: str,
        *,
        project: str | None = None,
        tenant: str = "default",
        run: str | None = None,
    ) -> RemoteAgent:
        return RemoteAgent(self._connection, self._scope(name, project, tenant), run)

    @property
    def queue(self) -> RemoteQueue:
        return RemoteQueue(self._wire)

    def wake(self) -> int | None:
        """Make sure a worker of the server is running."""
        self._wire.send("POST", "/v1/queue/wake", None, {})
        return None

    def send(self) -> int:
        """Send the runs that wait on this machine, now; how many were sent."""
        return self._connection.outbox.send()

    def unsent(self) -> list[Job]:
        """The runs that wait on this machine for the server."""
        return self._connection.outbox.waiting()

    def spent(self) -> Spent:
        """What models have cost the tenant today."""
        total = Spent()
        for one in self._wire.get("/v1/spend", {"days": 1})["items"]:
            total += Spent(one["calls"], one["tokens"], one["money"])
        return total

    def report(
        self,
        agent: str = "default",
        *,
        project: str | None = None,
        tenant: str = "default",
        since: timedelta | None = None,
        whole: bool = False,
    ) -> Report:
        own = self._scope(agent, project, tenant)
        asked = {} if whole else {"agent": own.agent, "project": own.project}
        days = None if since is None else f"{since.total_seconds():.0f}s"
        return reading.report(self._wire.get("/v1/report", {**asked, "since": days}), own)

    def on_trouble(self, tell: Callable[[BaseException], None]) -> None:
        self._connection.trouble = tell

    def __enter__(self) -> RemoteHardwon:
        return self

    def close(self) -> None:
        """Send what waits, if the server is there; the rest is sent by the next process."""
        self._connection.outbox.close()
        self._wire.close()

    def _scope(self, agent: str, project: str | None, tenant: str) -> Scope:
        if tenant != "default":
            raise InvalidInput(_LATE)
        return scoped(agent, project=project)


class RemoteQueue(JobQueue):
    """The jobs of the tenant on a server."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(ELSEWHERE)
        self._wire = wire

    def waiting(self) -> list[Job]:
        return self._every("/v1/queue")

    def dead(self) -> list[Job]:
        return self._every("/v1/dead")

    def revive(self, *ids: str) -> None:
        if ids:
            self._wire.send("POST", "/v1/dead/retry", {"ids": ids}, {})

    def purge(self, *ids: str) -> None:
        if ids:
            self._wire.send("POST", "/v1/dead/purge", {"ids": ids}, {})

    def status(self) -> tuple[QueueCounts, WorkerStatus]:
        told = self._wire.get("/v1/queue", {"limit": 1})
        return QueueCounts(pending=told["waiting"], dead=told["dead"]), {}

    def _every(self, path: str) -> list[Job]:
        found: list[Job] = []
        cursor: str | None = ""
        while cursor is not None:
            page = self._wire.get(path, {"limit": 500, "cursor": cursor or None})
            found += [reading.job(one, "default") for one in page["items"]]
            cursor = page["next"]
        return found


def connect(
    url: str,
    *,
    key: str | None = None,
    settings: Settings | None = None,
    clock: Callable[[], datetime] = utc_now,
    patience: float = DOOR,
) -> RemoteHardwon:
    """The hardwon at a URL; nothing is asked of it before the first verb."""
    if not key or not key.isascii():
        raise InvalidInput("a server needs a key: hardwon.open(url, key=…)")
    own = settings or load()
    digest = blake2b(f"{url}\0{key}".encode(), digest_size=8).hexdigest()
    folder = os.path.join(own.home, "outbox", digest)
    return RemoteHardwon(Connection(Wire(url, key, door=patience), folder, own, clock))


def _warn(error: BaseException) -> None:
    logging.getLogger("hardwon").warning("no lessons at this door: %s", error)
