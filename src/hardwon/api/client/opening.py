"""A hardwon whose home is a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.api import Hardwon
from hardwon.api.client import decode_reports
from hardwon.api.client.agent import RemoteAgent
from hardwon.api.client.connection import ServerConnection
from hardwon.api.client.local_only import LOCAL_ONLY
from hardwon.api.client.queue import RemoteQueue
from hardwon.api.client.wire import DOOR, Wire
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import load
from hardwon.core.values.scope import scope as scoped
from hardwon.engine.runtime import utc_now
from hardwon.models.budget import Spent

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from hardwon.core.settings import Settings
    from hardwon.core.values.job import Job
    from hardwon.core.values.report import Report
    from hardwon.core.values.scope import Scope

_KEY_DECIDES = "the key decides whose data it is; leave out the tenant"


class RemoteHardwon(Hardwon):
    """One server and one key. Close it, or use it in a `with` block."""

    def __init__(self, connection: ServerConnection) -> None:
        super().__init__(LOCAL_ONLY)
        self._connection = connection
        self._wire = connection.wire

    @property
    def settings(self) -> Settings:
        """The settings of this machine; the server has its own."""
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
        """The runs on this machine that wait for the server."""
        return self._connection.outbox.waiting()

    def spent(self) -> Spent:
        """What models have cost the tenant today."""
        total = Spent()
        for row in self._wire.get("/v1/spend", {"days": 1})["items"]:
            total += Spent(row["calls"], row["tokens"], row["money"])
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
        filters = {} if whole else {"agent": own.agent, "project": own.project}
        days = None if since is None else f"{since.total_seconds():.0f}s"
        return decode_reports.report(self._wire.get("/v1/report", {**filters, "since": days}), own)

    def on_trouble(self, tell: Callable[[BaseException], None]) -> None:
        self._connection.trouble = tell

    def __enter__(self) -> RemoteHardwon:
        return self

    def close(self) -> None:
        """Send what waits if the server is reachable; the next process sends the rest."""
        self._connection.outbox.close()
        self._wire.close()

    def _scope(self, agent: str, project: str | None, tenant: str) -> Scope:
        if tenant != "default":
            raise InvalidInput(_KEY_DECIDES)
        return scoped(agent, project=project)


def connect(
    url: str,
    *,
    key: str | None = None,
    settings: Settings | None = None,
    clock: Callable[[], datetime] = utc_now,
    patience: float = DOOR,
) -> RemoteHardwon:
    """The hardwon at a URL; it connects at the first verb."""
    if not key or not key.isascii():
        raise InvalidInput("a server needs a key: hardwon.open(url, key=…)")
    wire = Wire(url, key, door=patience)
    return RemoteHardwon(ServerConnection(wire, f"{url}\0{key}", settings or load(), clock))
