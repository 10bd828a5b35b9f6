"""A server under load: bare answers, failed runs, both for long, and more than allowed.

    python -m bench load [--seconds 10] [--soak 60]

A failed run is acknowledged when its job is on disk. No worker takes the jobs, so that all that was
acknowledged can be counted. Under overload the server may answer 200 requests a second: it should
refuse the others at once.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

import hardwon
from bench.http_load import flood
from bench.serve import Server, served_copy
from bench.timing import at, table
from hardwon.storage.queues.files import FileQueue

_CALLERS, _RATE = 32, 200
_HEAD = ("what", "answers", "a second", "of one core", "p50 ms", "p99 ms", "note")


class Load(NamedTuple):
    """What callers got: seconds by status, and the processor time of the server."""

    seconds: float
    cpu: float
    each: list[tuple[int, float]]

    def row(self, name: str, note: str = "") -> tuple[str, ...]:
        count, times = len(self.each), [seconds for _, seconds in self.each]
        p50, p99 = (f"{1e3 * at(times, share):.1f}" for share in (0.5, 0.99))
        rates = (f"{count / max(span, 0.01):,.0f}" for span in (self.seconds, self.cpu))
        return name, f"{count:,}", *rates, p50, p99, note or str(dict(self.statuses))

    @property
    def statuses(self) -> Counter[int]:
        return Counter(status for status, _ in self.each)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("load", nargs="?")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--soak", type=float, default=60.0)
    given = parser.parse_args()
    with _server(1_000_000) as server:
        alive = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        before = server.cpu()
        bare = asyncio.run(flood(server.port, [alive], given.seconds))
        health = Load(bare.seconds, server.cpu() - before, [(200, one) for one in bare.each])
        rows = [_HEAD, health.row("/healthz")]
        jobs = _fail(server, given.seconds)
        rows.append(jobs.row("failed runs", _count(server, jobs)))
        size = server.megabytes()
        soak = _fail(server, given.soak, pause=2 * _CALLERS * jobs.seconds / len(jobs.each))
        rows.append(soak.row("… at half the rate", f"{server.megabytes() - size:+.1f} MB"))
    with _server(_RATE) as server:
        over = _fail(server, given.seconds, pause=_CALLERS / (5 * _RATE))
        rows.append(over.row("more than allowed", _count(server, over)))
        began = time.perf_counter()
        after = _fail(server, 1.0, callers=1, pause=0.1)
        took = f"{set(after.statuses)} within {time.perf_counter() - began:.1f} s"
        rows.append(after.row("… and then", took))
    table("A server under load", rows)


@contextmanager
def _server(rate: int) -> Iterator[Server]:
    """A server whose jobs no worker takes."""
    with tempfile.TemporaryDirectory() as folder:
        hardwon.open(folder).close()
        with served_copy(folder, rate=rate) as server:
            queue = FileQueue(str(server.home / "queue"))
            assert queue.hold()
            yield server
            queue.close()


def _fail(server: Server, seconds: float, *, callers: int = _CALLERS, pause: float = 0.0) -> Load:
    """End failed runs, each caller the next one after its pause."""
    end, each = time.monotonic() + seconds, list[tuple[int, float]]()
    fields = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}

    def call(caller: int) -> None:
        connection, number = http.client.HTTPConnection("127.0.0.1", server.port), 0
        while time.monotonic() < end:
            began, number = time.perf_counter(), number + 1
            task = f"{caller} {number} {began}"
            body = json.dumps({"task": task, "error": f"step {task} fails"})
            connection.request("POST", "/v1/after_run?agent=load", body, fields)
            answer = connection.getresponse()
            answer.read()
            each.append((answer.status, time.perf_counter() - began))
            time.sleep(pause)
        connection.close()

    before, began = server.cpu(), time.perf_counter()
    with ThreadPoolExecutor(callers) as pool:
        list(pool.map(call, range(callers)))
    return Load(time.perf_counter() - began, server.cpu() - before, each)


def _count(server: Server, load: Load) -> str:
    """What was taken beside what is on disk."""
    kept = FileQueue(str(server.home / "queue")).counts().pending
    assert kept == load.statuses[200], (kept, load.statuses)
    return f"{dict(load.statuses)}, {kept:,} on disk"
