"""Dreams that are killed, a Redis behind a bad network: a part here, all by `make torture`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import REDIS, needs

ROOT = Path(__file__).parents[2]
# row: (size of the smoke run, size of the whole run)
SIZES = {"G1": (8, 300), "G2": (160, 8000), "G3": (8, 600)}
# (row, mutant, enough to catch it)
MUTANTS = [("G1", "no-transaction", 8), ("G2", "no-compare", 400), ("G3", "no-job", 80)]


def row(name: str, n: int, mutant: str = "") -> int:
    """How much went wrong in a row."""
    if name != "G1":
        needs("redis-server", package=REDIS, is_service=True)
    command = [sys.executable, "-m", "tests.torture.goals", name, "--n", str(n)]
    printed = subprocess.run(
        [*command, "--mutant", mutant], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert printed.stdout.startswith(f"{name} n="), printed.stderr
    print(printed.stdout.strip(), mutant)
    return int(printed.stdout.strip().rsplit("=", 1)[1])


@pytest.mark.parametrize("name", SIZES)
def test_a_part_of_the_row_holds(name: str) -> None:
    assert row(name, SIZES[name][0]) == 0


def test_the_row_of_dreams_notices_a_broken_build() -> None:
    assert row("G1", 8, "no-transaction") > 0


@pytest.mark.torture
@pytest.mark.parametrize("name", SIZES)
def test_the_whole_row_holds(name: str) -> None:
    assert row(name, SIZES[name][1]) == 0


@pytest.mark.torture
@pytest.mark.parametrize(("name", "mutant", "n"), MUTANTS)
def test_the_row_notices_every_broken_build(name: str, mutant: str, n: int) -> None:
    assert row(name, n, mutant) > 0
