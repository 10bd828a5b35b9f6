"""The database of opencode."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from hardwon.learn.transcripts.agents import length, read
from hardwon.learn.transcripts.transcript import AGENT, USER
from tests.learn.transcripts.one_session import FAILED, only, said, steps


@pytest.mark.parametrize("folder", ["home", "odd #1? home"])
def test_opencode_sessions_are_read_from_its_database(tmp_path: Path, folder: str) -> None:
    tmp_path = tmp_path / folder
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    state = {
        "status": "completed",
        "input": {"command": "make test"},
        "output": FAILED.output,
        "metadata": {"exit": 2},
        "time": {"start": 1_699_999_990_000, "end": 1_699_999_999_000},
    }
    parts = [
        ("m1", {"type": "text", "text": "test"}),
        ("m2", {"type": "step-start"}),
        ("m2", {"type": "tool", "tool": "bash", "callID": "c1", "state": state}),
        ("m2", {"type": "text", "text": "It failed."}),
    ]
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE session (id, directory, time_updated);"
            "CREATE TABLE message (id, session_id, time_created, data);"
            "CREATE TABLE part (id, message_id, session_id, data);"
        )
        database.execute("INSERT INTO session VALUES ('ses_1', '/home/me/shop', 1700000000000)")
        for at, (key, role) in enumerate((("m1", "user"), ("m2", "assistant"))):
            made = {"role": role, "time": {"created": 1_699_999_980_000 + at}}
            row = (key, "ses_1", at, json.dumps(made))
            database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
        for at, (key, part) in enumerate(parts):
            row = (f"p{at}", key, "ses_1", json.dumps(part))  # type: ignore[assignment]
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    database.close()

    found, moments, skipped = only(tmp_path, "opencode")

    reading = read(found)
    times = [reading.about.at for _ in reading.moments()]
    assert times[0] == "2023-11-14T22:13:00+00:00"
    assert times[1] == "2023-11-14T22:13:19+00:00"
    assert length(found) == len(parts)
    assert (found.id, found.cwd) == ("ses_1", "/home/me/shop")
    assert said(moments) == [(USER, "test"), (AGENT, "It failed.")]
    assert steps(moments) == [FAILED]
    assert not skipped
