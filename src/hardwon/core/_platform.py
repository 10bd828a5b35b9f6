"""Check that the operating system is supported."""

from __future__ import annotations

import os

from hardwon.core.errors import SetupError


def ensure_supported(system: str = os.name) -> None:
    """Raise SetupError on a system without the file locks of POSIX."""
    if system == "nt":
        raise SetupError(
            "hardwon needs Linux or macOS: its queue and stores lock files as POSIX does. "
            "On Windows, install and run it inside WSL"
        )
