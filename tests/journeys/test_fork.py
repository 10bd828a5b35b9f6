"""A process that forks beside threads that write: no child hangs, nothing is lost or damaged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("forking.py")
# how: (children or requests, lessons that the children keep)
WAYS = {"fork": (12, 12), "prefork": (4, 16), "processes-fork": (5, 5), "processes-spawn": (2, 2)}


@pytest.mark.parametrize("how", WAYS)
def test_no_child_hangs(how: str, tmp_path: Path) -> None:
    count, kept = WAYS[how]
    command = [sys.executable, "-W", "ignore", str(PROGRAM), how, str(tmp_path), str(count)]

    done = subprocess.run(command, capture_output=True, text=True, timeout=600)

    assert done.stdout.strip() == f"bad=0 kept={kept} problems=[]", done.stderr


@pytest.mark.parametrize(
    "count", [pytest.param(5, id="few"), pytest.param(500, id="all", marks=pytest.mark.torture)]
)
def test_of_sixteen_writers_none_is_refused(count: int, tmp_path: Path) -> None:
    program = str(PROGRAM.with_name("writing.py"))
    writers = [
        subprocess.Popen(
            [sys.executable, program, str(tmp_path), f"writer{number}", str(count)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(16)
    ]

    refused = [writer.communicate()[0].strip() for writer in writers]

    assert refused == ["0"] * 16
