"""The one builder of HTML: a page in one file with its charts.

No script, nothing loaded, readable in light, dark and print.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources

from hardwon.core.text.clean import one_line, printable


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
