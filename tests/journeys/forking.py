"""A program that forks while its threads write: `python forking.py HOW HOME COUNT`.

Prints the lessons that are there at the end, or the number of children that hung.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import hardwon

LIMIT = 120.0  # seconds for a child; one that hangs takes for ever


def work(agent: hardwon.Agent, name: str) -> None:
    """What a server does for a request: read, act, fail, learn."""
    agent.before_turn(f"deploy the service {name}")
    agent.after_action("bash", f"deploy {name}", output=f"error: {name} refused", failed=True)
    agent.learn(f"Deploy {name} with the flag --{name}", situation=f"when {name} is deployed")


def beside(hw: hardwon.Hardwon, stop: threading.Event) -> list[threading.Thread]:
    """Threads that write and read without a pause."""

    def write(number: int) -> None:
        agent, turn = hw.agent("busy"), 0
        while not stop.is_set():
            turn += 1
            work(agent, f"thread{number}turn{turn}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    return threads


def forked(run: Callable[[], None]) -> bool:
    """Whether a child that runs this ends well in time."""
    child = os.fork()
    if child == 0:
        try:
            run()
        except BaseException as error:  # noqa: BLE001 - the parent must hear of it
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def in_child(home: str, name: str) -> None:
    """A child that opens its own."""
    with hardwon.open(home) as hw:
        work(hw.agent("child"), name)


def with_fork(home: str, count: int) -> int:
    """Children that go on with what the parent opened."""
    stop = threading.Event()
    with hardwon.open(home) as hw:
        threads = beside(hw, stop)
        agent = hw.agent("child")
        names = [f"child{number}" for number in range(count)]
        bad = [name for name in names if not forked(partial(work, agent, name))]
        stop.set()
        for thread in threads:
            thread.join()
        return len(bad)


def with_prefork(home: str, count: int) -> int:
    """A server that opens once, then forks its workers; master and workers serve at once."""
    stop = threading.Event()
    with hardwon.open(home) as hw:
        hw.agent("master").learn("The master has learnt something before it forks")
        threads = beside(hw, stop)

        def serve(number: int) -> None:
            for request in range(count):
                work(hw.agent("child"), f"worker{number}request{request}")

        bad = []
        for number in range(4):
            runner = threading.Thread(
                target=lambda n=number: bad.append(n) if not forked(lambda: serve(n)) else None
            )
            runner.start()
            threads.append(runner)
        for runner in threads[3:]:
            runner.join()
        stop.set()
        for thread in threads[:3]:
            thread.join()
        return len(bad)


def with_processes(home: str, count: int, method: str) -> int:
    """multiprocessing, by fork or spawn."""
    stop, bad = threading.Event(), 0
    context: Any = multiprocessing.get_context(method)
    with hardwon.open(home) as hw:
        threads = beside(hw, stop)
        for number in range(count):
            child = context.Process(target=in_child, args=(home, f"process{number}"))
            child.start()
            child.join(LIMIT)
            bad += child.exitcode != 0
            if child.is_alive():
                child.kill()
        stop.set()
        for thread in threads:
            thread.join()
    return bad


def main() -> None:
    how, home, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if how == "fork":
        bad = with_fork(home, count)
    elif how == "prefork":
        bad = with_prefork(home, count)
    else:
        bad = with_processes(home, count, how.removeprefix("processes-"))
    with hardwon.open(home) as hw:
        kept = hw.agent("child").lessons.list(limit=10_000)
        said = [one for one in kept if one.author == "person"]
        print(f"bad={bad} kept={len(said)} problems={hw.check()}")


if __name__ == "__main__":
    main()
