"""Runs: the steps of a run at work with what it was shown when, and what was shown lately."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.errors import NotFound
from hardwon.surfaces.serve.pages.addresses import mark_of, tenant_of, written
from hardwon.surfaces.serve.pages.views import View, page
from hardwon.text.clean import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Delivery
    from hardwon.values.run import RunSoFar

_ROWS = 50
_REMEMBERED = 1_000  # deliveries among which those of a run are looked for
_TASK, _CALL, _OUTPUT = 200, 2_000, 1_500  # characters


def routes() -> list[Route]:
    """All runs at work, and one of them."""
    return [*page("/runs", runs), *page("/runs/{name}", run, name="runs")]


def runs(request: Request) -> View:
    """The runs at work, and the latest deliveries."""
    tenant = tenant_of(request)
    at_work = [
        {
            "name": name,
            "at": at.isoformat(),
            "task": clip(one_line(run.task), _TASK),
            "steps": len(run.steps),
            "failed": sum(step.failed for step in run.steps),
            "shown": len(run.shown),
        }
        for name, at, run in tenant.runs()
    ]
    found = tenant.deliveries(after=mark_of(request), limit=_ROWS)
    rows = [delivered(one) for one in found.rows]
    return View(
        "runs.html", "Runs", {"at_work": at_work, "rows": rows, "next": written(found.next)}
    )


def delivered(one: Delivery) -> dict[str, Any]:
    """One delivery."""
    return {
        "id": one.id,
        "door": one.door,
        "query": clip(one.query, _CALL),
        "lessons": list(one.lessons),
        "outcome": one.outcome,
        "tokens": one.tokens,
        "micros": one.micros,
        "at": one.at.isoformat(),
        "agent": one.scope.agent,
        "project": one.scope.project or "",
    }


def run(request: Request) -> View:
    """One run as a line of time."""
    tenant, wanted = tenant_of(request), request.path_params["name"]
    for name, at, found in tenant.runs():
        if name == wanted:
            logged = {one.id: one for one in tenant.deliveries(limit=_REMEMBERED).rows}
            values = {
                "name": name,
                "at": at.isoformat(),
                "task": found.task,
                "timeline": timeline(found, logged),
            }
            return View("run.html", "Run", values)
    raise NotFound("run at work", wanted)


def timeline(run: RunSoFar, logged: Mapping[str, Delivery]) -> list[dict[str, Any]]:
    """Steps in their order, and before each what the run was shown then."""
    shown: dict[int, list[dict[str, Any]]] = {}
    for one in run.shown:
        known = logged.get(one.delivery)
        told = {"door": one.door, "lessons": list(known.lessons) if known else []}
        shown.setdefault(max(0, len(run.steps) - one.after), []).append(told)
    rows: list[dict[str, Any]] = []
    for at, step in enumerate(run.steps):
        rows += [{"shown": one} for one in shown.get(at, ())]
        output = clip(step.output.strip(), _OUTPUT) if step.failed else ""
        call = {"tool": step.tool, "call": clip(step.args, _CALL)}
        rows.append({"step": {**call, "output": output, "failed": step.failed, "number": at + 1}})
    return rows + [{"shown": one} for one in shown.get(len(run.steps), ())]
