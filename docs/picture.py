"""Draws `docs/demo.svg` from a real run of the demo: python docs/picture.py"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

COLUMNS, LINE, LETTER = 96, 19, 8.2
COLOURS = {"31": "#f47067", "32": "#57ab5a", "36": "#6cb6ff", "1": "#ffffff"}
PLAIN = "#adbac7"


def recorded() -> list[str]:
    """The lines of the demo as a terminal of a fixed width gets them, each with its colour."""
    code = (
        "import click, sys; click.utils.should_strip_ansi = lambda *a: False\n"
        "from hardwon.surfaces.cli import run; sys.exit(run(['demo']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "COLUMNS": str(COLUMNS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return coloured(done.stdout.splitlines())


def coloured(lines: list[str]) -> list[str]:
    """A colour that was begun on an earlier line is repeated, so that every line stands alone."""
    begun, whole = "", []
    for line in lines:
        whole.append(begun + line)
        last = re.findall(r"\x1b\[\d+m", begun + line)[-1:]
        begun = last[0] if last and last[0] != "\x1b[0m" else ""
    return whole


def chosen(lines: list[str]) -> list[str]:
    """The beginning of the first run, the start and two tasks of the second, and the table."""
    second, result = (
        next(i for i, line in enumerate(lines) if words in line)
        for words in ("Run 2", "Failed calls")
    )
    tasks = [i for i in range(second, result) if "•" in lines[i]]
    return [
        "$ hardwon demo",
        *lines[:9],
        "  …",
        *lines[second : tasks[2] - 1],
        "  …",
        "",
        *lines[result:],
    ]


def drawn(line: str, row: int) -> str:
    """One line as SVG text."""
    codes = re.findall(r"\x1b\[(\d+)m", line)
    colour = next((COLOURS[code] for code in codes if code in COLOURS), PLAIN)
    words = html.escape(re.sub(r"\x1b\[\d*m", "", line)[:COLUMNS])
    return f'<text x="18" y="{44 + row * LINE}" fill="{colour}" xml:space="preserve">{words}</text>'


def picture(lines: list[str]) -> str:
    """The terminal as SVG."""
    width, height = int(COLUMNS * LETTER + 36), 60 + len(lines) * LINE
    dots = "".join(
        f'<circle cx="{20 + 18 * i}" cy="16" r="5.5" fill="{colour}"/>'
        for i, colour in enumerate(("#f47067", "#daaa3f", "#57ab5a"))
    )
    body = "\n".join(drawn(line, row) for row, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        ' aria-label="hardwon demo in a terminal"'
        ' font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.5">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#1c2128"/>\n{dots}\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    Path(__file__).with_name("demo.svg").write_text(picture(chosen(recorded())), encoding="utf-8")
