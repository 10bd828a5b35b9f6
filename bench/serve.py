"""The doors over HTTP: how many a second, how long they take, and who can hold them up.

    python -m bench serve [--lessons 20000] [--seconds 10] [--slow 2000]

The server is the real command with all lessons in one agent's scope. Its processor time is read
from /proc, so "a second of one core" is what the server used, whatever else the machine did. The
client writes ready-made bytes to kept-alive connections. Half of the requests are calls behind a
lesson, half are made of the commonest words there are. The slow clients each hold a connection on
which a request never ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from bench.corpus import SCOPE, TOOL
from bench.recall_speed import Questions, filled
from bench.timing import at, cache, table

CONNECTIONS = 16
_TICKS = os.sysconf("SC_CLK_TCK")


class Server(NamedTuple):
    """A running server."""

    port: int
    pid: int
    token: str

    def cpu(self) -> float:
        """Seconds of processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


def serving(lessons: int) -> AbstractContextManager[Server]:
    """The command on a store with so many lessons."""
    return served_copy(filled(lessons))


@contextmanager
def served_copy(original: str | Path) -> Iterator[Server]:
    """The command on a copy of a home."""
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        home = Path(folder, "home")
        shutil.copytree(original, home)
        command = [sys.executable, "-m", "hardwon", "serve", "--port", "0", "--home", str(home)]
        command += ["--rate", "1000000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout
            found = re.search(r":(\d+)$", process.stdout.readline().strip())
            assert found
            yield Server(int(found[1]), process.pid, (home / "token").read_text().strip())
        finally:
            process.terminate()
            process.wait()


def requests(server: Server, lessons: int) -> list[bytes]:
    """Ready-made requests at the action door."""
    asked = Questions(lessons)
    return [_request(server, call) for call in (*asked.calls, *asked.common)]


def _request(server: Server, call: str) -> bytes:
    body = json.dumps({"tool": TOOL, "args": call}).encode()
    query = urlencode({"agent": SCOPE.agent, "project": SCOPE.project})
    head = (
        f"POST /v1/before_action?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {server.token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Client:
    """One kept-alive connection."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, request: bytes) -> float:
        """Seconds until the answer was here."""
        began = time.perf_counter()
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = re.search(rb"content-length: (\d+)", head)
        assert length
        await self._reader.readexactly(int(length[1]))
        return time.perf_counter() - began

    def close(self) -> None:
        self._writer.close()


async def flood(server: Server, asked: list[bytes], seconds: float) -> tuple[int, float, float]:
    """As many as it takes: answers, wall seconds, seconds of one core."""
    end, count = time.perf_counter() + seconds, 0

    async def one(number: int) -> None:
        nonlocal count
        client, chance = Client(server.port), random.Random(number)
        await client.open()
        while time.perf_counter() < end:
            await client.ask(chance.choice(asked))
            count += 1
        client.close()

    before, began = server.cpu(), time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(CONNECTIONS)))
    return count, time.perf_counter() - began, server.cpu() - before


async def paced(server: Server, asked: list[bytes], seconds: float, rate: float) -> list[float]:
    """Seconds of each request at a steady rate, whoever is slow."""
    free: asyncio.Queue[Client] = asyncio.Queue()
    for _ in range(4 * CONNECTIONS):
        client = Client(server.port)
        await client.open()
        free.put_nowait(client)
    chance, taken = random.Random(1), list[float]()

    async def one(due: float) -> None:
        client = await free.get()
        await client.ask(chance.choice(asked))
        taken.append(time.perf_counter() - due)  # the wait for a connection counts
        free.put_nowait(client)

    began, tasks = time.perf_counter(), []
    for number in range(int(seconds * rate)):
        due = began + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(one(due)))
    await asyncio.gather(*tasks)
    return taken


async def held_up(
    server: Server, asked: list[bytes], seconds: float, rate: float, slow: int
) -> list[float]:
    """The same beside clients that never end their request: half its head, half its body."""
    heads = (b"POST /v1/before_action HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ", asked[0][:-5])
    held = []
    for number in range(slow):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(heads[number % 2])
        held.append(writer)
    try:
        return await paced(server, asked, seconds, rate)
    finally:
        for writer in held:
            writer.close()


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("serve", nargs="?")
    parser.add_argument("--lessons", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--slow", type=int, default=2000)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with serving(options.lessons) as server:
        asked = requests(server, options.lessons)
        asyncio.run(flood(server, asked, 2.0))  # warm up
        count, wall, cpu = asyncio.run(flood(server, asked, options.seconds))
        rate = count / cpu
        rows: list[tuple[str, ...]] = [
            ("answers", "a second", "a second of one core", "ms of one core each")
        ]
        rows += [(f"{count:,}", f"{count / wall:,.0f}", f"{rate:,.0f}", f"{1e3 * cpu / count:.2f}")]
        table(f"before_action over HTTP, {options.lessons:,} lessons", rows)
        rows = [("at a steady rate", "p50 ms", "p99 ms", "most ms")]
        steady = min(500.0, count / wall / 2)
        taken = asyncio.run(paced(server, asked, options.seconds, steady))
        rows.append((f"{steady:.0f} a second", *_spans(taken)))
        slow = asyncio.run(held_up(server, asked, options.seconds, steady, options.slow))
        rows.append((f"… beside {options.slow:,} slow clients", *_spans(slow)))
        table("Waiting", rows)


def _spans(taken: list[float]) -> tuple[str, str, str]:
    p50, p99, most = (1e3 * at(taken, share) for share in (0.5, 0.99, 1.0))
    return f"{p50:.1f}", f"{p99:.1f}", f"{most:.1f}"
