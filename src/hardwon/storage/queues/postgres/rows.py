"""A job as the columns of its row, and back."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from hardwon.storage.queues.records import BadRecord, decode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.job import Job


def job_of(row: tuple[Any, ...]) -> Job | None:
    """The job of a row; None when its record cannot be read."""
    identity, record, due, came, attempts, wait, error = row[:7]
    try:
        job = decode(bytes(record))
    except BadRecord:
        return None
    if job.id != identity:
        return None
    return job._replace(
        due=due.astimezone(UTC),
        enqueued_at=came.astimezone(UTC),
        attempts=attempts,
        wait=wait,
        last_error=error,
    )


def jobs_of(rows: Sequence[tuple[Any, ...]]) -> list[Job]:
    """The jobs of rows, without those that cannot be read."""
    return [job for row in rows if (job := job_of(row))]


def columns(jobs: Sequence[Job], records: Sequence[bytes]) -> dict[str, list[Any]]:
    """The values of many rows, by column. `keys` identify records for good."""
    return {
        "ids": [job.id for job in jobs],
        "tenants": [job.episode.scope.tenant for job in jobs],
        "records": list(records),
        "dues": [job.due for job in jobs],
        "came": [job.enqueued_at for job in jobs],
        "attempts": [job.attempts for job in jobs],
        "waits": [job.wait for job in jobs],
        "errors": [text(job.last_error) for job in jobs],
        "keys": [f"job {job.id} {job.enqueued_at.astimezone(UTC).isoformat()}" for job in jobs],
    }


def text(words: str) -> str:
    """The text as the server can store it."""
    return words.replace("\0", "").encode("utf-8", "replace").decode()
