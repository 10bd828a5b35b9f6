"""Callers of a server that cost little themselves: ready-made bytes on kept-alive connections."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

CONNECTIONS = 16
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length: "
_ADDRESSES = 20  # of 127.0.0.0/8 that the slow clients come from
_A_SECOND = 1000  # slow clients that connect: they are dropped, and come back, as spread as that


class Taken(NamedTuple):
    """What was answered, in how many seconds, and how long each answer took."""

    seconds: float
    each: list[float]
    told: int  # answers that said something


class Connection(asyncio.Protocol):
    """One kept-alive connection: `ask`, and `answered` is called with the body."""

    def __init__(self) -> None:
        self.answered: Callable[[bytes], None] = lambda body: None
        self._read = b""
        self._end = 0  # of the body

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def ask(self, request: bytes) -> None:
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._read += data
        if not self._end and _END_OF_HEAD in self._read:
            head, _, _ = self._read.partition(_END_OF_HEAD)
            assert head.startswith(b"HTTP/1.1 200"), head
            length = head.lower().partition(_LENGTH)[2].partition(b"\r")[0]
            self._end = len(head) + len(_END_OF_HEAD) + int(length)
        if self._end and len(self._read) >= self._end:
            body = self._read.partition(_END_OF_HEAD)[2]
            self._read, self._end = b"", 0
            self.answered(body)


async def _connected(port: int, count: int) -> list[Connection]:
    loop = asyncio.get_running_loop()
    made = [await loop.create_connection(Connection, "127.0.0.1", port) for _ in range(count)]
    return [connection for _, connection in made]


async def flood(port: int, asked: Sequence[bytes], seconds: float) -> Taken:
    """As many as the server answers: each connection asks again as soon as it is answered."""
    chance, each, told = random.Random(1), list[float](), 0
    began = time.perf_counter()
    ended = [asyncio.get_running_loop().create_future() for _ in range(CONNECTIONS)]

    def keep_asking(connection: Connection, end: asyncio.Future[None]) -> None:
        since = time.perf_counter()

        def answered(body: bytes) -> None:
            nonlocal since, told
            now = time.perf_counter()
            each.append(now - since)
            told += b'"text":""' not in body
            since = now
            if now - began < seconds:
                connection.ask(chance.choice(asked))
            else:
                connection.transport.close()
                end.set_result(None)

        connection.answered = answered
        connection.ask(chance.choice(asked))

    for connection, end in zip(await _connected(port, CONNECTIONS), ended, strict=True):
        keep_asking(connection, end)
    await asyncio.gather(*ended)
    return Taken(time.perf_counter() - began, each, told)


async def paced(port: int, asked: Sequence[bytes], seconds: float, rate: float) -> Taken:
    """The same at a steady rate. A request that waits for a connection began when it was due."""
    chance, each, told = random.Random(2), list[float](), 0
    free = await _connected(port, 8 * CONNECTIONS)
    late: list[float] = []
    everything, count = asyncio.get_running_loop().create_future(), int(seconds * rate)

    def ask(due: float) -> None:
        if not free:
            late.append(due)
            return
        connection = free.pop()

        def answered(body: bytes) -> None:
            nonlocal told
            each.append(time.perf_counter() - due)
            told += b'"text":""' not in body
            free.append(connection)
            if late:
                ask(late.pop(0))
            if len(each) == count:
                everything.set_result(None)

        connection.answered = answered
        connection.ask(chance.choice(asked))

    began = time.perf_counter()
    for number in range(count):
        due = began + number / rate
        while (left := due - time.perf_counter()) > 0:
            await asyncio.sleep(left)
        ask(due)
    await everything
    for connection in free:
        connection.transport.close()
    return Taken(time.perf_counter() - began, each, told)


class _Slow(asyncio.Protocol):
    """A client that begins a request and never ends it; dropped, it comes back."""

    def __init__(self, begun: bytes, again: Callable[[], object]) -> None:
        self._begun = begun
        self._again = again

    def connection_made(self, transport: Any) -> None:
        transport.write(self._begun)

    def connection_lost(self, error: Exception | None) -> None:
        self._again()


@contextmanager
def slow_clients(port: int, begun: Sequence[bytes], count: int) -> Iterator[None]:
    """So many of them, in a process of their own, while the `with` block runs."""
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    process = context.Process(target=_hold, args=(port, begun, count, ready), daemon=True)
    process.start()
    try:
        assert ready.wait(120), "the slow clients could not connect"
        yield
        assert process.is_alive()
    finally:
        process.terminate()
        process.join()


def _hold(port: int, begun: Sequence[bytes], count: int, ready: Any) -> None:
    allow_files(count + 100)
    asyncio.run(_held(port, begun, count, ready))


async def _held(port: int, begun: Sequence[bytes], count: int, ready: Any) -> None:
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def connect(number: int) -> None:
        source = f"127.0.0.{2 + number % _ADDRESSES}"
        await loop.create_connection(
            lambda: _Slow(begun[number % len(begun)], lambda: begin(number)),
            *("127.0.0.1", port),
            local_addr=(source, 0),
        )

    def begin(number: int) -> None:
        task = loop.create_task(connect(number))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    for number in range(count):
        begin(number)
        await asyncio.sleep(0 if number % 10 else 10 / _A_SECOND)
    await asyncio.gather(*tasks)
    ready.set()
    await asyncio.Event().wait()


def allow_files(count: int) -> None:
    """Let this process, and those it starts, hold so many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, max(hard, count)))


def keep_to(core: int) -> None:
    """Let this process and those it starts run on one core only."""
    os.sched_setaffinity(0, {core % (os.cpu_count() or 1)})
