"""When hooks ran, and which errors they hid."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hardwon.surfaces.hooks.watch import GAVE_UP, LOG, RUNS, describe_late, last_runs, read_log

LATE = f"2026-11-15T10:00 prompt: {GAVE_UP} 1 s"
GUARD = f"2026-11-15T11:00 guard : {GAVE_UP} 1 s"


def test_the_log_before_is_read_first(tmp_path: Path) -> None:
    (tmp_path / LOG).write_text("new\n")
    assert read_log(str(tmp_path)) == ["new"]

    (tmp_path / f"{LOG}.1").write_bytes(b"old \xff\n")
    assert read_log(str(tmp_path)) == ["old \ufffd", "new"]


def test_the_latest_run_comes_first(tmp_path: Path) -> None:
    assert last_runs(str(tmp_path)) == {}

    (tmp_path / RUNS).mkdir()
    for name, time in (("codex.prompt", 100), ("gemini.stop.x", 200)):
        (tmp_path / RUNS / name).touch()
        os.utime(tmp_path / RUNS / name, (time, time))

    assert list(last_runs(str(tmp_path)).items()) == [
        (("gemini", "stop.x"), 200.0),
        (("codex", "prompt"), 100.0),
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], []),
        (["2026 something else"], []),
        ([LATE], ["a hook gave up once, last at 2026-11-15T10:00"]),
        ([LATE, LATE], ["a hook gave up 2 times, last at 2026-11-15T10:00"]),
        (
            [LATE, GUARD, "2026 something else"],
            [
                "a hook gave up 2 times, 1 of them with a guard to judge, which then denied, "
                "last at 2026-11-15T11:00"
            ],
        ),
    ],
)
def test_how_often_a_hook_gave_up_is_told(lines: list[str], said: list[str]) -> None:
    assert describe_late(lines) == said
