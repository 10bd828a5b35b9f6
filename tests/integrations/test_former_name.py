"""The name that the integrations had before."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORTS = [
    "from hardwon.adapters.plain import learning",
    "from hardwon.adapters import plain",
    "import hardwon.adapters.recorder",
]


@pytest.mark.parametrize("statement", IMPORTS)
def test_the_former_name_still_works_and_warns(statement: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "default", "-c", statement], capture_output=True, text=True
    )

    assert ran.returncode == 0
    assert ran.stderr.count("DeprecationWarning: hardwon.adapters is now") == 1
    assert "<string>:1" in ran.stderr  # where it is imported, not where it is forwarded


def test_the_name_of_now_does_not_warn() -> None:
    statement = "import hardwon.integrations.plain, hardwon.integrations.recorder"

    subprocess.run([sys.executable, "-W", "error", "-c", statement], check=True)
