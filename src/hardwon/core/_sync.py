"""Run coroutines from synchronous code."""

from __future__ import annotations

import asyncio
from concurrent import futures
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


T = TypeVar("T")


def run_sync(start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine; also works for callers inside a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    with futures.ThreadPoolExecutor(1) as executor:
        return executor.submit(lambda: asyncio.run(start())).result()
