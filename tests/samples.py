"""Values that tests build on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hardwon import Episode, Job, Lesson, Scope, Step
from hardwon.core.values.job import new_job

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
CODER = Scope("acme", "coder", "api")

FAILED = Step(
    "bash", "mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'", failed=True
)
WORKED = Step("bash", "mkdir -p out/nightly")
EPISODE = Episode(
    CODER, "Make the folder for the nightly report", error="mkdir failed", steps=(FAILED, WORKED)
)


def lesson(text: str = "use Edit for large Go files", scope: Scope = CODER, **more: Any) -> Lesson:
    """A lesson that was made at NOW."""
    times = {"created_at": NOW, "updated_at": NOW, "last_seen_at": NOW}
    return Lesson(scope, situation=f"when: {text}", correction=text)._replace(**{**times, **more})


def job(task: str = "task", at: datetime = NOW) -> Job:
    """A job that was queued at `at`."""
    return new_job(EPISODE._replace(task=task), "error", at)


def stored(found: Job | None) -> Job | None:
    """A claimed job as its queue stores it: without the token of the attempt."""
    return found and found._replace(claim="")


class Clock:
    """A clock that stands until it is moved."""

    now = NOW

    def __call__(self) -> datetime:
        return self.now
