"""Search reflections over all loops, and find what several have in common."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, get_args

from hardwon.errors import InvalidInput
from hardwon.failures.signature import fold
from hardwon.learn.trials import files, summary
from hardwon.learn.trials.codec import Misfit
from hardwon.learn.trials.values import Category
from hardwon.ranking.reflections import key_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.learn.trials.state import LoopState, Trial
    from hardwon.learn.trials.values import Record
    from hardwon.values.scope import Scope

_SIMILAR = 0.5  # share of common words of two similar tasks
PARTS = ("actionable_insights", "lessons_learned")


class RecordFilter(NamedTuple):
    """What to search for; empty fields match everything."""

    categories: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    min_confidence: float = 0.0
    limit: int = 10


class SharedPoint(NamedTuple):
    """A point that several reflections make."""

    text: str
    frequency: int
    loops: tuple[str, ...]
    categories: tuple[str, ...]


def search(root: str, scope: Scope, record_filter: RecordFilter) -> list[Record]:
    """The newest matching reflections, over all loops visible from the scope."""
    if record_filter.limit < 1:
        raise InvalidInput(f"limit must be at least 1, not {record_filter.limit}")
    if unknown := set(record_filter.categories) - set(get_args(Category)):
        raise InvalidInput(f"no such failure category: {', '.join(sorted(map(str, unknown)))}")
    rows = [
        (trial.at, state, trial)
        for state in summary.every(root, scope)
        for trial in state.trials
        if _may_fit(trial, record_filter)
    ]
    rows.sort(key=lambda row: row[0], reverse=True)
    fitting = (
        record for record in _records(root, rows) if _has_words(record, record_filter.keywords)
    )
    return [record for record, _ in zip(fitting, range(record_filter.limit), strict=False)]


def similar_loops(root: str, scope: Scope, task: str, *, limit: int = 10) -> dict[str, str]:
    """The loops whose tasks share at least half of their words, most similar first: id and task."""
    words = set(key_words(task))
    rows = [
        (-_share(words, set(key_words(state.task))), state.loop_id, state.task)
        for state in summary.every(root, scope)
    ]
    similar = sorted(row for row in rows if -row[0] >= _SIMILAR)
    return {loop_id: other for _, loop_id, other in similar[:limit]}


def _share(words: set[str], others: set[str]) -> float:
    return len(words & others) / max(1, len(words | others))


def _may_fit(trial: Trial, record_filter: RecordFilter) -> bool:
    if trial.category is None:
        return False
    sure = (trial.confidence or 0.0) >= record_filter.min_confidence
    return sure and (not record_filter.categories or trial.category in record_filter.categories)


def _records(root: str, rows: Sequence[tuple[str, LoopState, Trial]]) -> Iterator[Record]:
    for _, state, trial in rows:
        folder = files.LoopFolder(root, state.loop_id)
        try:
            yield files.read_record(folder.at(files.number_name(trial.number)))
        except (Misfit, ValueError, OSError, RecursionError):
            continue


def _has_words(record: Record, keywords: Sequence[str]) -> bool:
    """Whether any keyword occurs in the task or in the reflection."""
    if not keywords:
        return True
    reflection = record.self_reflection
    text = " ".join(
        (
            record.task_description,
            reflection.reflection_text,
            *reflection.actionable_insights,
            *reflection.lessons_learned,
        )
    )
    return any(re.search(_word(word), text, re.IGNORECASE) for word in keywords)


def _word(keyword: str) -> str:
    """A pattern for a whole word with common endings; an underscore separates words."""
    return rf"(?<![^\W_]){re.escape(keyword)}(?:s|es|ed|ing)?(?![^\W_])"


def patterns(
    records: Iterable[Record], *, min_frequency: int = 2, parts: Sequence[str] = PARTS
) -> list[SharedPoint]:
    """Points that at least `min_frequency` reflections share, most frequent first."""
    if unknown := set(parts) - set(PARTS):
        names = ", ".join(sorted(map(str, unknown)))
        raise InvalidInput(f"patterns are found in {' and '.join(PARTS)}, not in {names}")
    if min_frequency < 1:
        raise InvalidInput(f"min_frequency must be at least 1, not {min_frequency}")
    lines_by_key: dict[str, list[tuple[str, Record]]] = {}
    for record in records:
        lines = [line for part in parts for line in getattr(record.self_reflection, part)]
        for key, line in {_key(line): line for line in lines}.items():
            lines_by_key.setdefault(key, []).append((line, record))
    shared = [
        _pattern(rows) for key, rows in lines_by_key.items() if key and len(rows) >= min_frequency
    ]
    return sorted(shared, key=lambda pattern: (-pattern.frequency, pattern.text))


def _key(text: str) -> str:
    """The key of a line: equal for lines that differ only in file names, numbers and quotes."""
    return " ".join(re.findall(r"[\w<>]+", fold(text).lower()))


def _pattern(rows: Sequence[tuple[str, Record]]) -> SharedPoint:
    loops = tuple(dict.fromkeys(record.loop_id for _, record in rows))
    kinds = tuple(dict.fromkeys(record.category for _, record in rows))
    return SharedPoint(rows[-1][0], len(rows), loops, kinds)
