"""The scorecard: a tenth of each row with the tests, the whole by `make torture`.

Each row is also run against its mutants, which must make it fail.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import needs
from tests.torture.__main__ import CLOCKS, FAULTS

ROOT = Path(__file__).parents[2]
# row: (size of the smoke run, size of the whole run)
SIZES = {
    "R1": (12, 1000),
    "R2": (150, 3000),
    "R3": (4, 1000),
    "R4": (200, 4000),
    "R5": (40, 1000),
    "R6": (2, 100),
    "R7": (4, 100),
    "R8": (20_000, 1_000_000),
    "R9": (40, 1000),
    "R10": (8, 60),
    "R11": (6, 380),
    "R12": (2, 40),
    "R13": (6, 500),
    "R14": (2_000, 100_000),
    "R15": (5, 100),
    "R16": (5_000, 100_000),
    "R17": (6, 200),
    "R18": (100, 10_000),
    "R19": (12, 10_000),
    "R20": (12, 1000),
    "R21": (6, 500),
    "R22": (13, 260),
    "R23": (5_000, 1_000_000),
    "R24": (4, 200),
    "R25": (2, 100),
    "S1": (20, 600),
    "S2": (60, 600),
    "S4": (6, 50),
    "S5": (300, 10_000),
    "S6": (500, 20_000),
    "S7": (1_000, 10_000),
    "S8": (300, 100_000),
    "S9": (60, 2000),
    "S10": (100, 100_000),
    "S11": (100, 1_600),
    "S13": (24, 1_200),
    "S15": (136, 1_360),
    "S16": (136, 1_088),
    "S18": (20, 1_000),
    "S22": (50, 2_000),
    "S27": (128, 12_800),
    "S31": (60, 10_000),
}
# (row, mutant, enough to catch it)
MUTANTS = [
    ("R1", "ack-first", 15),
    ("R1", "done-first", 100),
    ("R2", "in-place", 170),
    ("R2", "bury-first", 170),
    ("R2", "no-settling", 170),
    ("R3", "no-file-fsync", 3),
    ("R3", "store-unsynced", 10),
    ("R4", "swallow", 850),
    ("R5", "swallow", 60),
    ("R5", "sync-again", 60),
    ("R5", "always-ready", 1),
    ("R6", "name-late", 40),
    ("R7", "swallow", 2),
    ("R8", "no-checksum", 2_000),
    ("R9", "short-read", 40),
    ("R9", "no-limit", 40),
    ("R10", "no-lock", 60),
    ("R11", "no-time-limit", 38),
    ("R11", "always-again", 38),
    ("R12", "attempts-in-memory", 1),
    ("R13", "done-first", 30),
    ("R14", "newest-first", 2_000),
    ("R14", "until-the-next-start", 2_000),
    ("R15", "wall-clock", 5),
    ("R15", "stale-deleted", 10),
    ("R16", "jitter-over-the-cap", 1_000),
    ("R16", "once-more", 1_000),
    ("R17", "burnt-attempt", 12),
    ("R17", "always-ready", 12),
    ("R18", "no-folder-fsync", 20),
    ("R18", "no-file-fsync", 20),
    ("R18", "bury-first", 200),
    ("R19", "stale-fresh", 12),
    ("R19", "unsorted-cut", 12),
    ("R20", "unlocked-settlers", 300),
    ("R21", "forwarded-again", 60),
    ("R22", "strays-stay", 5),
    ("R23", "jobs-hoarded", 5_000),
    ("R24", "counted-twice", 4),
    ("R24", "a-series-a-job", 4),
    ("R25", "server-unsynced", 3),
    ("S1", "prose-quoted", 20),
    ("S2", "gate-open", 60),
    ("S4", "kept-again", 10),
    ("S5", "children-stay", 1_000),
    ("S6", "any-id", 500),
    ("S7", "links-followed", 1_000),
    ("S8", "tenant-left-out", 300),
    ("S9", "unredacted", 20),
    ("S10", "tenant-left-out", 200),
    ("S11", "all-failures-ours", 40),
    ("S13", "escapes-printed", 12),
    ("S15", "any-host", 40),
    ("S16", "any-key", 40),
    ("S18", "try-what-is-taught", 5),
    ("S22", "raw-log", 20),
    ("S27", "frames-shown", 60),
    ("S31", "backtracking-rule", 10_000),
]
# Those are quick enough to be shown with every run of the tests.
AT_ONCE = {"R2", "R8", "R12", "R16", "R17", "R18", "S2", "S27"}
MOUNTS = {"R3", "R6", "R7", "R25"}


def row(name: str, n: int, mutant: str = "") -> int:
    """How much went wrong in a row."""
    if name in MOUNTS and not _may_mount():
        pytest.skip("needs root and a kernel that mounts loop devices")
    if name in FAULTS:
        needs("gcc", package="build-essential")
    if name in CLOCKS:
        needs("faketime", package="faketime")
    command = [sys.executable, "-m", "tests.torture", name, "--n", str(n)]
    printed = subprocess.run(
        [*command, "--mutant", mutant], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert printed.stdout.startswith(f"{name} n="), printed.stderr
    print(printed.stdout.strip(), mutant, flush=True)
    return int(printed.stdout.strip().rsplit("=", 1)[1])


def _may_mount() -> bool:
    return os.geteuid() == 0 and os.path.exists("/dev/loop-control")


@pytest.mark.parametrize("name", sorted(set(SIZES) - {"R10"}))
def test_a_tenth_of_the_row_holds(name: str) -> None:
    assert row(name, SIZES[name][0]) == 0


@pytest.mark.parametrize(("name", "mutant", "n"), [one for one in MUTANTS if one[0] in AT_ONCE])
def test_the_row_notices_a_broken_build(name: str, mutant: str, n: int) -> None:
    assert row(name, n, mutant) > 0


@pytest.mark.torture
@pytest.mark.parametrize("name", SIZES)
def test_the_whole_row_holds(name: str) -> None:
    assert row(name, SIZES[name][1]) == 0


@pytest.mark.torture
@pytest.mark.parametrize(("name", "mutant", "n"), MUTANTS)
def test_the_row_notices_every_broken_build(name: str, mutant: str, n: int) -> None:
    assert row(name, n, mutant) > 0
