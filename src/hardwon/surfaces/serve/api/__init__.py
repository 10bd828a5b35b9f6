"""The HTTP API: one table of verbs per subject; `openapi.json` describes them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.surfaces.serve.api import doors, learning, lessons, operations, queue, reports, verbs

if TYPE_CHECKING:
    from starlette.routing import Route

VERBS = (
    *doors.VERBS,
    *lessons.VERBS,
    *queue.VERBS,
    *reports.VERBS,
    *learning.VERBS,
    *operations.VERBS,
)


def routes() -> list[Route]:
    """The routes of the whole API."""
    return verbs.routes(VERBS)
