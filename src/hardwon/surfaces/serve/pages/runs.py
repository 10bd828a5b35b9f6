"""Runs in progress and ended, step by step with what each was shown."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.run import Author, EndedRun, RunSoFar, Step, timeline
from hardwon.surfaces.serve.pages.views import Routes, View, Visit, mark_text, pick, place_of

_ENDED, _SHOWN = "ended", "shown"
_LISTS = {_ENDED: "runs", _SHOWN: "what was shown"}
_ROWS = 50
_TASK, _CALL, _OUTPUT = 200, 2_000, 1_500  # characters


routes = Routes()


@routes.page("/runs")
def runs(visit: Visit) -> View:
    """The runs in progress and a page of ended runs, or a page of deliveries."""
    list_name = visit.choose("list", _LISTS, _ENDED, "list")
    tenant, after = visit.tenant, visit.mark
    values: dict[str, Any] = {"lists": _LISTS, "chosen": list_name}
    if list_name == _SHOWN:
        shown = tenant.deliveries(after=after, limit=_ROWS)
        names = "id door lessons outcome tokens micros at"
        values["next"] = mark_text(shown.next)
        values["rows"] = [
            pick(one, names, query=clip(one.query, _CALL), **place_of(one.scope))
            for one in shown.rows
        ]
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
    number = max(0, run.made - len(run.steps))  # of the oldest steps, which are forgotten
    rows: list[dict[str, Any]] = []
    for event in timeline(run.steps, run.shown):
        if isinstance(event, Step):
            number += 1
            call, output = clip(event.args, _CALL), clip(event.output.strip(), _OUTPUT)
            step = pick(event, "tool failed", call=call, output=output, number=number)
            rows.append({"step": step})
        else:
            rows.append({"shown": pick(event, "door lessons text")})
    values = {**facts, "task": run.task, "timeline": rows, "is_cut": run.made > len(run.steps)}
    return View("run.html", "Run", values)
