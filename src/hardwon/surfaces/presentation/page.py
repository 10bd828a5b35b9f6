"""A page in one file: no script, nothing loaded, readable in light, dark and print."""

from __future__ import annotations

from importlib import resources

from hardwon.surfaces.presentation.charts import safe

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
