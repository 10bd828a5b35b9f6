"""The queue of the key's tenant: waiting and dead jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.values.report import Page
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb, listed
from hardwon.surfaces.serve.principal import Right

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Job
    from hardwon.surfaces.serve.api.request import ApiRequest

_READ, _CHANGE = (Right.READ,), (Right.CHANGE,)


def waiting(request: ApiRequest) -> Any:
    """A page of the waiting and running jobs, oldest first, and the counts."""
    own_jobs, dead = (
        _own(request, request.hw.queue.waiting()),
        _own(request, request.hw.queue.dead()),
    )
    worker = request.hw.queue.status()[1]
    own_ids = {job.id for job in own_jobs}
    running = [row[0] for row in worker.get("running", ()) if row[0] in own_ids]
    counts = {"waiting": len(own_jobs), "dead": len(dead), "running": running}
    return {**counts, "is_worked": bool(worker), **listed(_page(request, own_jobs), views.brief)}


def wake(request: ApiRequest) -> Any:
    """Make sure a worker is running."""
    return {"started": request.hw.wake() is not None}


def dead(request: ApiRequest) -> Any:
    """A page of the jobs that were given up, oldest first."""
    return listed(_page(request, _own(request, request.hw.queue.dead())), views.brief)


def show(request: ApiRequest) -> Any:
    """One job that was given up, with its steps."""
    return views.job(_dead(request, request.path("id")))


def retry(request: ApiRequest) -> None:
    """Make a dead job wait again as if new."""
    request.hw.queue.revive(_dead(request, request.path("id")).id)


def purge(request: ApiRequest) -> None:
    """Remove a dead job for good."""
    request.hw.queue.purge(_dead(request, request.path("id")).id)


def retry_many(request: ApiRequest) -> Any:
    """Make the named dead jobs wait again, or all."""
    return {"done": [_done(job, request.hw.queue.revive) for job in _chosen(request)]}


def purge_many(request: ApiRequest) -> Any:
    """Remove the named dead jobs for good, or all."""
    return {"done": [_done(job, request.hw.queue.purge) for job in _chosen(request)]}


def _done(job: Job, act: Any) -> str:
    act(job.id)
    return job.id


def _chosen(request: ApiRequest) -> Sequence[Job]:
    if request.flag("all"):
        return _own(request, request.hw.queue.dead())
    if not request.items("ids"):
        raise InvalidInput("name the jobs by 'ids', or say 'all': true")
    return [_dead(request, str(identity)) for identity in request.items("ids")]


def _dead(request: ApiRequest, identity: str) -> Job:
    for job in _own(request, request.hw.queue.dead()):
        if job.id == identity:
            return job
    raise NotFound("dead job", identity)


def _own(request: ApiRequest, jobs: Sequence[Job]) -> Sequence[Job]:
    """The jobs that the caller may see."""
    return [job for job in jobs if request.tenant.place.covers(job.episode.scope)]


def _page(request: ApiRequest, jobs: Sequence[Job]) -> Page[Job]:
    after, limit = request.cursor(), request.number("limit", 50)
    ordered = sorted(jobs, key=_place)
    following = [job for job in ordered if after is None or _place(job) > after]
    rows = tuple(following[:limit])
    return Page(rows, _place(rows[-1]) if len(following) > limit else None)


def _place(job: Job) -> tuple[float, str]:
    return job.enqueued_at.timestamp(), job.id


VERBS = (
    Verb("GET", "/v1/queue", _READ, waiting),
    Verb("POST", "/v1/queue/wake", (Right.DOOR, Right.CHANGE), wake),
    Verb("GET", "/v1/dead", _READ, dead),
    Verb("POST", "/v1/dead/retry", _CHANGE, retry_many, takes=("ids", "all")),
    Verb("POST", "/v1/dead/purge", _CHANGE, purge_many, takes=("ids", "all")),
    Verb("GET", "/v1/dead/{id}", _READ, show),
    Verb("POST", "/v1/dead/{id}/retry", _CHANGE, retry, status=204),
    Verb("POST", "/v1/dead/{id}/purge", _CHANGE, purge, status=204),
)
