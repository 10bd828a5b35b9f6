"""Writes the table of all settings into the documentation: `python -m tests.generate_settings`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from hardwon.core import settings
from hardwon.core.settings import PREFIX, Settings, sections

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"
BEGIN, END = "<!-- settings: python -m tests.generate_settings -->", "<!-- end of settings -->"
SIZES = (("h", 3600.0), ("m", 60.0), ("s", 1.0))


def table() -> str:
    """One row for each setting, with its environment variable, default and meaning."""
    rows = ["| setting | variable | default | meaning |", "|---|---|---|---|", *_rows()]
    return "\n".join((BEGIN, *rows, END))


def written() -> str:
    """The table as it stands on the page."""
    text = PAGE.read_text()
    return text[text.index(BEGIN) : text.index(END) + len(END)]


def _rows() -> Iterator[str]:
    usual, meanings = Settings(""), _meanings()
    for section in sections(usual):
        values = getattr(usual, section)
        for name, default in values._asdict().items():
            variable = f"{PREFIX}{section}_{name}".upper()
            meaning = meanings[type(values).__name__, name].replace("|", "\\|")
            yield f"| `{section}.{name}` | `{variable}` | {_shown(default)} | {meaning} |"


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, timedelta):
        return _duration(default.total_seconds())
    return f"`{default}`" if default != "" else ""


def _duration(seconds: float) -> str:
    for unit, size in SIZES:
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:.0f}{unit}"
    return f"{seconds * 1000:.0f}ms"


def _meanings() -> dict[tuple[str, str], str]:
    """The comment behind each field of the classes of settings."""
    text = Path(settings.__file__).read_text()
    lines = text.splitlines()
    return {
        (node.name, field.target.id): _comment(lines[(field.end_lineno or 0) - 1])
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }


def _comment(line: str) -> str:
    found = re.search(r"  # (.*)$", line)
    return found[1] if found else ""


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text().replace(written(), table()))
