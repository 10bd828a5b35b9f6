"""How many statements the doors of a run take: `python -m bench statements`.

SQLite's are those that it reports; PostgreSQL's also with the round trips in which they are sent,
to a server that is started for the run. Counts do not depend on what else the machine does. Then
both are timed, and the server again behind a proxy that keeps each request for a millisecond.
"""

from __future__ import annotations

import os
import tempfile
import time
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bench.failing_step import _fail, _name
from bench.internals import opened
from bench.timing import median, table
from hardwon.storage.postgres import connection
from tests.postgres_server import running
from tests.proxy import Fault, Proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon import Agent, Hardwon

KINDS, RUNS, ROUNDS = 10, 20, 40
_AWAY = 0.001  # seconds


def main() -> None:
    """Print a row for each door."""
    with tempfile.TemporaryDirectory() as home, opened(home) as hw:
        traced: list[str] = []
        database: Any = hw.runtime.unscreened
        database.database._connection.set_trace_callback(traced.append)

        def in_file(act: Callable[[], object]) -> tuple[int, int]:
            traced.clear()
            act()
            own = (sql for sql in traced if not sql.startswith("--"))  # the others are triggers
            return len(list(groupby(own))), 0

        of_file, spent = _counts(hw, in_file), [_times(hw)]
    with running() as server, tempfile.TemporaryDirectory() as home:
        os.environ["HARDWON_HOME"] = home
        place = server.database()
        with opened(place.url) as hw:
            sent: list[int] = []
            _count_exchanges(sent)

            def on_server(act: Callable[[], object]) -> tuple[int, int]:
                sent.clear()
                act()
                hw.runtime.doors.flush(5)
                return sum(sent), len(sent)

            of_server = _counts(hw, on_server)
            spent.append(_times(hw))
        port = urlsplit(place.url).port or 0
        proxy = Proxy(port, lambda: Fault("slow", seconds=_AWAY))
        with opened(place.url.replace(f":{port}", f":{proxy.port}")) as hw:
            spent.append(_times(hw))
    rows: list[tuple[str, ...]] = [
        (door, str(of_file[door][0]), str(of_server[door][0]), str(of_server[door][1]))
        for door in of_file
    ]
    rows.append(("all", *(str(sum(int(row[at]) for row in rows)) for at in (1, 2, 3))))
    table("Statements", [("door", "SQLite", "PostgreSQL", "in round trips"), *rows])
    timed = [(door, *(f"{1e3 * median(one[door]):.2f}" for one in spent)) for door in of_file]
    table("Milliseconds", [("door", "SQLite", "PostgreSQL", "1 ms away"), *timed])


def _count_exchanges(sent: list[int]) -> None:
    ask = connection.Exchange.ask

    def counted(self: connection.Exchange, statements: Sequence[Any]) -> Any:
        sent.append(len(statements))
        return ask(self, statements)

    connection.Exchange.ask = counted  # type: ignore[method-assign]


def _counts(
    hw: Hardwon, count: Callable[[Callable[[], object]], tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    for number in range(RUNS):
        agent = hw.agent("coder", run=f"before {number}")
        _fail(agent, number % KINDS)
        _work(agent, f"{_name(number % KINDS)} --fast")
        agent.after_run(task="make the report")
    return {door: count(act) for door, act in _doors(hw.agent("coder", run="last")).items()}


def _times(hw: Any) -> dict[str, list[float]]:
    """Seconds that each door takes, in several runs."""
    spent: dict[str, list[float]] = {}
    for number in range(ROUNDS):
        for door, act in _doors(hw.agent("coder", run=f"timed {number}")).items():
            began = time.perf_counter()
            act()
            spent.setdefault(door, []).append(time.perf_counter() - began)
            hw.runtime.doors.flush(5)
    return spent


def _doors(agent: Agent) -> dict[str, Callable[[], object]]:
    return {
        "before_turn": lambda: agent.before_turn("make the report"),
        "before_action": lambda: agent.before_action("bash", {"command": "ls -la"}),
        "after_action, it worked": lambda: _work(agent, "ls -la"),
        "after_action, it failed": lambda: _fail(agent, 3),
    }


def _work(agent: Agent, command: str) -> None:
    agent.after_action("bash", {"command": command}, output="done", failed=False)


if __name__ == "__main__":
    main()
