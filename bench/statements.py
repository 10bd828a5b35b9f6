"""How many statements the doors of a run take: `python -m bench statements`.

SQLite's are those that it reports; PostgreSQL's also with the round trips in which they are sent,
to a server that is started for the run. Counts do not depend on what else the machine does.
"""

from __future__ import annotations

import os
import tempfile
from itertools import groupby
from typing import TYPE_CHECKING, Any

from bench.failing_step import _fail, _name
from bench.internals import opened
from bench.timing import table
from hardwon.storage.postgres import connection
from tests.postgres_server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon import Agent, Hardwon

KINDS, RUNS = 10, 20


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

        of_file = _counts(hw, in_file)
    with running() as server, tempfile.TemporaryDirectory() as home:
        os.environ["HARDWON_HOME"] = home
        with opened(server.database().url) as hw:
            sent: list[int] = []
            _count_exchanges(sent)

            def on_server(act: Callable[[], object]) -> tuple[int, int]:
                sent.clear()
                act()
                hw.runtime.doors.flush(5)
                return sum(sent), len(sent)

            of_server = _counts(hw, on_server)
    rows: list[tuple[str, ...]] = [
        (door, str(of_file[door][0]), str(of_server[door][0]), str(of_server[door][1]))
        for door in of_file
    ]
    rows.append(("all", *(str(sum(int(row[at]) for row in rows)) for at in (1, 2, 3))))
    table("Statements", [("door", "SQLite", "PostgreSQL", "in round trips"), *rows])


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
    agent = hw.agent("coder", run="last")
    return {
        "before_turn": count(lambda: agent.before_turn("make the report")),
        "before_action": count(lambda: agent.before_action("bash", {"command": "ls -la"})),
        "after_action, it worked": count(lambda: _work(agent, "ls -la")),
        "after_action, it failed": count(lambda: _fail(agent, 3)),
    }


def _work(agent: Agent, command: str) -> None:
    agent.after_action("bash", {"command": command}, output="done", failed=False)


if __name__ == "__main__":
    main()
