"""Runs step by step with what each was shown, and work in the background: queue, dreams, loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from hardwon import Agent, Job
from hardwon.api.operations import Right
from hardwon.core.errors import NotFound
from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.dream import Dream, DreamState
from hardwon.core.values.job import WorkerStatus
from hardwon.core.values.run import Author, EndedRun, RunSoFar, Step
from hardwon.learn.trials.values import LoopState
from hardwon.surfaces import wording
from hardwon.surfaces.serve.pages.views import Routes, View, Visit, mark_text, pick, place_of

T = TypeVar("T")
_READ = 2_000  # a longer queue is not read for a page
_ROWS = 50
_WORKER = ("pid", "began", "done", "retried", "buried")  # fields of the worker that are shown
_TASK, _ERROR, _CALL, _OUTPUT = 200, 400, 2_000, 1_500  # characters
_ENDED, _SHOWN = "ended", "shown"
_LISTS = {_ENDED: "runs", _SHOWN: "what was shown"}


routes = Routes()


@routes.page("/runs")
def runs(visit: Visit) -> View:
    """The runs in progress and a page of ended runs, or a page of deliveries."""
    list_name = visit.choose("list", _LISTS, _ENDED, "list")
    tenant, after = visit.tenant, visit.mark
    values: dict[str, Any] = {"lists": _LISTS, "chosen": list_name}
    if list_name == _SHOWN:
        shown = tenant.deliveries(after=after, limit=_ROWS)
        values["next"] = mark_text(shown.next)
        values["rows"] = [one._replace(query=clip(one.query, _CALL)) for one in shown.rows]
    else:
        filters = {name: visit.query(name) for name in ("text", "met", "person")}
        past = tenant.ended_runs(**filters, after=after, limit=_ROWS)
        is_chosen = after or any(filters.values())
        values["at_work"] = [] if is_chosen else [_working(*run) for run in tenant.runs()]
        values |= {"rows": list(map(describe_ended, past.rows)), "next": mark_text(past.next)}
    return View("runs.html", "Runs", values)


def _working(name: str, at: datetime, run: RunSoFar) -> dict[str, Any]:
    """A run in progress, in the list."""
    return {
        "name": name,
        "at": at,
        "task": clip(one_line(run.task), _TASK),
        "steps": max(run.made, len(run.steps)),
        "failed": sum(step.failed for step in run.steps),
        "shown": len(run.shown),
        "agent": "",
        "project": "",
        **(run.by or Author())._asdict(),
        "seconds": at.timestamp() - run.begun if run.begun else None,
    }


def describe_ended(run: EndedRun) -> dict[str, Any]:
    """An ended run, in the list."""
    return pick(
        run,
        "begun outcome failed kinds person machine",
        name=run.id,
        at=run.ended,
        task=clip(one_line(run.task), _TASK),
        steps=run.made,
        shown=run.told,
        seconds=(run.ended - run.begun).total_seconds(),
        **place_of(run.scope),
    )


@routes.page("/runs/{name}")
def run(visit: Visit) -> View:
    """The timeline of one run, in progress or ended."""
    for name, at, run in visit.tenant.runs():
        if name == visit.id:
            return _run_view({**_working(name, at, run), "outcome": "", "kinds": []}, run)
    past = visit.tenant.ended_run(visit.id)
    return _run_view(describe_ended(past), past)


def _run_view(facts: dict[str, Any], run: RunSoFar | EndedRun) -> View:
    """The steps in order; before each, what the run was shown."""
    rows: list[dict[str, Any]] = []
    for number, event in wording.events(run):
        if isinstance(event, Step):
            call, output = clip(event.args, _CALL), clip(event.output.strip(), _OUTPUT)
            step = pick(event, "tool failed", call=call, output=output, number=number)
            rows.append({"step": step})
        else:
            rows.append({"shown": pick(event, "door lessons text")})
    values = {**facts, "task": run.task, "timeline": rows, "is_cut": run.made > len(run.steps)}
    return View("run.html", "Run", values)


@routes.page("/queue")
def queue(visit: Visit) -> View:
    """The current state of the queue."""
    counts, worker = visit.hw.queue.status()
    is_long = counts.pending > _READ
    waiting = [] if is_long else visit.own_jobs(visit.hw.queue.waiting())
    dead = list(_dead(visit, visit.query("text")))
    running = {job_row[0]: job_row for job_row in worker.get("running", ())}
    fresh = [job for job in waiting if not job.last_error and job.id not in running]
    values = {
        "pending": len(waiting),
        "is_long": is_long,
        "read_at_most": _READ,
        "dead_count": len(dead),
        "worker": {name: value for name, value in worker.items() if name in _WORKER},
        "rate": _rate(worker),
        "in_flight": [
            {**_row(job), "since": running[job.id][3]} for job in waiting if job.id in running
        ],
        "retries": [_row(job) for job in wording.retries(waiting)[:_ROWS]],
        "waiting": [_row(job) for job in fresh[:_ROWS]],
        "dead": [_row(job) for job in reversed(dead)][:_ROWS],
    }
    return View("queue.html", "Queue", values)


def _rate(worker: WorkerStatus) -> float | None:
    """Jobs per minute that the worker has ended since it began; None if unknown."""
    if not worker.get("began"):
        return None
    worked = datetime.fromisoformat(worker["at"]) - datetime.fromisoformat(worker["began"])
    ended = worker["done"] + worker["retried"] + worker["buried"]
    minutes = worked.total_seconds() / 60
    return round(ended / minutes, 1) if minutes else None


def _row(job: Job) -> dict[str, Any]:
    """A job in a list."""
    return pick(
        job,
        "id trigger attempts due",
        task=clip(one_line(job.episode.task), _TASK),
        enqueued=job.enqueued_at,
        error=clip(job.last_error, _ERROR),
        **place_of(job.episode.scope),
    )


def _dead(visit: Visit, text: str) -> Iterable[Job]:
    wanted = text.strip().lower()
    for job in visit.own_jobs(visit.hw.queue.dead()):
        if wanted in f"{job.id} {job.episode.task} {job.last_error}".lower():
            yield job


@routes.action("/queue/retry", "/queue/purge")
def move(visit: Visit) -> str:
    """Retry or purge the ticked dead letters, or all that match; only those the viewer may see."""
    ticked, is_all = set(visit.fields("id")), bool(visit.field("all"))
    ids = [job.id for job in _dead(visit, visit.field("text")) if is_all or job.id in ticked]
    is_retry = visit.act == "retry"
    (visit.hw.queue.revive if is_retry else visit.hw.queue.purge)(*ids)
    return visit.redirect(f"{'retried' if is_retry else 'purged'}:{len(ids)}")


@routes.page("/dreams", right=Right.DREAMS)
def dreams(visit: Visit) -> View:
    """The latest dreams of all agents."""
    found = [dream for agent in visit.agents for dream in agent.dreams.list(limit=_ROWS)]
    found.sort(key=lambda dream: dream.started_at, reverse=True)
    return View("dreams.html", "Dreams", {"rows": found[:_ROWS]})


@routes.page("/dreams/{dream}", right=Right.DREAMS)
def dream(visit: Visit) -> View:
    """One dream with its report and its changes."""
    agent, dream = _find_dream(visit)
    changes = agent.dreams.changes(dream.id)
    values = {
        "dream": dream,
        "changes": changes,
        "can_undo": bool(changes) and dream.state in (DreamState.DONE, DreamState.WOKEN),
    }
    return View("dream.html", f"Dream {dream.id[:8]}", values)


def _find(visit: Visit, kind: str, get: Callable[[Agent], T]) -> tuple[Agent, T]:
    """What the path names, and the agent whose it is."""
    for agent in visit.agents:
        with suppress(NotFound):
            return agent, get(agent)
    raise NotFound(kind, visit.id)


def _find_dream(visit: Visit) -> tuple[Agent, Dream]:
    return _find(visit, "dream", lambda agent: agent.dreams.get(visit.id))


@routes.action("/dreams/{dream}/undo", right=Right.UNDO_DREAMS)
def undo_dream(visit: Visit) -> str:
    """Undo a dream."""
    agent, dream = _find_dream(visit)
    _, restored, _ = agent.dreams.undo(dream.id)
    return visit.redirect(f"dream:{restored}", page=visit.own_page)


@routes.page("/loops")
def loops(visit: Visit) -> View:
    """The newest loops of all agents."""
    states = [state for agent in visit.agents for state in agent.loops.list(limit=_ROWS)]
    states.sort(key=lambda state: state.created_at, reverse=True)
    return View("loops.html", "Loops", {"rows": [_loop_row(state) for state in states[:_ROWS]]})


def _loop_row(state: LoopState) -> dict[str, Any]:
    return {
        "id": state.loop_id,
        "task": clip(one_line(state.task), _TASK),
        "status": "passed" if state.passed else state.status,
        "trials": len(state.trials),
        "rewards": [trial.reward for trial in state.trials],
        "at": state.created_at,
        **place_of(state.scope),
    }


@routes.page("/loops/{loop}")
def loop(visit: Visit) -> View:
    """One loop with its trials and their lessons."""
    _, state = _find(visit, "loop", lambda agent: agent.loops.get(visit.id))
    values = {
        "loop_": _loop_row(state) | {"task": state.task, "reason": state.reason},
        "trials": state.trials,
    }
    return View("loop.html", "Loop", values)
