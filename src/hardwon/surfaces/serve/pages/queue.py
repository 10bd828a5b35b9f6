"""Work in the background: the queue with its dead letters, dreams, loops."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from hardwon.api.operations import Right
from hardwon.core.errors import NotFound
from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.dream import DreamState
from hardwon.core.values.report import Place
from hardwon.surfaces.serve.pages.addresses import after_form, agents_of, chosen_place, hw_of
from hardwon.surfaces.serve.pages.views import View, action, page
from hardwon.surfaces.serve.requests import principal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Agent, Job
    from hardwon.core.values.dream import Dream
    from hardwon.core.values.job import WorkerStatus
    from hardwon.learn.trials.values import LoopState
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
    place = Place(principal(request).tenant, *chosen_place(request))
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


_DREAMS = 50


def dream_routes() -> list[Route]:
    """All dreams, one of them, and its undo."""
    return [
        *page("/dreams", dreams, right=Right.DREAMS),
        *page("/dreams/{dream}", dream, name="dreams", right=Right.DREAMS),
        action("/dreams/{dream}/undo", _undo, right=Right.UNDO_DREAMS),
    ]


def dreams(request: Request) -> View:
    """The latest dreams of all agents."""
    rows = [
        dream_row(dream)
        for agent in agents_of(request)
        for dream in agent.dreams.list(limit=_DREAMS)
    ]
    rows.sort(key=lambda row_values: str(row_values["at"]), reverse=True)
    return View("dreams.html", "Dreams", {"rows": rows[:_DREAMS]})


def dream_row(dream: Dream) -> dict[str, Any]:
    """A dream in the list."""
    return {
        "id": dream.id,
        "agent": dream.scope.agent,
        "at": dream.started_at.isoformat(),
        "seconds": dream.duration_seconds,
        "consolidated": dream.memories_consolidated,
        "reflection": dream.reflection,
        "state": dream.state,
    }


def dream(request: Request) -> View:
    """One dream with its report and its changes."""
    agent, dream = _dream_of(request)
    changes = [
        change._asdict() | {"tags": list(change.tags)} for change in agent.dreams.changes(dream.id)
    ]
    values = {
        "dream": dream_row(dream),
        "report": dream.report,
        "improvements": list(dream.improvements),
        "changes": changes,
        "can_undo": bool(changes) and dream.state in (DreamState.DONE, DreamState.WOKEN),
    }
    return View("dream.html", f"Dream {dream.id[:8]}", values)


def _dream_of(request: Request) -> tuple[Agent, Dream]:
    wanted = request.path_params["dream"]
    for agent in agents_of(request):
        try:
            return agent, agent.dreams.get(wanted)
        except NotFound:
            continue
    raise NotFound("dream", wanted)


def _undo(request: Request, fields: Fields) -> str:
    agent, dream = _dream_of(request)
    _, restored, _ = agent.dreams.undo(dream.id)
    page_path = request.url.path.rpartition("/")[0]
    return after_form(request, fields.one("next") or page_path, f"dream:{restored}")


_LOOPS = 50
_TASK = 200  # characters


def loop_routes() -> list[Route]:
    """All loops, and one of them."""
    return [*page("/loops", loops), *page("/loops/{loop}", loop, name="loops")]


def loops(request: Request) -> View:
    """The newest loops of all agents."""
    states = [state for agent in agents_of(request) for state in agent.loops.list(limit=_LOOPS)]
    states.sort(key=lambda state: state.created_at, reverse=True)
    return View("loops.html", "Loops", {"rows": [loop_row(state) for state in states[:_LOOPS]]})


def loop_row(state: LoopState) -> dict[str, Any]:
    """A loop in the list."""
    return {
        "id": state.loop_id,
        "task": clip(one_line(state.task), _TASK),
        "status": "passed" if state.passed else state.status,
        "agent": state.scope.agent,
        "project": state.scope.project or "",
        "trials": len(state.trials),
        "rewards": [trial.reward for trial in state.trials],
        "at": state.created_at,
    }


def loop(request: Request) -> View:
    """One loop with its trials and their lessons."""
    wanted = request.path_params["loop"]
    for agent in agents_of(request):
        try:
            state = agent.loops.get(wanted)
        except NotFound:
            continue
        values = {
            "loop_": loop_row(state) | {"task": state.task, "reason": state.reason},
            "trials": [_trial(trial) for trial in state.trials],
        }
        return View("loop.html", "Loop", values)
    raise NotFound("loop", wanted)


def _trial(trial: Any) -> dict[str, Any]:
    return {
        "number": trial.number,
        "outcome": trial.outcome,
        "reward": trial.reward,
        "errors": trial.errors,
        "seconds": trial.seconds,
        "failure": trial.failure,
        "change": trial.change,
        "lessons_used": trial.lessons_used,
        "lessons_learned": trial.lessons_learned,
    }
