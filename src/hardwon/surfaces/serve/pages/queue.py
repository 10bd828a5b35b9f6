"""Queue: waiting jobs, jobs in flight, retries, and dead letters."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.report import Place
from hardwon.surfaces.serve.pages.addresses import after_form, chosen, hw_of
from hardwon.surfaces.serve.pages.views import View, action, page
from hardwon.surfaces.serve.requests import principal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Job
    from hardwon.core.values.job import WorkerStatus
    from hardwon.surfaces.serve.pages.views import Fields

_READ = 2_000  # a longer queue is not read for a page
_ROWS = 50
_WORKER = ("pid", "began", "done", "retried", "buried")  # fields of the worker that are shown
_TASK, _ERROR = 160, 400  # characters


def routes() -> list[Route]:
    """The queue, and the actions on dead letters."""
    return [
        *page("/queue", queue),
        action("/queue/retry", _retry),
        action("/queue/purge", _purge),
    ]


def queue(request: Request) -> View:
    """The current state of the queue."""
    hw = hw_of(request)
    counts, worker = hw.queue.status()
    is_long = counts.pending > _READ
    waiting = [] if is_long else list(_own(request, hw.queue.waiting()))
    dead = list(_dead(request, request.query_params.get("text", "")))
    running = {job_row[0]: job_row for job_row in worker.get("running", ())}
    in_flight = [job for job in waiting if job.id in running]
    retries = sorted((job for job in waiting if job.last_error), key=lambda job: job.due)
    values = {
        "pending": len(waiting),
        "is_long": is_long,
        "read_at_most": _READ,
        "dead_count": len(dead),
        "worker": {name: value for name, value in worker.items() if name in _WORKER},
        "rate": rate(worker),
        "in_flight": [{**row(job), "since": running[job.id][3]} for job in in_flight],
        "retries": [row(job) for job in retries[:_ROWS]],
        "waiting": [row(job) for job in waiting if not job.last_error and job.id not in running][
            :_ROWS
        ],
        "dead": [row(job) for job in reversed(dead)][:_ROWS],
    }
    return View("queue.html", "Queue", values)


def rate(worker: WorkerStatus) -> float | None:
    """Jobs per minute that the worker has ended since it began; None if unknown."""
    if not worker.get("began"):
        return None
    worked = datetime.fromisoformat(worker["at"]) - datetime.fromisoformat(worker["began"])
    ended = worker["done"] + worker["retried"] + worker["buried"]
    minutes = worked.total_seconds() / 60
    return round(ended / minutes, 1) if minutes else None


def row(job: Job) -> dict[str, Any]:
    """A job in a list."""
    scope = job.episode.scope
    return {
        "id": job.id,
        "task": clip(one_line(job.episode.task), _TASK),
        "trigger": job.trigger,
        "agent": scope.agent,
        "project": scope.project or "",
        "attempts": job.attempts,
        "enqueued": job.enqueued_at.isoformat(),
        "due": job.due.isoformat(),
        "error": clip(job.last_error, _ERROR),
    }


def _own(request: Request, jobs: Iterable[Job]) -> Iterable[Job]:
    """The jobs of the chosen agent and project that the viewer may see."""
    place = Place(principal(request).tenant, *chosen(request))
    return (job for job in jobs if place.covers(job.episode.scope))


def _dead(request: Request, text: str) -> Iterable[Job]:
    wanted = text.strip().lower()
    for job in _own(request, hw_of(request).queue.dead()):
        if wanted in f"{job.id} {job.episode.task} {job.last_error}".lower():
            yield job


def _retry(request: Request, fields: Fields) -> str:
    ids = _chosen_jobs(request, fields)
    hw_of(request).queue.revive(*ids)
    return after_form(request, fields.one("next"), f"retried:{len(ids)}")


def _purge(request: Request, fields: Fields) -> str:
    ids = _chosen_jobs(request, fields)
    hw_of(request).queue.purge(*ids)
    return after_form(request, fields.one("next"), f"purged:{len(ids)}")


def _chosen_jobs(request: Request, fields: Fields) -> list[str]:
    """The ticked dead letters, or all that match the filter; only those the viewer may see."""
    matching = [job.id for job in _dead(request, fields.one("text"))]
    ticked = set(fields.many("id"))
    return (
        matching if fields.one("all") else [identity for identity in matching if identity in ticked]
    )
