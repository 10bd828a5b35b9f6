"""The one builder of HTML: a page in one file with its charts.

No script, nothing loaded, readable in light, dark and print.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import NamedTuple

from hardwon.core.text.clean import one_line, printable

_EDGE, _TOP, _BOTTOM = 40, 22, 34  # room for the labels of a plot
_BAR, _BARS, _ROW = 270, 12, 28


class Size(NamedTuple):
    """The size of a plot, in the units of its text; text is never scaled down."""

    width: int
    height: int
    ticks: int  # at most this many numbers along


LARGE, SMALL = Size(560, 220, 20), Size(230, 130, 6)


def columns(counts: Sequence[int], name: str, labels: Sequence[str] = ()) -> str:
    """One column per day, as high as its count, with a tooltip."""
    most, drawn = max(*counts, 1), ""
    for at, count in enumerate(counts):
        if count:
            height = 100 * count / most
            place = f'x="{at + 0.1:.1f}" y="{100 - height:.1f}" width=".8" height="{height:.1f}"'
            title = f"<title>{safe(f'{labels[at]}: {count:,}')}</title>" if labels else ""
            drawn += f'<rect class="bar" {place}>{title}</rect>'
    return _picture(drawn, name, len(counts), f"{sum(counts):,} in {len(counts)} days")


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


def line(
    values: Sequence[float],
    name: str,
    *,
    label: str,
    high: float | None = None,
    size: Size = LARGE,
) -> str:
    """A curve over trials with its axes; `label` names the values."""
    if not values:
        return ""
    top, count = high or max(values) or 1.0, len(values)

    def x(at: int) -> float:
        return _EDGE + (size.width - _EDGE - 16) * (at / (count - 1) if count > 1 else 0.5)

    def y(value: float) -> float:
        return _TOP + (size.height - _TOP - _BOTTOM) * (1 - max(0.0, min(1.0, value / top)))

    drawn = _word(4, 12, label) + _word(size.width - 8, size.height - 4, "trial", "end")
    for value in (0.0, top / 2, top):
        ends = f'x1="{_EDGE}" x2="{size.width - 8}" y1="{y(value):.1f}" y2="{y(value):.1f}"'
        figure = f"{value:.0f}" if value >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")
        drawn += f"<line {ends}/>" + _word(_EDGE - 6, y(value) + 4, figure, "end")
    for at in range(0, count, -(-count // size.ticks)):
        drawn += _word(x(at), size.height - 18, str(at + 1), "middle")
    path = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in enumerate(values))
    drawn += f'<polyline class="plot {name}" points="{path}"/>'
    for at, value in enumerate(values):
        drawn += f'<circle class="{name}" cx="{x(at):.1f}" cy="{y(value):.1f}" r="3.5">'
        drawn += f"<title>trial {at + 1}: {label} {value:.3f}</title></circle>"
    return f'<svg class="axes" viewBox="0 0 {size.width} {size.height}" role="img">{drawn}</svg>'


def bars(rows: Sequence[tuple[str, int]]) -> str:
    """Horizontal bars with labels and counts; the largest fills the width."""
    if not rows:
        return ""
    drawn, most = "", max(value for _, value in rows) or 1
    for at, (name, value) in enumerate(rows[:_BARS]):
        y, width = at * _ROW + 4, max(2.0, _BAR * value / most)
        place = f'x="214" y="{y}" width="{width:.1f}" height="20" rx="3"'
        drawn += _word(206, y + 15, name.replace("_", " ")[:34], "end")
        drawn += f'<rect class="bar" {place}/>' + _word(220 + width, y + 15, str(value))
    height = min(len(rows), _BARS) * _ROW + 4
    return f'<svg class="axes" viewBox="0 0 {LARGE.width} {height}" role="img">{drawn}</svg>'


def _word(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{safe(text)}</text>'


def safe(text: str) -> str:
    """The text escaped for HTML, on one line."""
    return escape(one_line(printable(text)))


def _picture(drawn: str, name: str, width: int, words: str) -> str:
    return (
        f'<svg class="{name}" viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{safe(words)}">{drawn}</svg>'
    )


_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, about: str, *parts: str) -> str:
    """The whole page; title and `about` are plain text, the parts are HTML."""
    style = (resources.files(__package__) / "page.css").read_text(encoding="utf-8")
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{safe(title)}</h1>\n<p class="soft">{safe(about)}</p>\n{body}\n'
        "</main>\n</body>\n</html>\n"
    )


def section(head: str, body: str) -> str:
    """A card with a heading; `body` is HTML."""
    return f"<section><h2>{safe(head)}</h2>{body}</section>"


def tiles(*facts: tuple[str, str]) -> str:
    """Large figures, each with its words."""
    cells = (
        f'<section><b>{safe(figure)}</b><span class="soft">{safe(words)}</span></section>'
        for figure, words in facts
    )
    return f'<div class="tiles">{"".join(cells)}</div>'
