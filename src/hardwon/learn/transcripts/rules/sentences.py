"""Sentences and their subjects, for rules that read words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clean
from hardwon.learn.transcripts.insight import tags_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = re.compile(r"(?<=[.!?])\s+|\n+")
_STOP_WORDS = """
a an and are as at be been but by can did do does for from had has have how i if in into is it its
let me my no not of on or our please so that the them then there this to up us was we were what
when where which will with you your use using instead
"""
_STOPS = frozenset(_STOP_WORDS.split())
_STACKS = {
    "python": "python pip pytest mypy ruff poetry uv django flask venv conda tox",
    "javascript": "node npm pnpm yarn npx jest vitest typescript tsc eslint react bun deno",
    "go": "go golang gofmt",
    "rust": "cargo rust rustc clippy",
    "java": "java gradle maven mvn kotlin",
    "docker": "docker compose dockerfile kubectl helm",
    "git": "git commit rebase branch",
    "sql": "sql postgres psql sqlite mysql migration",
    "shell": "bash sed awk grep find rm mkdir chmod",
}
_BY_WORD = {word: name for name, words in _STACKS.items() for word in words.split()}


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without code blocks and lists of paths."""
    for part in _END.split(clean(text)):
        sentence = part.strip(" \t-*>#")
        if 8 <= len(sentence) <= 400 and " " in sentence:
            yield sentence


def content_words(text: str) -> frozenset[str]:
    """The words of a text without stop words."""
    words = re.findall(r"[a-z0-9_][a-z0-9_.+#-]*[a-z0-9_+#]|[a-z0-9]", text.lower())
    return frozenset(word for word in words if word not in _STOPS)


def stack(text: str) -> tuple[str, ...]:
    """The technologies a text is about, as tags."""
    return tags_of(*dict.fromkeys(_BY_WORD[word] for word in _words(text) if word in _BY_WORD))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())
