"""Queues on PostgreSQL: QUEUE prepare|put|drain|crowd URL COUNT SIZE, one process each.

Prints how many jobs it put or worked. Every put is its own commit, and a job does nothing. `crowd`
prints how long each claim of COUNT workers took, in seconds.
"""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import sys

AT_ONCE = 10  # jobs that one worker takes or runs at a time


class Hardwon:
    """Ours: the queue that workers use, with a worker pool that does nothing."""

    def __init__(self, url):
        from hardwon.storage.postgres.database import Database
        from hardwon.storage.queues.postgres import PostgresQueue

        self.database = Database(url)
        self.queue = PostgresQueue(self.database)

    def prepare(self):
        from hardwon.storage.postgres import schema

        schema.migrate(self.database)

    def put(self, count, content):
        import os

        from hardwon.engine.runtime import utc_now
        from tests.samples import job

        for number in range(count):
            self.queue.put(job(f"{os.getpid()} {number} {content}", utc_now()))

    def drain(self):
        from hardwon.core.values.job import Policy
        from hardwon.engine.pipeline.work import WorkerPool
        from hardwon.engine.runtime import utc_now

        async def nothing(one):
            """No work."""

        policy = Policy(workers=AT_ONCE)
        pool = WorkerPool(self.queue, nothing, policy=policy, clock=utc_now, chance=lambda: 0.5)
        tally = asyncio.run(pool.until_idle())
        self.queue.close()
        return tally.done

    def crowd(self, count, content, each=10):
        """Workers that claim one job after another, with a pause as a model makes it."""
        import random
        import threading
        import time

        from hardwon.engine.runtime import utc_now
        from hardwon.storage.postgres.database import Database
        from hardwon.storage.queues.postgres import PostgresQueue

        times, worked = [], []

        def work():
            queue = PostgresQueue(Database(self.database.url, pool=1))
            queue.counts()  # connect
            for _ in range(each):
                time.sleep(random.random())  # a model is asked
                began = time.perf_counter()
                found = queue.claim(utc_now())
                times.append(time.perf_counter() - began)
                worked.append(found.id)
                queue.done(found)
            queue.close()

        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print("\n".join(worked))
        return " ".join(f"{one:.4f}" for one in times)


class Pgqueuer:
    """With asyncpg, its faster driver."""

    def __init__(self, url):
        self.url = url

    async def _connected(self):
        import asyncpg
        from pgqueuer.db import AsyncpgDriver

        return AsyncpgDriver(await asyncpg.connect(self.url))

    def prepare(self):
        from pgqueuer.queries import Queries

        async def install():
            await Queries(await self._connected()).install()

        asyncio.run(install())

    def put(self, count, content):
        from pgqueuer.queries import Queries

        async def put():
            queries = Queries(await self._connected())
            for _ in range(count):
                await queries.enqueue("work", content.encode())

        asyncio.run(put())

    def drain(self):
        from pgqueuer.qm import QueueManager
        from pgqueuer.queries import Queries
        from pgqueuer.types import QueueExecutionMode

        done = 0

        async def work():
            manager = QueueManager(Queries(await self._connected()))

            @manager.entrypoint("work")
            async def nothing(job):
                nonlocal done
                done += 1

            await manager.run(batch_size=AT_ONCE, mode=QueueExecutionMode.drain)

        asyncio.run(work())
        return done


class Procrastinate:
    """With psycopg, synchronous puts and a worker of many tasks."""

    def __init__(self, url):
        import procrastinate

        self.app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))
        self.done = 0

        @self.app.task(name="work")
        async def work(content):
            self.done += 1

        self.work = work

    def prepare(self):
        with self.app.open():
            self.app.schema_manager.apply_schema()

    def put(self, count, content):
        with self.app.open():
            for _ in range(count):
                self.work.defer(content=content)

    def drain(self):
        self.app.run_worker(wait=False, concurrency=AT_ONCE, install_signal_handlers=False)
        return self.done


QUEUES = {"hardwon": Hardwon, "pgqueuer": Pgqueuer, "procrastinate": Procrastinate}


def main():
    """Do one part of the measure."""
    name, verb, url, count, size = sys.argv[1:6]
    queue = QUEUES[name](url)
    if verb == "prepare":
        queue.prepare()
        print(0)
        return
    print("ready", flush=True)
    sys.stdin.readline()  # all begin together
    if verb == "put":
        queue.put(int(count), "x" * int(size))
        print(count)
    elif verb == "crowd":
        print(queue.crowd(int(count), ""))
    else:
        print(queue.drain())


if __name__ == "__main__":
    main()
