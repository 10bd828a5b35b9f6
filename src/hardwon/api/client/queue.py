"""The queue of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.api.client import decode_runs
from hardwon.api.client.local_only import LOCAL_ONLY
from hardwon.api.namespaces import JobQueue
from hardwon.core.values.job import Job, QueueCounts, WorkerStatus

if TYPE_CHECKING:
    from hardwon.api.client.wire import Wire


class RemoteQueue(JobQueue):
    """The jobs of the tenant on a server."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(LOCAL_ONLY)
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
        counts = self._wire.get("/v1/queue", {"limit": 1})
        return QueueCounts(pending=counts["waiting"], dead=counts["dead"]), {}

    def _every(self, path: str) -> list[Job]:
        jobs: list[Job] = []
        cursor: str | None = ""
        while cursor is not None:
            page = self._wire.get(path, {"limit": 500, "cursor": cursor or None})
            jobs += [decode_runs.job(item, "default") for item in page["items"]]
            cursor = page["next"]
        return jobs
