"""Runs one row: `python -m tests.torture R2 --n 500 [--seed 1] [--mutant NAME]`."""

from __future__ import annotations

import argparse
import logging
import os
import random
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from tests.torture.clock import fake_clock
from tests.torture.mutants import MUTANTS

ROWS = {
    "R1": "kill",
    "R2": "crash",
    "R3": "power",
    "R4": "crash",
    "R5": "sync",
    "R6": "power",
    "R7": "power",
    "R8": "fuzz",
    "R9": "sizes",
    "R10": "kill",
    "R11": "model",
    "R12": "kill",
    "R13": "store",
    "R14": "backlog",
    "R15": "clock",
    "R16": "fuzz",
    "R17": "kill",
    "R18": "simulation",
    "R19": "alike",
    "R20": "crowd",
    "R21": "outbox",
    "R22": "programs",
    "R23": "programs",
    "R24": "metrics",
    "R25": "server_power",
    "S1": "screening",
    "S2": "screening",
    "S4": "tenants",
    "S5": "tenants",
    "S6": "paths",
    "S7": "paths",
    "S8": "tenants",
    "S9": "screening",
    "S10": "tenants",
    "S11": "server",
    "S13": "paths",
    "S15": "server",
    "S16": "server",
    "S18": "paths",
    "S22": "server",
    "S27": "screening",
    "S31": "patterns",
}
FAULTS = {"R2", "R4", "R5", "R6", "R13"}  # those that let file calls fail
CLOCKS = {"R15"}  # those that let the clock jump


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("row", choices=ROWS)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutant", default="")
    given = parser.parse_args()
    if "LD_PRELOAD" not in os.environ:
        _again_if_needed(given.row)
    logging.disable(logging.CRITICAL)
    if given.mutant in MUTANTS:
        MUTANTS[given.mutant]()
    row = getattr(import_module(f"tests.torture.{ROWS[given.row]}"), given.row.lower())
    memory = Path("/dev/shm")  # kills need no disk; what needs one brings its own
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        n, bad = row(Path(folder), given.n, random.Random(given.seed), given.mutant)
    print(f"{given.row} n={n} bad={bad}", flush=True)


def _again_if_needed(row: str) -> None:
    """This process once more, with what must be there before it starts, if the row needs it."""
    with tempfile.TemporaryDirectory() as folder:
        if row in FAULTS:
            environ = {"LD_PRELOAD": _faults(folder)}
        elif row in CLOCKS:
            environ = fake_clock(folder)
        else:
            return
        command = [sys.executable, "-m", "tests.torture", *sys.argv[1:]]
        sys.exit(subprocess.call(command, env=os.environ | environ))


def _faults(folder: str) -> str:
    """The shim that fails file calls."""
    shim, source = f"{folder}/faults.so", Path(__file__).with_name("faults.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", shim, str(source), "-ldl"], check=True)
    return shim


if __name__ == "__main__":
    main()
