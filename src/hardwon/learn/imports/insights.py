"""`.insights/*.md`: front matter with tags and a summary, free Markdown below."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hardwon.core.text.clean import one_line
from hardwon.core.values.lesson import Evidence, Kind, Lesson
from hardwon.core.values.run import Trigger
from hardwon.core.values.scope import Scope
from hardwon.learn.imports.fields import moment


def parse(text: str, path: str, scope: Scope) -> Iterator[Lesson]:
    """One lesson for each section of the file; without sections, one for each paragraph."""
    front, body = _split(text)
    tags = tuple(_items(front, "tags") + _items(front, "keywords"))
    name = os.path.splitext(os.path.basename(path))[0]
    for heading, words in _sections(body, name):
        if words:
            yield Lesson(
                scope,
                situation=heading,
                correction=words,
                tags=tags,
                trigger=Trigger.SESSION,
                origin=f"import:insights:{name}",
                created_at=moment(next(iter(_items(front, "date")), "")),
                evidence=tuple(Evidence(Kind.SESSION, item) for item in _items(front, "session")),
            )


def _split(text: str) -> tuple[str, str]:
    match = re.match(r"---\n(.*?)\n---\n(.*)", text.lstrip("\ufeff"), re.DOTALL)
    return (match[1], match[2]) if match else ("", text)


def _items(front: str, key: str) -> list[str]:
    """The values of a list in front matter, written on one line or as dashes."""
    match = re.search(rf"^{key}:[ \t]*(.*(?:\n[ \t]*- .*)*)", front, re.MULTILINE)
    return [item.strip(" \"'") for item in re.split(r"[\[\],\n]|^- ", match[1])] if match else []


def _sections(body: str, name: str) -> Iterator[tuple[str, str]]:
    parts = re.split(r"^#{1,4} (.+)$", body, flags=re.MULTILINE)
    if len(parts) == 1:
        yield from ((name, one_line(part)) for part in re.split(r"\n\s*\n", body) if part.strip())
    for heading, words in zip(parts[1::2], parts[2::2], strict=True):
        yield one_line(heading), one_line(words)
