"""Review: the lessons that wait for a person, one at a time, with evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import Status
from hardwon.surfaces.serve.pages import story
from hardwon.surfaces.serve.pages.addresses import mark_of, tenant_of, written
from hardwon.surfaces.serve.pages.lesson import described
from hardwon.surfaces.serve.pages.lessons import row
from hardwon.surfaces.serve.pages.views import View
from hardwon.surfaces.serve.requests import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

_QUEUED = 25  # lessons listed next to the one that is open
REVIEWED = (Status.QUARANTINED, Status.CANDIDATE)


def review(request: Request) -> View:
    """The lesson at a position in the list of waiting lessons."""
    tenant = tenant_of(request)
    counts = tenant.counts()
    first = REVIEWED[0] if counts.get(REVIEWED[0]) else REVIEWED[1]
    status = request.query_params.get("status") or first
    if status not in REVIEWED:
        raise Problem(400, f"no such list: {status!r}; one of {', '.join(REVIEWED)}")
    page = tenant.lessons(status=status, after=mark_of(request), limit=_QUEUED)
    at = min(_position(request), max(len(page.rows) - 1, 0))
    chosen = page.rows[at] if page.rows else None
    values = {
        "status": status,
        "counts": {name: counts.get(name, 0) for name in REVIEWED},
        "rows": [row(lesson) for lesson in page.rows],
        "at": at,
        "next": written(page.next),
        "lesson": described(chosen) if chosen else None,
        "cases": story.cases(chosen) if chosen else [],
        "fixes": story.fixes(chosen) if chosen else [],
        "provenance": story.provenance(chosen) if chosen else [],
    }
    return View("review.html", "Review", values)


def _position(request: Request) -> int:
    text = request.query_params.get("at", "0")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
