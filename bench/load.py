"""A server under load: bare answers, durable jobs, both for long, and five times too many of them.

    python -m bench load [--seconds 10] [--soak 60]

A failed run is acknowledged when its job is on disk. Under overload the server may answer 200
requests a second: what it refuses it should refuse at once, and what it took must be there.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hardwon
from bench.http_load import Taken, flood, paced
from bench.serve import Server, served_copy
from bench.timing import at, table

_CALLERS, _RATE = 32, 200  # in the overload


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("load", nargs="?")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--soak", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        hardwon.open(home).close()
        rows = [("what", "answers", "a second", "p50 ms", "p99 ms", "note")]
        with served_copy(home) as server:
            health, jobs = [_request(server, "GET", "/healthz")], _jobs(server, 50_000)
            bare = asyncio.run(flood(server.port, health, given.seconds))
            put = asyncio.run(flood(server.port, jobs, given.seconds))
            before = server.megabytes()
            rate = len(put.each) / put.seconds / 2
            soak = asyncio.run(paced(server.port, health + jobs[:1] * 3, given.soak, rate))
            grown = f"{server.megabytes() - before:+.1f} MB"
        rows += [_row("/healthz", bare), _row("failed runs, durable", put)]
        rows += [_row("both at half the rate", soak, grown)]
        with served_copy(home, rate=_RATE) as server:
            rows += [_overload(server, given.seconds)]
        table("A server under load", rows)


def _overload(server: Server, seconds: float) -> tuple[str, ...]:
    """As many callers as five times the rate needs; what was taken is counted in the home."""
    end, answers, each = time.monotonic() + seconds, Counter[int](), list[float]()

    def call(caller: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        number = 0
        while time.monotonic() < end:
            began, number = time.perf_counter(), number + 1
            body = json.dumps({"task": f"overload {caller} {number}", "error": "it fails"})
            connection.request("POST", "/v1/after_run?agent=over", body, _head(server))
            answer = connection.getresponse()
            answer.read()
            answers[answer.status] += 1
            each.append(time.perf_counter() - began)
            time.sleep(_CALLERS / (5 * _RATE))

    with ThreadPoolExecutor(_CALLERS) as callers:
        list(callers.map(call, range(_CALLERS)))
    time.sleep(1)
    with hardwon.open(server.home) as hw:
        kept = sum(job.episode.task.startswith("overload") for job in hw.queue.waiting())
    note = f"{answers[200]} taken, {kept} on disk, {answers[429]} refused"
    assert set(answers) <= {200, 429}, answers
    assert kept == answers[200], note
    return _row("five times too many", Taken(seconds, each, 0), note)


def _jobs(server: Server, count: int) -> list[bytes]:
    bodies = (json.dumps({"task": f"deploy {n}", "error": f"step {n} fails"}) for n in range(count))
    return [_request(server, "POST", "/v1/after_run?agent=load", body) for body in bodies]


def _request(server: Server, method: str, path: str, body: str = "") -> bytes:
    fields = {"Host": "127.0.0.1", **_head(server), "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n{body}".encode()


def _head(server: Server) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}


def _row(name: str, taken: Taken, note: str = "") -> tuple[str, ...]:
    count, (p50, p99) = len(taken.each), (1e3 * at(taken.each, share) for share in (0.5, 0.99))
    return name, f"{count:,}", f"{count / taken.seconds:,.0f}", f"{p50:.1f}", f"{p99:.1f}", note
