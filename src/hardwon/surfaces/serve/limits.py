"""What a server allows and has answered: limits for one caller, threads and locks that keep callers
apart, and the log and metrics of requests.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import copy_context
from datetime import UTC, datetime
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple, TypeVar

from starlette.types import Scope

from hardwon.surfaces.serve.access import own_path

Future = asyncio.Future[Any]

T = TypeVar("T")
_BUCKETS = (0.005, 0.025, 0.1, 0.5, 1.0, 5.0)  # seconds
_MOST = 10_000  # callers whose rate is watched; the least recent is forgotten


class Limits(NamedTuple):
    """Limits of a server. Times are in seconds."""

    connections: int = 12_000  # at a time
    head: int = 64 << 10  # bytes of the first line and the header fields
    fields: int = 100  # header fields
    pipelined: int = 8  # requests of a connection that wait for the one before
    body: int = 1 << 20  # bytes
    pack: int = 32 << 20  # bytes of a pack that is imported
    form: int = 1000  # fields
    arrival: float = 10.0  # for the head of a request to arrive, and for its body
    answer: float = 30.0  # for an answer
    door: float = 1.0  # for a door, which then answers with nothing
    rate: float = 2000.0  # requests per second for each key
    logins: float = 5.0  # per second for each address
    threads: int = 8  # threads in each pool


class Buckets:
    """Token buckets: `rate` requests per second, and twice as many at once."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self.rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # tokens at a time

    def wait(self, name: str) -> float:
        """Take a token; 0.0 if there was one, else the seconds until the next."""
        now, full = self._clock(), 2 * self.rate
        tokens, since = self._left.pop(name, (full, now))
        tokens = min(full, tokens + (now - since) * self.rate)
        has_token = tokens >= 1.0
        self._left[name] = tokens - has_token, now
        if len(self._left) > _MOST:
            del self._left[next(iter(self._left))]
        return 0.0 if has_token else (1.0 - tokens) / self.rate


class NamedLocks:
    """`async with locks(name):` lets one task at a time into the block of a name."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def __call__(self, name: str) -> AsyncIterator[None]:
        lock, waiting = self._taken.get(name, (asyncio.Lock(), 0))
        self._taken[name] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._taken.pop(name)
            if waiting > 1:
                self._taken[name] = lock, waiting - 1


class ThreadPool:
    """`count` threads. Results that are ready at the same time wake the event loop once.

    `loop.run_in_executor` wakes it for each, which costs more than many doors take.
    """

    def __init__(self, count: int, name: str, *, keeps_context: bool = False) -> None:
        self._count = count
        self._keeps_context = keeps_context  # calls see the context variables of their caller
        self._name = name
        self._calls: SimpleQueue[tuple[Future, Callable[..., Any], tuple[Any, ...]] | None]
        self._calls = SimpleQueue()
        self._done: deque[tuple[Future, Any, BaseException | None]] = deque()
        self._is_woken = False  # the event loop has been told about `_done`
        self._threads: list[Thread] = []

    async def run(self, call: Callable[..., T], *values: Any) -> T:
        """The result of the call, run in one of the threads."""
        loop = asyncio.get_running_loop()
        while len(self._threads) < self._count:
            name = f"{self._name}-{len(self._threads)}"
            thread = Thread(target=self._work, args=(loop,), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)
        future: asyncio.Future[T] = loop.create_future()
        if self._keeps_context:
            call = partial(copy_context().run, call)
        self._calls.put((future, call, values))
        return await future

    def close(self) -> None:
        """End the threads after all pending calls."""
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()
        self._threads = []

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


class Traffic:
    """Counts requests; with `form` each is also one line of a log, on standard error."""

    def __init__(self, form: str = "") -> None:
        self._form = form
        self._lock = Lock()
        self._answers: Counter[tuple[str, str, str, int]] = Counter()
        self._times: Counter[tuple[str, str, float]] = Counter()
        self._seconds: Counter[tuple[str, str]] = Counter()

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request that was answered, and log it."""
        principal = scope["state"]["principal"]
        tenant, route = principal.tenant if principal else "", route_of(scope)
        with self._lock:
            self._answers[tenant, scope["method"], route, status] += 1
            self._seconds[tenant, route] += seconds  # type: ignore[assignment]
            self._times.update((tenant, route, limit) for limit in _BUCKETS if seconds <= limit)
        if not self._form:
            return
        fields = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "from": (scope.get("client") or ("-",))[0],
            "key": principal.key or "owner" if principal else "-",
            "method": scope["method"],
            "path": own_path(scope),
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        text = " ".join(ascii(str(value))[1:-1] for value in fields.values())
        line = json.dumps(fields) if self._form == "json" else text
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def exposition(self, tenant: str) -> bytes:
        """The counts of a tenant in the format of Prometheus."""
        with self._lock:
            answers = sorted(one for one in self._answers.items() if one[0][0] == tenant)
            times = sorted(one for one in self._seconds.items() if one[0][0] == tenant)
            totals, lines = Counter[str](), ["# TYPE hardwon_http_requests_total counter"]
            for (_, method, route, status), count in answers:
                totals[route] += count
                labels = f'method="{method}",route="{route}",status="{status}"'
                lines.append(f"hardwon_http_requests_total{{{labels}}} {count}")
            name = "hardwon_http_request_seconds"
            lines.append(f"# TYPE {name} histogram")
            for (_, route), seconds in times:
                counts = {str(limit): self._times[tenant, route, limit] for limit in _BUCKETS}
                for limit, count in (counts | {"+Inf": totals[route]}).items():
                    lines.append(f'{name}_bucket{{route="{route}",le="{limit}"}} {count}')
                lines.append(f'{name}_sum{{route="{route}"}} {seconds:.6f}')
                lines.append(f'{name}_count{{route="{route}"}} {totals[route]}')
        return "".join(f"{line}\n" for line in lines).encode()


def route_of(scope: Scope) -> str:
    """The path of the route; the values in it would make a metric for each lesson."""
    if "endpoint" not in scope:
        return "other"
    path = own_path(scope)
    if path.startswith("/static/"):
        return "/static"
    for name, value in (scope.get("path_params") or {}).items():
        path = path.replace(f"/{value}", f"/{{{name}}}", 1)
    return path
