"""Durable puts of other queues, in a process of their own: PEER FOLDER THREADS PUTS SIZE [PORT].

Every peer is told to be as durable as it can be: an acknowledged job survives a power cut.
"""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import os
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
        first.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, content TEXT)")

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


def main():
    peer, folder, threads, puts, size, *port = sys.argv[1:]
    connect = globals()[peer](folder, port[0] if port else "0")
    content, taken = "x" * int(size), []
    ready, one_by_one = threading.Barrier(int(threads) + 1), threading.Lock()

    def produce(number):
        with one_by_one:  # some cannot be opened twice at once
            put = connect()
            put(content)
        ready.wait()
        for index in range(int(puts)):
            began = time.perf_counter()
            put(f"{number} {index} {content}")
            taken.append(time.perf_counter() - began)

    running = [threading.Thread(target=produce, args=(n,)) for n in range(int(threads))]
    for thread in running:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    for thread in running:
        thread.join()
    seconds = time.perf_counter() - began
    print(f"{len(taken) / seconds:.1f} {statistics.median(taken) * 1e6:.1f}", flush=True)
    os._exit(0)


main()
