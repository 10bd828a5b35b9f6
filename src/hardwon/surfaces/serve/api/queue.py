"""The queue of the key's tenant: waiting and dead jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.errors import InvalidInput, NotFound
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb, listed
from hardwon.surfaces.serve.principal import Right
from hardwon.values.listing import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Job
    from hardwon.surfaces.serve.api.ask import Ask

_READ, _CHANGE = (Right.READ,), (Right.CHANGE,)


def waiting(ask: Ask) -> Any:
    """A page of the waiting and running jobs, oldest first, and the counts."""
    own_jobs, dead = _own(ask, ask.hw.queue.waiting()), _own(ask, ask.hw.queue.dead())
    worker = ask.hw.queue.status()[1]
    own_ids = {job.id for job in own_jobs}
    running = [row[0] for row in worker.get("running", ()) if row[0] in own_ids]
    counts = {"waiting": len(own_jobs), "dead": len(dead), "running": running}
    return {**counts, "is_worked": bool(worker), **listed(_page(ask, own_jobs), views.brief)}


def wake(ask: Ask) -> Any:
    """Make sure a worker is running."""
    return {"started": ask.hw.wake() is not None}


def dead(ask: Ask) -> Any:
    """A page of the jobs that were given up, oldest first."""
    return listed(_page(ask, _own(ask, ask.hw.queue.dead())), views.brief)


def show(ask: Ask) -> Any:
    """One job that was given up, with its steps."""
    return views.job(_dead(ask, ask.path("id")))


def retry(ask: Ask) -> None:
    """Make a dead job wait again as if new."""
    ask.hw.queue.revive(_dead(ask, ask.path("id")).id)


def purge(ask: Ask) -> None:
    """Remove a dead job for good."""
    ask.hw.queue.purge(_dead(ask, ask.path("id")).id)


def retry_many(ask: Ask) -> Any:
    """Make the named dead jobs wait again, or all."""
    return {"done": [_done(job, ask.hw.queue.revive) for job in _chosen(ask)]}


def purge_many(ask: Ask) -> Any:
    """Remove the named dead jobs for good, or all."""
    return {"done": [_done(job, ask.hw.queue.purge) for job in _chosen(ask)]}


def _done(job: Job, act: Any) -> str:
    act(job.id)
    return job.id


def _chosen(ask: Ask) -> Sequence[Job]:
    if ask.flag("all"):
        return _own(ask, ask.hw.queue.dead())
    if not ask.items("ids"):
        raise InvalidInput("name the jobs by 'ids', or say 'all': true")
    return [_dead(ask, str(identity)) for identity in ask.items("ids")]


def _dead(ask: Ask, identity: str) -> Job:
    for job in _own(ask, ask.hw.queue.dead()):
        if job.id == identity:
            return job
    raise NotFound("dead job", identity)


def _own(ask: Ask, jobs: Sequence[Job]) -> Sequence[Job]:
    """The jobs that the caller may see."""
    return [job for job in jobs if ask.tenant.place.covers(job.episode.scope)]


def _page(ask: Ask, jobs: Sequence[Job]) -> Page[Job]:
    after, limit = ask.cursor(), ask.number("limit", 50)
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
