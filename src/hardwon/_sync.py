"""From coroutines to plain calls."""

from __future__ import annotations

from hardwon._cold.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine
    from concurrent import futures
    from typing import Any, TypeVar

    T = TypeVar("T")
else:
    asyncio, futures = lazy("asyncio"), lazy("concurrent.futures")


def run_sync(start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, also for callers that are inside an event loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    with futures.ThreadPoolExecutor(1) as beside:
        return beside.submit(lambda: asyncio.run(start())).result()
