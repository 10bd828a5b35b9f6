"""The overview, what models cost, and the stream that keeps pages up to date."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import date, timedelta
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from hardwon.api.operations import Right
from hardwon.core import settings_file
from hardwon.core.values.lesson import Status
from hardwon.core.values.report import FailureKind, Report
from hardwon.knowledge.proof.effect import OFF
from hardwon.surfaces import wording
from hardwon.surfaces.serve.pages.views import Routes, View, Visit, pick
from hardwon.surfaces.serve.requests import Problem, needs

_KEPT = 100  # reports
_PERIODS = ("7", "30", "90")  # days
_DAYS = 30  # of the page of costs
_SPENT = ("money", "tokens", "calls")


routes = Routes()


@routes.page("/")
def overview(visit: Visit) -> View:
    """The figures of the report, and what waits for a person."""
    tenant, since = visit.tenant, period(visit)
    key = (tenant.place, since)
    report = visit.state.reports.get(key, lambda: tenant.report(since=since))
    if report is None:
        return View("counting.html", "Does it help?", {"is_counting": True})
    counts = {state.status: state.total for state in report.lessons}
    waits = {
        "held back": counts.get(Status.QUARANTINED, 0),
        "candidates": counts.get(Status.CANDIDATE, 0),
        "without a fix": counts.get(Status.SEEN, 0),
        "dead": len(visit.own_jobs(visit.hw.queue.dead())),
    }
    days = wording.days(report)
    first, seen = report.window.since.date(), report.observed
    values = pick(
        report,
        "shown tokens proof",
        waits=waits,
        is_new=not (report.met or report.lessons),
        place=wording.place(report),
        period=wording.period(report),
        days=days,
        labels=[wording.day(first + timedelta(days=at)) for at in range(len(days))],
        prevented=seen.told - seen.followed - seen.failed,
        followed=seen.followed,
        failed=seen.failed,
        saving=wording.saving(report),
        is_unproven=report.proof == OFF,
        met=sum(days),
        quiet=wording.span(report.quiet),
        kinds=[_kind(report, failure) for failure in report.failures],
        stopped=[_kind(report, failure) for failure in report.stopped],
        lessons=[[state.status, state.total, state.new] for state, _ in wording.states(report)],
        doors=[[door, report.outcomes(door)] for door in report.doors],
        unsolved=[[failure.lesson, failure.text, failure.met] for failure in report.unsolved],
        verdicts=[wording.describe_verdict(verdict) for verdict in report.verdicts],
        saved=wording.savings(report),
    )
    return View("overview.html", "Does it help?", values)


class Reports:
    """Reports that take long are made beside the pages: a page waits for none longer than this."""

    _PATIENCE = 0.15  # seconds
    _REST = 20  # one that took longer is not made again for so many times as long

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[object, tuple[Report, float]] = {}  # and until when it is used
        self._begun: dict[object, threading.Thread] = {}

    def get(self, key: object, make: Callable[[], Report]) -> Report | None:
        """The report, or the one before while it is made; None if there is none yet."""
        with self._lock:
            known, until = self._made.get(key, (None, 0.0))
            if known is not None and time.monotonic() < until:
                return known
            thread = self._begun.get(key)
            if thread is None:
                thread = threading.Thread(target=self._make, args=(key, make), daemon=True)
                self._begun[key] = thread
                thread.start()
        thread.join(self._PATIENCE)
        with self._lock:
            return self._made.get(key, (None, 0.0))[0]

    def _make(self, key: object, make: Callable[[], Report]) -> None:
        begun = time.monotonic()
        try:
            report, now = make(), time.monotonic()
            rest = self._REST * (now - begun) if now - begun > self._PATIENCE else 0.0
            with self._lock:
                self._made[key] = report, now + rest
                for old in list(self._made)[:-_KEPT]:
                    del self._made[old]
        except Exception:
            logging.getLogger("hardwon").exception("a report could not be made")
        finally:
            with self._lock:
                del self._begun[key]


@routes.action("/proof", right=Right.OWNER)
def measure(visit: Visit) -> str:
    """Turn the hold-out on: for hooks at once, for this server at its next start."""
    settings_file.set_setting(visit.hw.settings.home, "proof.share", "0.1")
    return visit.redirect("proof")


def period(visit: Visit) -> timedelta:
    """The period of the report."""
    return timedelta(days=int(visit.choose("since", _PERIODS, "30", "time")))


def _kind(report: Report, kind: FailureKind) -> dict[str, Any]:
    return pick(kind, "kind text met last", days=wording.spread(report, kind.days))


@routes.page("/spend", right=Right.COSTS)
def spend(visit: Visit) -> View:
    """The last thirty days by day and model, and the calls of every day for the chart."""
    rows = visit.hw.tenant(visit.principal.tenant).spent(_DAYS)
    today = date.today()  # noqa: DTZ011
    days = [today - timedelta(days=ago) for ago in reversed(range(_DAYS))]
    calls = Counter[str]()
    for day, _, spent in rows:
        calls[day] += spent.calls
    values = {
        "rows": [{"day": day, "model": model, **spent._asdict()} for day, model, spent in rows],
        "days": [calls[day.isoformat()] for day in days],
        "labels": [wording.day(day) for day in days],
        **{name: sum(getattr(one, name) for _, _, one in rows) for name in _SPENT},
        "limits": pick(visit.hw.settings.budget, "calls tokens money"),
        "model": visit.hw.model,
    }
    return View("spend.html", "Spend", values)


_PAUSE, _LONGEST = 2.0, 10.0  # seconds between two checks
_SHARE = 40  # the pause is at least this many times the length of a check
_LOOKS = 150  # checks after which the browser reconnects
_QUIET = 8  # checks without a change after which a comment keeps the connection open


@needs(Right.READ)
async def stream_events(request: Request) -> Response:
    """A stream of server-sent events; the browser reconnects when it ends."""
    return StreamingResponse(_stream(request), media_type="text/event-stream")


routes.append(Route("/events", stream_events))


async def _stream(request: Request) -> AsyncIterator[str]:
    previous, took = await _time_look(request)
    yield "retry: 2000\n\n"
    for number in range(1, _LOOKS):
        await asyncio.sleep(min(_LONGEST, max(_PAUSE, _SHARE * took)))
        if request.app.state.is_ending() or await request.is_disconnected():
            return
        if not await _is_still_admitted(request):
            return
        state, took = await _time_look(request)
        if state != previous:
            yield "event: changed\ndata: \n\n"
        elif number % _QUIET == 0:
            yield ": nothing new\n\n"
        previous = state


async def _is_still_admitted(request: Request) -> bool:
    """Whether the key or the login still opens the page: it may have been revoked meanwhile."""
    try:
        principal, _ = await request.state.ask_again()
    except Problem:
        return False
    return principal is not None


async def _time_look(request: Request) -> tuple[object, float]:
    """A value that changes whenever a page would change, and the seconds it took to read."""

    def look() -> object:
        visit = Visit(request)
        counts, worker = visit.hw.queue.status()
        running = [job[0] for job in worker.get("running", ())]
        newest = visit.tenant.lessons(limit=1).rows, visit.tenant.deliveries(limit=1).rows
        return visit.tenant.counts(), newest, counts, running, len(visit.tenant.runs())

    begun = time.monotonic()
    state = await run_in_threadpool(look)
    return state, time.monotonic() - begun
