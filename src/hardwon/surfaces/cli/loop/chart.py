"""Curves for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST = 60


def spark(values: Sequence[float], *, low: float = 0.0, high: float | None = None) -> str:
    """A line of blocks, one per value."""
    top = high if high is not None else max(values, default=0.0)
    span = (top - low) or 1.0
    highest_block = len(_BLOCKS) - 1
    return "".join(
        _BLOCKS[round(max(0.0, min(1.0, (v - low) / span)) * highest_block)] for v in values
    )


def plot(values: Sequence[float], *, height: int = 6, high: float | None = None) -> list[str]:
    """A curve over trials with its axes; a very long one is cut."""
    plotted = list(values[:_MOST])
    top = high if high is not None else max(plotted, default=1.0) or 1.0
    wide = 4 if len(plotted) <= 16 else 1
    places = [round(max(0.0, min(1.0, value / top)) * height) for value in plotted]
    lines = [_row(row, places, wide, label=top * row / height) for row in range(height, -1, -1)]
    lines.append(" " * 8 + "".join(_tick(at, wide) for at in range(len(plotted))))
    return [line.rstrip() for line in lines]


def _row(row: int, places: Sequence[int], wide: int, *, label: float) -> str:
    cells = ("●" if place == row else "·" if place > row else " " for place in places)
    return f"{label:6.2f} ┤" + "".join(cell.center(wide) for cell in cells)


def _tick(at: int, wide: int) -> str:
    if wide == 4:
        return str(at + 1).center(wide)
    return "+" if (at + 1) % 10 == 0 else "-"


def bar(value: float, most: float, *, width: int = 24) -> str:
    """A bar in proportion to the longest."""
    return "█" * max(1, round(width * value / most)) if value and most else ""
