"""The berth a test run lies in."""
import os
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def current():
    name = os.environ.get("PIER_BERTH")
    if not name:
        raise RuntimeError("P310 tests: no berth bound")
    return tomllib.loads((ROOT / "registry" / "berths" / f"{name}.toml").read_text())
