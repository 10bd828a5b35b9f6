"""Patterns mean the same on every Python that we support."""

from __future__ import annotations

import re
from pathlib import Path

import hardwon

GROUP_POSSESSIVE = re.compile(r"(?<!\\)\)(?:[+*?]|\{+[\w,]+\}+)\+")
PATTERN = re.compile(r"""\br[bf]?(["'])(?:\\.|(?!\1).)*\1""")


def test_no_group_is_repeated_possessively() -> None:
    """Python 3.11.2, which Debian 12 ships, loses characters after such a group."""
    sources = Path(hardwon.__file__).parent.rglob("*.py")

    found = [
        (path.name, pattern[0])
        for path in sources
        for pattern in PATTERN.finditer(path.read_text(encoding="utf-8"))
        if GROUP_POSSESSIVE.search(pattern[0])
    ]

    assert found == []
