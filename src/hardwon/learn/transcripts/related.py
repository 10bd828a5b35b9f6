"""Related knowledge: what memory already says about the insights."""

from __future__ import annotations

import glob
import os
import re
from typing import NamedTuple

from hardwon.core.errors import HardwonError
from hardwon.core.text.clean import clip, one_line
from hardwon.learn.transcripts.catalog import Context
from hardwon.learn.transcripts.insight import Insight, Related, content_words
from hardwon.storage.stores.markdown import read_text

REDUNDANT, CONFLICTING, COMPLEMENTARY, NOVEL = "redundant", "conflicting", "complementary", "novel"
SUMMARIES = "session-summaries.md"  # says what happened, not what to do
_FILES, _SIZE = 500, 256 * 1024
_NEAR, _SHARED = 0.4, 3
_SHAPE = ": "  # begins the key of a call without its arguments
_FORBIDS = re.compile(r"(?i)\b(?:never|do(?:n['’]t| not)|avoid|stop|must not|instead of)\b")


class MemoryLine(NamedTuple):
    """A line of a memory file, as words."""

    path: str
    line: int
    text: str
    words: frozenset[str]


class KnownNotes(NamedTuple):
    """The notes in memory, and which of them could not be read."""

    passages: list[MemoryLine]
    marks: dict[str, MemoryLine]  # the lines of insights that were stored before, by key
    problems: list[str]


def find_related(insights: tuple[Insight, ...], library: KnownNotes) -> tuple[Related, ...]:
    """The nearest line in memory for each insight; new insights have none."""
    nearest = (_nearest(insight, library) for insight in insights)
    return tuple(related for related in nearest if related)


def open_library(context: Context) -> KnownNotes:
    """Every place the agent may load memory from: rules, insights, MEMORY.md."""
    library = KnownNotes([], {}, [])
    for path in _paths(context):
        try:
            text = read_text(path)
        except HardwonError as error:
            library.problems.append(str(error))
            continue
        if text and len(text) <= _SIZE:
            _add_lines(path, text, library)
    return library


def _paths(context: Context) -> list[str]:
    name = os.path.basename(context.user_level).lstrip(".").upper()
    bases = [base for base in (context.user_level, context.project_level) if base]
    paths = [os.path.join(context.project_path, "AGENTS.md"), context.memory]
    for base in bases:
        escaped = glob.escape(base)
        paths += [
            os.path.join(base, f"{name}.md"),
            os.path.join(os.path.dirname(base), f"{name}.md"),
        ]
        paths += sorted(glob.glob(os.path.join(escaped, "rules", "*.md")))
        paths += sorted(glob.glob(os.path.join(escaped, ".insights", "**", "*.md"), recursive=True))
    allowed = [path for path in dict.fromkeys(paths) if _is_inside(path, context)]
    return [path for path in allowed if os.path.basename(path) != SUMMARIES][:_FILES]


def _is_inside(path: str, context: Context) -> bool:
    """Whether the path is a file inside the user's or the project's tree."""
    roots = (context.user_level, context.project_path)
    real = os.path.realpath(path)
    trees = [os.path.realpath(root) for root in roots if root]
    return os.path.isfile(real) and any(os.path.commonpath((real, root)) == root for root in trees)


def _add_lines(path: str, text: str, library: KnownNotes) -> None:
    for number, line in enumerate(text.splitlines(), 1):
        passage = MemoryLine(path, number, line, content_words(line))
        for key in re.findall(r"<!-- hardwon:([0-9a-f]{12})\b", line):
            library.marks.setdefault(key, passage)
        if len(passage.words) >= _SHARED:
            library.passages.append(passage)


def _nearest(insight: Insight, library: KnownNotes) -> Related | None:
    if insight.key in library.marks:
        return _relate(insight, REDUNDANT, library.marks[insight.key], "It was stored before.")
    words = content_words(insight.text)
    near = max(library.passages, key=lambda passage: _share(words, passage.words), default=None)
    share = _share(words, near.words) if near else 0.0
    if near is None or share < _NEAR:
        return _about_the_same(insight, library)
    if bool(_FORBIDS.search(insight.text)) != bool(_FORBIDS.search(near.text)):
        return _relate(insight, CONFLICTING, near, "One forbids what the other asks for.")
    # One new word may be another tool, file or fix: only if memory has all words is it the same.
    relation = REDUNDANT if words <= near.words else COMPLEMENTARY
    common = ", ".join(sorted(words & near.words)[:6])
    return _relate(insight, relation, near, f"Both speak of {common}.")


def _about_the_same(insight: Insight, library: KnownNotes) -> Related | None:
    """The note that names the command or the error of an insight about a failure."""
    command = content_words(next((key for key in insight.calls if key.startswith(_SHAPE)), ""))
    error = content_words(insight.evidence[0].quote) if insight.kinds else frozenset()

    def shared_words(passage: MemoryLine) -> int:
        """How many words of both the note has; 0 if they are too few."""
        of_command, of_error = len(command & passage.words), len(error & passage.words)
        has_command = 1 < len(command) == of_command
        has_error = of_error >= max(_SHARED, len(error) / 3)
        return of_command + of_error if has_command or has_error else 0

    near = max(library.passages, key=shared_words, default=None)
    if near is None or not shared_words(near):
        return None
    return _relate(insight, COMPLEMENTARY, near, "It names the command or the error.")


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of common words among all words; 0 for fewer than three."""
    common = len(a & b)
    return common / (len(a) + len(b) - common) if common >= _SHARED else 0.0


def _relate(insight: Insight, relation: str, near: MemoryLine, reason: str) -> Related:
    excerpt = clip(one_line(re.sub(r"<!--.{0,80}?-->", "", near.text)), 200)
    return Related(insight.key, relation, near.path, near.line, excerpt, reason)
