"""Background calls that an agent's turn need not wait for, run one by one in a thread."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

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
