"""Runs in progress and ended, step by step with what each was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.run import Author, EndedRun, RunSoFar, Shown, Step, timeline
from hardwon.surfaces.serve.pages.addresses import mark_of, mark_text, tenant_of
from hardwon.surfaces.serve.pages.views import View, page
from hardwon.surfaces.serve.requests import Problem

if TYPE_CHECKING:
    from datetime import datetime

    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Delivery

ENDED, SHOWN = "ended", "shown"
LISTS = {ENDED: "runs", SHOWN: "what was shown"}
_ROWS = 50
_TASK, _CALL, _OUTPUT = 200, 2_000, 1_500  # characters


def routes() -> list[Route]:
    """All runs, and one of them."""
    return [*page("/runs", runs), *page("/runs/{name}", run, name="runs")]


def runs(request: Request) -> View:
    """The runs in progress and a page of ended runs, or a page of deliveries."""
    list_name = request.query_params.get("list") or ENDED
    if list_name not in LISTS:
        raise Problem(400, f"no such list: {list_name!r}; one of {', '.join(LISTS)}")
    tenant, after = tenant_of(request), mark_of(request)
    values: dict[str, Any] = {"lists": LISTS, "chosen": list_name}
    if list_name == SHOWN:
        shown = tenant.deliveries(after=after, limit=_ROWS)
        values |= {
            "rows": [delivery_values(delivery) for delivery in shown.rows],
            "next": mark_text(shown.next),
        }
    else:
        filters = {name: request.query_params.get(name, "") for name in ("text", "met", "person")}
        past = tenant.ended_runs(**filters, after=after, limit=_ROWS)
        is_chosen = after or any(filters.values())
        at_work = [] if is_chosen else [working(*run) for run in tenant.runs()]
        values |= {"at_work": at_work, "rows": [describe_ended(run) for run in past.rows]}
        values["next"] = mark_text(past.next)
    return View("runs.html", "Runs", values)


def working(name: str, at: datetime, run: RunSoFar) -> dict[str, Any]:
    """A run in progress, in the list."""
    return {
        "name": name,
        "at": at.isoformat(),
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
    return {
        "name": run.id,
        "at": run.ended.isoformat(),
        "begun": run.begun.isoformat(),
        "task": clip(one_line(run.task), _TASK),
        "agent": run.scope.agent,
        "project": run.scope.project or "",
        "outcome": run.outcome,
        "steps": run.made,
        "failed": run.failed,
        "shown": run.told,
        "kinds": list(run.kinds),
        "person": run.person,
        "machine": run.machine,
        "seconds": (run.ended - run.begun).total_seconds(),
    }


def delivery_values(delivery: Delivery) -> dict[str, Any]:
    """One delivery."""
    return {
        "id": delivery.id,
        "door": delivery.door,
        "query": clip(delivery.query, _CALL),
        "lessons": list(delivery.lessons),
        "outcome": delivery.outcome,
        "tokens": delivery.tokens,
        "micros": delivery.micros,
        "at": delivery.at.isoformat(),
        "agent": delivery.scope.agent,
        "project": delivery.scope.project or "",
    }


def run(request: Request) -> View:
    """The timeline of one run, in progress or ended."""
    tenant, wanted = tenant_of(request), request.path_params["name"]
    for name, at, run in tenant.runs():
        if name == wanted:
            facts = {**working(name, at, run), "outcome": "", "kinds": []}
            return _run_view(facts, run)
    past = tenant.ended_run(wanted)
    return _run_view(describe_ended(past), past)


def _run_view(facts: dict[str, Any], run: RunSoFar | EndedRun) -> View:
    rows = timeline_rows(run)
    values = {**facts, "task": run.task, "timeline": rows, "is_cut": run.made > len(run.steps)}
    return View("run.html", "Run", values)


def timeline_rows(run: RunSoFar | EndedRun) -> list[dict[str, Any]]:
    """The steps in order; before each, what the run was shown."""
    forgotten = max(0, run.made - len(run.steps))  # the oldest steps
    rows: list[dict[str, Any]] = []
    for event in timeline(run.steps, run.shown):
        if isinstance(event, Step):
            number = forgotten + sum("step" in row for row in rows) + 1
            rows.append({"step": _step(event, number)})
        else:
            rows.append({"shown": _shown_values(event)})
    return rows


def _step(step: Step, number: int) -> dict[str, Any]:
    return {
        "tool": step.tool,
        "call": clip(step.args, _CALL),
        "output": clip(step.output.strip(), _OUTPUT),
        "failed": step.failed,
        "number": number,
    }


def _shown_values(shown: Shown) -> dict[str, Any]:
    return {"door": shown.door, "lessons": list(shown.lessons), "text": shown.text}
