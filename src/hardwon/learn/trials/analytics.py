"""Search reflections over all loops; rates, curves, and whether lessons help."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import one_line
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.reflections import key_words
from hardwon.knowledge.reading.signature import fold
from hardwon.learn.trials import files
from hardwon.learn.trials.values import LoopState, Record

_SIMILAR = 0.5  # share of common words of two similar tasks
_MOST_SIMILAR, _CURVES = 10, 12
PARTS = ("actionable_insights", "lessons_learned")


class Curve(NamedTuple):
    """One loop as a curve over its trials."""

    loop_id: str
    task: str
    status: str
    rewards: tuple[float, ...]
    errors: tuple[int, ...]
    learning_rate: float
    breakthroughs: tuple[int, ...]


class TaskType(NamedTuple):
    """Loops with the same kind of task, in the order they were run."""

    task: str
    loops: int
    first_trials: float
    last_trials: float
    improvement: float


class Analysis(NamedTuple):
    """Everything `loop analyze` shows."""

    loops: int = 0
    succeeded: int = 0
    trials: int = 0
    success_rate: float = 0.0
    learning_rate: float = 0.0
    trials_to_success: float | None = None
    seconds_to_success: float | None = None
    breakthroughs: int = 0
    low_quality: int = 0
    average_confidence: float | None = None
    confidence_correlation: float | None = None
    categories: tuple[tuple[str, int], ...] = ()
    reward_curve: tuple[float, ...] = ()
    error_curve: tuple[float, ...] = ()
    lesson_reuse_rate: float = 0.0
    success_with_lessons: float | None = None
    success_without_lessons: float | None = None
    repeated: tuple[TaskType, ...] = ()
    curves: tuple[Curve, ...] = ()


def analyze(states: Iterable[LoopState]) -> Analysis:
    """The numbers of all loops, and the curves of the newest."""
    loops = sorted(states, key=lambda state: state.created_at)
    trials = [trial for state in loops for trial in state.trials]
    won = [state for state in loops if state.passed]
    ways: dict[bool, list[LoopState]] = {True: [], False: []}  # with lessons, and without
    for state in loops:
        ways[any(trial.lessons_used for trial in state.trials)].append(state)
    curves = []
    for state in loops:
        rewards = tuple(state.rewards)  # the rate is (last - first) / trials, as published
        rate = (rewards[-1] - rewards[0]) / len(rewards) if len(rewards) > 1 else 0.0
        better = tuple(t.number for t in state.trials if t.delta and t.delta.is_improvement)
        errors, task = tuple(trial.errors for trial in state.trials), one_line(state.task, 80)
        curves.append(
            Curve(state.loop_id, task, state.status, rewards, errors, round(rate, 6), better)
        )
    pairs = [  # how sure each reflection was, and whether the trial after it did better
        (trial.confidence, after.delta.is_improvement)
        for state in loops
        for trial, after in itertools.pairwise(state.trials)
        if trial.confidence is not None and after.delta is not None
    ]
    sure = [trial.confidence for trial in trials if trial.confidence is not None]
    return Analysis(
        loops=len(loops),
        succeeded=len(won),
        trials=len(trials),
        success_rate=_success(loops) or 0.0,
        learning_rate=_mean([one.learning_rate for one in curves]) or 0.0,
        trials_to_success=_mean([len(state.trials) for state in won]),
        seconds_to_success=_mean([sum(t.seconds for t in state.trials) for state in won]),
        breakthroughs=sum(len(one.breakthroughs) for one in curves),
        low_quality=sum(trial.quality == "low" for trial in trials),
        average_confidence=_mean(sure),
        confidence_correlation=correlation(pairs),
        categories=tuple(Counter(t.category for t in trials if t.category).most_common()),
        reward_curve=_mean_curve([one.rewards for one in curves]),
        error_curve=_mean_curve([one.errors for one in curves]),
        lesson_reuse_rate=round(len(ways[True]) / max(1, len(loops)), 4),
        success_with_lessons=_success(ways[True]),
        success_without_lessons=_success(ways[False]),
        repeated=repeated_tasks(loops),
        curves=tuple(curves[-_CURVES:]),
    )


def correlation(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Pearson's r between confidence and improvement; None when it has no meaning."""
    if len(pairs) < 3:
        return None
    try:
        return round(statistics.correlation(*zip(*pairs, strict=True)), 4)
    except statistics.StatisticsError:  # all values are the same
        return None


def repeated_tasks(loops: Sequence[LoopState]) -> tuple[TaskType, ...]:
    """Kinds of tasks that came more than once: did the later loops need fewer trials?"""
    groups: dict[str, list[LoopState]] = {}
    for state in loops:
        groups.setdefault(fold(state.task).lower(), []).append(state)
    rows = []
    for group in groups.values():
        trials, half = [len(state.trials) for state in group], len(group) // 2
        if half:
            first, last = _mean(trials[:half]) or 0.0, _mean(trials[-half:]) or 0.0
            task = one_line(group[-1].task, 80)
            rows.append(TaskType(task, len(group), first, last, round(first - last, 4)))
    return tuple(sorted(rows, key=lambda row: -row.loops)[:20])


def _mean_curve(lines: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The mean at each trial, over the loops that got that far; at most 100 trials."""
    columns = itertools.zip_longest(*lines)
    known = ([value for value in column if value is not None] for column in columns)
    return tuple(_mean(column) or 0.0 for column in itertools.islice(known, 100))


def _mean(values: Sequence[float]) -> float | None:
    return round(statistics.fmean(values), 4) if values else None


def _success(loops: Sequence[LoopState]) -> float | None:
    return _mean([float(state.passed) for state in loops])


class SharedPoint(NamedTuple):
    """A point that several reflections make."""

    text: str
    frequency: int
    loops: tuple[str, ...]
    categories: tuple[str, ...]


def similar_loops(root: str, scope: Scope, task: str) -> dict[str, str]:
    """The loops whose tasks share at least half of their words, most similar first: id and task."""
    words = set(key_words(task))
    rows = []
    for state in files.every_loop(root, scope):
        others = set(key_words(state.task))
        share = len(words & others) / max(1, len(words | others))
        if share >= _SIMILAR:
            rows.append((-share, state.loop_id, state.task))
    return {loop_id: other for _, loop_id, other in sorted(rows)[:_MOST_SIMILAR]}


def has_words(record: Record, keywords: Sequence[str]) -> bool:
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
    # Whole words with common endings; an underscore separates words.
    forms = (rf"(?<![^\W_]){re.escape(word)}(?:s|es|ed|ing)?(?![^\W_])" for word in keywords)
    return any(re.search(form, text, re.IGNORECASE) for form in forms)


def patterns(
    records: Iterable[Record], *, min_frequency: int = 2, parts: Sequence[str] = PARTS
) -> list[SharedPoint]:
    """Points that at least `min_frequency` reflections share, most frequent first."""
    if unknown := set(parts) - set(PARTS):
        names = ", ".join(sorted(map(str, unknown)))
        raise InvalidInput(f"patterns are found in {' and '.join(PARTS)}, not in {names}")
    if min_frequency < 1:
        raise InvalidInput(f"min_frequency must be at least 1, not {min_frequency}")
    rows_by_key: dict[str, list[tuple[str, Record]]] = {}
    for record in records:
        lines = [line for part in parts for line in getattr(record.self_reflection, part)]
        # Lines that differ only in file names, numbers and quotes say the same.
        points = {" ".join(re.findall(r"[\w<>]+", fold(line).lower())): line for line in lines}
        for key, line in points.items():
            rows_by_key.setdefault(key, []).append((line, record))
    found = []
    for key, rows in rows_by_key.items():
        if key and len(rows) >= min_frequency:
            loops = dict.fromkeys(record.loop_id for _, record in rows)
            kinds = dict.fromkeys(record.category for _, record in rows)
            found.append(SharedPoint(rows[-1][0], len(rows), tuple(loops), tuple(kinds)))
    return sorted(found, key=lambda point: (-point.frequency, point.text))
