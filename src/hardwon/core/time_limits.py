"""Limits of time: waits in an agent's turn, calls that may hang, calls in the background."""

from __future__ import annotations

import queue
import threading
import time
from _thread import _local
from collections.abc import Callable, Coroutine
from contextlib import suppress
from time import monotonic
from typing import Any, Generic, TypeVar

from hardwon.core.errors import Unavailable

T = TypeVar("T")
_mine = _local()


class WaitBudget:
    """`with WaitBudget(0.08):` all waits of this thread for servers take at most 80 ms together.

    With `tell` an error only ends the block, and is told.
    """

    def __init__(self, seconds: float, tell: Callable[[BaseException], None] | None = None) -> None:
        self._seconds = seconds
        self._tell = tell

    def __enter__(self) -> None:
        self._before = time_left()
        _mine.left = self._seconds if self._before is None else min(self._before, self._seconds)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        _mine.left = self._before
        if self._tell is None or not isinstance(error, Exception):
            return False
        with suppress(Exception):  # a listener of the program must not end its turn
            self._tell(error)
        return True


def time_left() -> float | None:
    """Seconds that this thread may still wait; None without a limit."""
    seconds: float | None = getattr(_mine, "left", None)
    return seconds


def spend(seconds: float) -> None:
    """Note how long this thread has waited."""
    before = time_left()
    if before is not None:
        _mine.left = max(0.0, before - seconds)


class Waiting:
    """`with waiting() as limit:` counts the block as waiting; `limit` is how long it may take."""

    def __enter__(self) -> float | None:
        self._began = monotonic()
        return time_left()

    def __exit__(self, *_: object) -> None:
        spend(monotonic() - self._began)


_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 1.0  # seconds without another try after one failed


class TimeLimit:
    """Runs calls that may hang. After a failure, calls fail at once for a short time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = 0.0
        self._pause = _FIRST_PAUSE
        self._stuck: list[threading.Thread] = []

    def run(self, call: Callable[[], T]) -> T:
        """The result of the call; raises Unavailable when the time is up."""
        self._stuck = [thread for thread in self._stuck if thread.is_alive()]
        if self._stuck or time.monotonic() < self._until:
            raise Unavailable("still unreachable; not tried again yet")
        is_well = False
        try:
            result = self._in_thread(call)
            is_well = True
            self._pause = _FIRST_PAUSE
            return result
        finally:
            if not is_well:
                self._until = time.monotonic() + self._pause
                self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def _in_thread(self, call: Callable[[], T]) -> T:
        results: list[T] = []
        errors: list[Exception] = []

        def run() -> None:
            try:
                results.append(call())
            except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
                errors.append(error)

        thread = threading.Thread(target=run, daemon=True, name="hardwon-wait")
        thread.start()
        thread.join(self.seconds)
        if results:
            return results[0]
        if errors:
            raise errors[0]
        self._stuck.append(thread)
        raise Unavailable(f"no answer within {self.seconds * 1000:.0f} ms")


_NAME = "hardwon-background"
_MOST = 256  # waiting calls; further ones are dropped while a server is unavailable


class BackgroundCalls:
    """A thread that starts with its first call and ends with the process."""

    def __init__(self, trouble: Callable[[BaseException], None]) -> None:
        self._trouble = trouble
        self._calls: queue.Queue[_Call[Any]] = queue.Queue(_MOST)
        self._thread: threading.Thread | None = None

    def run(self, call: Callable[[], T], otherwise: T) -> T:
        """The result of the call, or `otherwise` if it takes longer than the caller may wait."""
        waiting: _Call[T] = _Call(call, otherwise)
        try:
            self._calls.put_nowait(waiting)
        except queue.Full as error:
            self._trouble(error)
            return otherwise
        self._ensure_running()
        with Waiting() as limit:
            waiting.is_done.wait(limit)
        return waiting.result

    def flush(self, limit: float) -> bool:
        """Wait at most `limit` seconds until all calls have run; returns whether they have."""
        if self._thread is None:
            return True
        last: _Call[None] = _Call(lambda: None, None)
        try:
            self._calls.put(last, timeout=limit)
        except queue.Full:
            return False
        self._ensure_running()
        return last.is_done.wait(limit)

    def _ensure_running(self) -> None:
        if self._thread is None or not self._thread.is_alive():  # threads do not survive a fork
            self._thread = threading.Thread(target=self._work, daemon=True, name=_NAME)
            self._thread.start()

    def _work(self) -> None:
        while True:
            task = self._calls.get()
            try:
                task.result = task.call()
            except Exception as error:  # noqa: BLE001 - its caller may no longer wait
                self._trouble(error)
            task.is_done.set()


class _Call(Generic[T]):
    def __init__(self, call: Callable[[], T], otherwise: T) -> None:
        self.call = call
        self.result = otherwise
        self.is_done = threading.Event()


def run_sync(start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine; also works for callers inside a running event loop."""
    import asyncio  # takes long to import; a hook seldom needs it
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(lambda: asyncio.run(start())).result()
