"""Threads for blocking calls, so that the event loop never waits for the disk."""

from __future__ import annotations

import asyncio
from collections import deque
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Future = asyncio.Future[Any]

T = TypeVar("T")


class ThreadPool:
    """`count` threads. Results that are ready at the same time wake the event loop once.

    `loop.run_in_executor` wakes it for each, which costs more than many doors take.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._calls: SimpleQueue[tuple[Future, Callable[..., Any], tuple[Any, ...]] | None]
        self._calls = SimpleQueue()
        self._done: deque[tuple[Future, Any, BaseException | None]] = deque()
        self._is_woken = False  # the event loop has been told about `_done`
        self._threads: list[Thread] = []

    async def run(self, call: Callable[..., T], *values: Any) -> T:
        """The result of the call, run in one of the threads."""
        loop = asyncio.get_running_loop()
        if not self._threads:
            self._begin(loop)
        future: asyncio.Future[T] = loop.create_future()
        self._calls.put((future, call, values))
        return await future

    def close(self) -> None:
        """End the threads after all pending calls."""
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()
        self._threads = []

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        for number in range(self._count):
            name = f"{self._name}-{number}"
            thread = Thread(target=self._work, args=(loop,), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while (item := self._calls.get()) is not None:
            future, call, values = item
            if future.cancelled():
                continue
            try:
                self._done.append((future, call(*values), None))
            except BaseException as error:  # noqa: BLE001 - raised in the caller
                self._done.append((future, None, error))
            if not (self._is_woken or loop.is_closed()):
                self._is_woken = True
                loop.call_soon_threadsafe(self._hand_over)

    def _hand_over(self) -> None:
        self._is_woken = False  # first: results from now on wake the loop again
        while self._done:
            future, value, error = self._done.popleft()
            if future.done():
                continue
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)
