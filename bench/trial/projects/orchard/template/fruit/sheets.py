"""Grade sheets."""
import json
from pathlib import Path

SPECS = Path(__file__).resolve().parent.parent / "specs"


def load(variety):
    return json.loads((SPECS / (variety + ".json")).read_text())


def varieties():
    return sorted(p.stem for p in SPECS.glob("*.json"))
