"""Overview: recurring and stopped failures, lessons, deliveries, and whether they helped."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from hardwon.core.values.lesson import Status
from hardwon.surfaces.presentation import wording
from hardwon.surfaces.serve.pages import story
from hardwon.surfaces.serve.pages.addresses import hw_of, tenant_of
from hardwon.surfaces.serve.pages.views import View
from hardwon.surfaces.serve.requests import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

    from hardwon.core.values.report import FailureKind, Report

PERIODS = {"7": "7 days", "30": "30 days", "90": "90 days"}


def overview(request: Request) -> View:
    """The figures of the report, and what waits for a person."""
    tenant = tenant_of(request)
    report = tenant.report(since=period(request))
    dead = sum(tenant.place.covers(job.episode.scope) for job in hw_of(request).queue.dead())
    waits = waiting({state.status: state.total for state in report.lessons}, dead)
    values = {**figures(report), "waits": waits, "is_new": not (report.met or report.lessons)}
    return View("overview.html", "Overview", values)


def period(request: Request) -> timedelta:
    """The period of the report."""
    days = request.query_params.get("since") or "30"
    if days not in PERIODS:
        raise Problem(400, f"no such time: {days!r}; one of {', '.join(PERIODS)} days")
    return timedelta(days=int(days))


def figures(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    days = wording.days(report)
    first = report.window.since.date()
    return {
        "place": wording.place(report),
        "period": wording.period(report),
        "days": days,
        "labels": [wording.day(first + timedelta(days=at)) for at in range(len(days))],
        "met": sum(days),
        "quiet": wording.span(report.quiet),
        "kinds": [_kind(report, failure) for failure in report.failures],
        "stopped": [_kind(report, failure) for failure in report.stopped],
        "lessons": [[state.status, state.total, state.new] for state, _ in wording.states(report)],
        "shown": report.shown,
        "tokens": report.tokens,
        "doors": [[door, report.outcomes(door)] for door in report.doors],
        "unsolved": [[failure.lesson, failure.text, failure.met] for failure in report.unsolved],
        "verdicts": [story.verdict(verdict) for verdict in report.verdicts],
        "saved": wording.savings(report),
        "proof": report.proof,
    }


def _kind(report: Report, kind: FailureKind) -> dict[str, Any]:
    return {
        "text": kind.text,
        "met": kind.met,
        "last": kind.last.isoformat(),
        "days": wording.spread(report, kind.days),
    }


def waiting(counts: dict[str, int], dead: int) -> dict[str, int]:
    """How many items of each kind wait for a person."""
    return {
        "held back": counts.get(Status.QUARANTINED, 0),
        "candidates": counts.get(Status.CANDIDATE, 0),
        "without a fix": counts.get(Status.SEEN, 0),
        "dead": dead,
    }
