"""Live pages: one stream per browser; it says that something changed, not what."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from hardwon.surfaces.serve.pages.addresses import hw_of, tenant_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request
    from starlette.responses import Response

_PAUSE, _LONGEST = 2.0, 10.0  # seconds between two checks
_SHARE = 40  # the pause is at least this many times the length of a check
_LOOKS = 150  # checks after which the browser reconnects
_QUIET = 8  # checks without a change after which a comment keeps the connection open


async def events(request: Request) -> Response:
    """A stream of server-sent events; the browser reconnects when it ends."""
    return StreamingResponse(
        _stream(request, lambda: _state(request)), media_type="text/event-stream"
    )


async def _stream(request: Request, look: Callable[[], object]) -> AsyncIterator[str]:
    previous, took = await _timed(look)
    yield "retry: 2000\n\n"
    for number in range(1, _LOOKS):
        await asyncio.sleep(min(_LONGEST, max(_PAUSE, _SHARE * took)))
        if request.app.state.is_ending() or await request.is_disconnected():
            return
        state, took = await _timed(look)
        if state != previous:
            yield "event: changed\ndata: \n\n"
        elif number % _QUIET == 0:
            yield ": nothing new\n\n"
        previous = state


async def _timed(look: Callable[[], object]) -> tuple[object, float]:
    """The state, and the seconds it took to read."""
    begun = time.monotonic()
    state = await run_in_threadpool(look)
    return state, time.monotonic() - begun


def _state(request: Request) -> object:
    """A value that changes whenever a page would change."""
    tenant = tenant_of(request)
    counts, worker = hw_of(request).queue.status()
    running = [job[0] for job in worker.get("running", ())]
    newest = tenant.lessons(limit=1).rows, tenant.deliveries(limit=1).rows
    return tenant.counts(), newest, counts, running, len(tenant.runs())
