"""Settings of a service: services/NAME/config/default.toml."""
import tomllib
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@lru_cache
def load(service):
    return tomllib.loads((ROOT / "services" / service / "config" / "default.toml").read_text())
