"""A marked block in a person's Markdown file; every other byte of the file stays."""

from __future__ import annotations

import os
import re

from hardwon.core import _files
from hardwon.core.errors import InvalidInput

BEGIN = "<!-- hardwon playbook: begin (`hardwon playbook write` keeps it; do not edit it here) -->"
END = "<!-- hardwon playbook: end -->"
_MARK = re.compile(r"^<!-- hardwon playbook: (begin|end)\b[^\n]*-->", re.MULTILINE)
_MODE = 0o644  # of a new file, which is meant for a repository


def write(path: str, content: str) -> bool:
    """Put the content into the block of a file, or remove the block for "".

    Whether that changed the file. A link is not followed. What others write meanwhile is kept.
    """
    if os.path.islink(path):
        raise InvalidInput(f"{path!r} is a link; name the file itself")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InvalidInput(f"there is no folder {folder!r}")
    change = _files.update_text(
        path, lambda text: with_block(text, content), root=folder, mode=_MODE
    )
    return change.before != change.after


def with_block(text: str | None, content: str) -> str | None:
    """The text with the content in its block, or without a block for ""; None for no file."""
    place = _place(text or "")
    if not content:
        if text is None or place is None:
            return text
        before, after = text[: place[0]], re.sub(r"\A\r?\n", "", text[place[1] :])
        if not after:
            before = re.sub(r"(?:\r\n\r\n|\n\n)\Z", "", before)
        return before + after or None  # as it was before the block was added
    end = "\r\n" if "\r\n" in (text or "") else "\n"
    inert = content.replace("<!--", "‹!--").replace("-->", "--›")
    block = end.join((BEGIN, *inert.splitlines(), END))
    if place is None:
        return f"{text}{end}{end}{block}{end}" if text else f"{block}{end}"
    start, stop = place
    return f"{(text or '')[:start]}{block}{(text or '')[stop:]}"


def _place(text: str) -> tuple[int, int] | None:
    """Where the block stands; InvalidInput if its marks are damaged."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return None
    if [mark[1] for mark in marks] != ["begin", "end"]:
        raise InvalidInput(
            "the block of the playbook is damaged; remove the lines with `<!-- hardwon playbook:`"
        )
    return marks[0].start(), marks[1].end()
