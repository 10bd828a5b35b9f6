"""Decode a server's runs and jobs into values."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from hardwon.api.client.decode import built, moments, scope_of
from hardwon.core.values.job import Job
from hardwon.core.values.run import EndedRun, Episode, Failure, Shown, Step

if TYPE_CHECKING:
    from hardwon.api.client.decode import Fields


def job(fields: Fields, tenant: str) -> Job:
    """A job with its episode; without steps if it comes from a list."""
    episode = built(
        Episode,
        fields,
        scope=scope_of(fields, tenant),
        steps=tuple(_step(item) for item in fields.get("steps", ())),
        signals=tuple(fields["signals"].items()),
    )
    times = moments(fields, "enqueued_at", "due")
    return built(Job, fields, episode=episode, wait=timedelta(seconds=fields["wait"]), **times)


def ended_run(fields: Fields, tenant: str) -> EndedRun:
    """A run that has ended."""
    return built(
        EndedRun,
        fields,
        scope=scope_of(fields, tenant),
        steps=tuple(map(_step, fields["steps"])),
        shown=tuple(built(Shown, item) for item in fields["shown"]),
        **moments(fields, "begun", "ended"),
    )


def _step(fields: Fields) -> Step:
    failure = fields.get("failure")
    return built(Step, fields, failure=built(Failure, failure) if failure else None)
