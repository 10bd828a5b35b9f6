"""What is asked before every call is answered by an index, however many lessons there are."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import hardwon


def test_guards_are_found_by_their_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, connect = list[str](), sqlite3.connect

    def connect_traced(*args: Any, **how: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **how)
        connection.set_trace_callback(asked.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_traced)
    with hardwon.open(tmp_path) as hw:
        agent = hw.agent("coder", project="acme/api")
        agent.lessons.add("deploying", "run `make deploy`")
        asked.clear()
        agent.before_action("bash", {"command": "make ship"})
        guards = [sql for sql in asked if "AND guard" in sql]

    connection = connect(tmp_path / "hardwon.db")
    plans = [connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() for sql in guards]
    connection.close()

    assert plans
    assert all("INDEX lessons_guard" in str(plan) for plan in plans)
