"""Durable puts of queues: QUEUE FOLDER threads|processes PRODUCERS PUTS SIZE [PORT].

Every queue is told to be as durable as it can be: an acknowledged job survives a power cut.
"""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import multiprocessing
import os
import queue as queues
import sqlite3
import statistics
import sys
import threading
import time


def huey(folder, port):
    """SQLite with fsync=True."""
    from huey import SqliteHuey

    queue = SqliteHuey("bench", filename=f"{folder}/huey.db", fsync=True)

    @queue.task()
    def job(content):
        """Never run here."""

    return lambda: job


def persist_queue(folder, port):
    """Its SQLite queue, one commit a put."""
    import persistqueue

    queue = persistqueue.SQLiteQueue(folder, multithreading=True, auto_commit=True)
    with queue.tran_lock:
        queue._putter.execute("PRAGMA synchronous=FULL")
    return lambda: queue.put


def litequeue(folder, port):
    """One connection a thread, synchronous=FULL."""
    from litequeue import LiteQueue

    def connect():
        queue = LiteQueue(f"{folder}/lite.db", timeout=60)
        queue.conn.execute("PRAGMA synchronous=FULL")
        return queue.put

    return connect


def sqlite(folder, port):
    """A plain table, journal_mode=WAL, synchronous=FULL, one transaction a put."""
    path = f"{folder}/table.db"
    with sqlite3.connect(path) as first:
        first.execute("PRAGMA journal_mode=WAL")
        first.execute("CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, content TEXT)")

    def connect():
        own = sqlite3.connect(path, isolation_level=None, timeout=60)
        own.execute("PRAGMA synchronous=FULL")
        return lambda content: own.execute("INSERT INTO jobs (content) VALUES (?)", (content,))

    return connect


def dramatiq(folder, port):
    """On Redis with appendfsync always."""
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker

    dramatiq.set_broker(RedisBroker(port=int(port)))

    @dramatiq.actor
    def job(content):
        """Never run here."""

    return lambda: job.send


def saq(folder, port):
    """On Redis with appendfsync always; one event loop a thread."""
    from saq import Queue

    def connect():
        loop = asyncio.new_event_loop()
        queue = Queue.from_url(f"redis://127.0.0.1:{port}")
        loop.run_until_complete(queue.connect())
        return lambda content: loop.run_until_complete(queue.enqueue("job", content=content))

    return connect


def hardwon(folder, port):
    """Ours: a synced file a job."""
    from hardwon.storage.queues.files import FileQueue
    from tests.samples import job

    queue = FileQueue(os.path.join(folder, "queue"))
    return lambda: lambda content: queue.put(job(content))


def produce(connect, one_by_one, ready, number, puts, content, results):
    """Put when all are ready; the seconds of every put are a result."""
    with one_by_one:  # some cannot be opened twice at once
        put = connect()
        put(f"first {number} {content}")
    ready.wait()
    taken = []
    for index in range(puts):
        began = time.perf_counter()
        put(f"{number} {index} {content}")
        taken.append(time.perf_counter() - began)
    results.put(taken)


def threads(peer, folder, port, producers):
    """What threads of one process share, and what starts one."""
    connect = globals()[peer](folder, port)
    shared = connect, threading.Lock(), threading.Barrier(producers + 1)
    return threading.Thread, shared, queues.SimpleQueue()


def processes(peer, folder, port, producers):
    """What processes share, and what starts one; each opens the queue for itself."""
    fork = multiprocessing.get_context("fork")
    shared = (
        lambda: globals()[peer](folder, port)(),
        fork.Lock(),
        fork.Barrier(producers + 1),
    )
    return fork.Process, shared, fork.SimpleQueue()


def main():
    peer, folder, kind, producers, puts, size, *port = sys.argv[1:]
    kinds = {"threads": threads, "processes": processes}
    start, shared, results = kinds[kind](peer, folder, port[0] if port else "0", int(producers))
    for number in range(int(producers)):
        start(target=produce, args=(*shared, number, int(puts), "x" * int(size), results)).start()
    shared[-1].wait()
    began = time.perf_counter()
    taken = [seconds for _ in range(int(producers)) for seconds in results.get()]
    rate = len(taken) / (time.perf_counter() - began)
    print(f"{rate:.1f} {statistics.median(taken) * 1e6:.1f}", flush=True)
    os._exit(0)


main()
