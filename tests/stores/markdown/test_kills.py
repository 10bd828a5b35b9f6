"""MEMORY.md under kill -9: old or new, never mixed, never empty."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

WRITER = """
import sys
from hardwon.storage.stores.markdown import update
path, root = sys.argv[1:]
for number in range(10**9):
    update(path, lambda text: (text or "") + "line of an entry " * 20 + "end\\n", root=root)
    print(number, flush=True)
"""
LINE = "line of an entry " * 20 + "end\n"


def _killed_once(path: Path, chance: random.Random) -> int:
    """Run the writer until it is killed at some moment; how many writes it acknowledged."""
    command = [sys.executable, "-c", WRITER, str(path), str(path.parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        writer.stdout.readline()
        time.sleep(chance.uniform(0, 0.05))
        writer.kill()
        return 1 + len(writer.stdout.read().split())


@pytest.mark.parametrize(
    "cycles", [pytest.param(3, id="smoke"), pytest.param(100, marks=pytest.mark.torture)]
)
def test_a_killed_writer_leaves_the_old_text_or_the_new_one(tmp_path: Path, cycles: int) -> None:
    path, chance, acknowledged = tmp_path / "MEMORY.md", random.Random(7), 0

    for _ in range(cycles):
        acknowledged += _killed_once(path, chance)
        text = path.read_text(encoding="utf-8")

        assert text == LINE * text.count("\n")
        assert text.count("\n") >= acknowledged
        acknowledged = text.count("\n")
