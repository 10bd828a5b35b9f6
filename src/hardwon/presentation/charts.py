"""Charts as SVG: classes give the colours, a label says the same in words."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from hardwon.text.clean import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns(counts: Sequence[int], name: str) -> str:
    """One column a day, as high as its count."""
    most = max(*counts, 1)
    heights = [100 * count / most for count in counts]
    drawn = "".join(
        f'<rect class="bar" x="{at + 0.1:.1f}" y="{100 - height:.1f}" width=".8"'
        f' height="{height:.1f}"/>'
        for at, height in enumerate(heights)
        if height
    )
    return _picture(drawn, name, len(counts), f"{sum(counts):,} in {len(counts)} days")


def stack(counts: dict[str, int]) -> str:
    """One bar whose parts are as long as the counts are large."""
    drawn, start = "", 0
    for name, count in counts.items():
        drawn += f'<rect class="{name}" x="{start}" y="0" width="{count}" height="100"/>'
        start += count
    words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return _picture(drawn, "stack", start, words)


def safe(text: str) -> str:
    """A text that no reader takes for markup."""
    return escape(one_line(printable(text)))


def _picture(drawn: str, name: str, width: int, words: str) -> str:
    return (
        f'<svg class="{name}" viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{safe(words)}">{drawn}</svg>'
    )
