"""Numbers as people read them."""

from __future__ import annotations


def plural(number: int, noun: str, several: str = "") -> str:
    """`1 lesson`, `2,000 lessons`."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"
