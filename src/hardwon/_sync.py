"""Run coroutines from synchronous code."""

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
    """The result of a coroutine; also works for callers inside a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    with futures.ThreadPoolExecutor(1) as executor:
        return executor.submit(lambda: asyncio.run(start())).result()
