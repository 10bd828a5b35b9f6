"""Charts as SVG: CSS classes set the colours, a label says the same in words."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from hardwon.text.clean import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns(counts: Sequence[int], name: str, labels: Sequence[str] = ()) -> str:
    """One column per day, as high as its count, with a tooltip."""
    most = max(*counts, 1)
    drawn = "".join(
        _column(at, 100 * count / most, f"{labels[at]}: {count:,}" if labels else "")
        for at, count in enumerate(counts)
        if count
    )
    return _picture(drawn, name, len(counts), f"{sum(counts):,} in {len(counts)} days")


def _column(at: int, height: float, label: str) -> str:
    place = f'x="{at + 0.1:.1f}" y="{100 - height:.1f}" width=".8" height="{height:.1f}"'
    title = f"><title>{safe(label)}</title></rect>" if label else "/>"
    return f'<rect class="bar" {place}{title}'


def curve(values: Sequence[float], words: str) -> str:
    """A line from value to value, each between 0 and 1."""
    wide = max(len(values) - 1, 1) * 10
    places = [(at * 10, 100 - 100 * min(1.0, max(0.0, value))) for at, value in enumerate(values)]
    if len(places) == 1:
        places.append((wide, places[0][1]))
    points = " ".join(f"{x},{y:.1f}" for x, y in places)
    line = f'<polyline class="curve" points="{points}"/>'
    return _picture(line, "line", wide, words)


def stack(counts: dict[str, int]) -> str:
    """One bar with a part for each count, in proportion."""
    drawn, start = "", 0
    for name, count in counts.items():
        drawn += f'<rect class="{name}" x="{start}" y="0" width="{count}" height="100"/>'
        start += count
    words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return _picture(drawn, "stack", start, words)


def safe(text: str) -> str:
    """The text escaped for HTML, on one line."""
    return escape(one_line(printable(text)))


def _picture(drawn: str, name: str, width: int, words: str) -> str:
    return (
        f'<svg class="{name}" viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{safe(words)}">{drawn}</svg>'
    )
