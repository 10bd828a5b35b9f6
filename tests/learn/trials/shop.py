"""A small repository with a seeded bug, and an actor that knows only what its prompt says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TASK = "Write average() in cart.py: the mean of the prices of a cart."
CART = """\
def average(prices: list[float]) -> float:
    raise NotImplementedError
"""
TESTS = """\
from cart import average


def test_mean() -> None:
    assert average([1.0, 3.0]) == 2.0


def test_an_empty_cart_costs_nothing() -> None:
    assert average([]) == 0.0
"""
# The first idea fails on an empty cart; the second returns the wrong type; the third is right.
ACTOR = """\
import sys

prompt = sys.stdin.read()
guard = ""
if "ZeroDivisionError" in prompt:
    guard = "    if not prices:\\n        return None\\n"
if "Incompatible return value type" in prompt:
    guard = "    if not prices:\\n        return 0.0\\n"
with open("cart.py", "w") as file:
    file.write(
        "def average(prices: list[float]) -> float:\\n"
        + guard
        + "    return sum(prices) / len(prices)\\n"
    )
print("I wrote average().")
"""
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
MYPY = f"{sys.executable} -m mypy --cache-dir=../cache cart.py"


def open_shop(place: Path) -> Path:
    """The repository, committed, with the actor beside it."""
    shop = place / "shop"
    shop.mkdir()
    (shop / "cart.py").write_text(CART)
    (shop / "test_cart.py").write_text(TESTS)
    (shop / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = ''\n")
    (place / "actor.py").write_text(ACTOR)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "Open the shop"],
    ):
        subprocess.run(["git", *command], cwd=shop, check=True)
    return shop


def actor(place: Path) -> str:
    """The command of the actor."""
    return f"{sys.executable} {place / 'actor.py'}"
