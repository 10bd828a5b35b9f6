"""Search reflections over all loops; rates, curves, and whether lessons help."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, get_args

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clip
from hardwon.core.values import DecodeError
from hardwon.knowledge.ranking.reflections import key_words
from hardwon.knowledge.reading.signature import fold
from hardwon.learn.trials import files
from hardwon.learn.trials.values import Category

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.core.values.scope import Scope
    from hardwon.learn.trials.values import LoopState, Record, Trial

_SIMILAR = 0.5  # share of common words of two similar tasks
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
    calibration: tuple[tuple[str, int, float], ...] = ()
    categories: tuple[tuple[str, int], ...] = ()
    reasons: tuple[tuple[str, int], ...] = ()
    reward_curve: tuple[float, ...] = ()
    error_curve: tuple[float, ...] = ()
    lesson_reuse_rate: float = 0.0
    success_with_lessons: float | None = None
    success_without_lessons: float | None = None
    repeated: tuple[TaskType, ...] = ()
    curves: tuple[Curve, ...] = ()


def analyze(states: Iterable[LoopState], *, curves: int = 12) -> Analysis:
    """The numbers of all loops, and the curves of the newest."""
    loops = sorted(states, key=lambda state: state.created_at)
    analysis = Analysis(loops=len(loops), repeated=repeated(loops))
    for part in (_with_ends, _with_reflections, _with_reuse):
        analysis = part(analysis, loops)
    return _with_curves(analysis, list(map(curve, loops)), shown=curves)


def _with_ends(analysis: Analysis, loops: Sequence[LoopState]) -> Analysis:
    """How the loops ended, and what success took."""
    won = [state for state in loops if state.passed]
    return analysis._replace(
        succeeded=len(won),
        success_rate=_rate(len(won), len(loops)) or 0.0,
        trials_to_success=_mean([len(state.trials) for state in won]),
        seconds_to_success=_mean([_seconds(state) for state in won]),
        reasons=tuple(Counter(map(_reason, loops)).most_common()),
    )


def _with_reflections(analysis: Analysis, loops: Sequence[LoopState]) -> Analysis:
    """What the failed trials were, and how good the reflections on them."""
    trials = [trial for state in loops for trial in state.trials]
    pairs = confidence_pairs(loops)
    kinds = Counter(str(trial.category) for trial in trials if trial.category)
    return analysis._replace(
        trials=len(trials),
        low_quality=sum(trial.quality == "low" for trial in trials),
        average_confidence=_mean([t.confidence for t in trials if t.confidence is not None]),
        confidence_correlation=correlation(pairs),
        calibration=calibration(pairs),
        categories=tuple(kinds.most_common()),
    )


def _with_reuse(analysis: Analysis, loops: Sequence[LoopState]) -> Analysis:
    """Whether loops that began with recalled lessons did better."""
    used = [state.passed for state in loops if _used_lessons(state)]
    unused = [state.passed for state in loops if not _used_lessons(state)]
    return analysis._replace(
        lesson_reuse_rate=_rate(len(used), len(loops)) or 0.0,
        success_with_lessons=_rate(sum(used), len(used)),
        success_without_lessons=_rate(sum(unused), len(unused)),
    )


def _with_curves(analysis: Analysis, lines: Sequence[Curve], *, shown: int) -> Analysis:
    """The loops as lines, and their means."""
    return analysis._replace(
        learning_rate=_mean([line.learning_rate for line in lines]) or 0.0,
        breakthroughs=sum(len(line.breakthroughs) for line in lines),
        reward_curve=_average([line.rewards for line in lines]),
        error_curve=_average([line.errors for line in lines]),
        curves=tuple(lines[-shown:]),
    )


def _seconds(state: LoopState) -> float:
    return sum(trial.seconds for trial in state.trials)


def curve(state: LoopState) -> Curve:
    """One loop as a curve; its rate is (last - first) / trials, as published."""
    rewards = tuple(trial.reward for trial in state.trials)
    rate = (rewards[-1] - rewards[0]) / len(rewards) if len(rewards) > 1 else 0.0
    better = tuple(t.number for t in state.trials if t.delta and t.delta.is_improvement)
    errors = tuple(trial.errors for trial in state.trials)
    task = clip(" ".join(state.task.split()), 80)
    return Curve(state.loop_id, task, state.status, rewards, errors, round(rate, 6), better)


def confidence_pairs(loops: Sequence[LoopState]) -> list[tuple[float, bool]]:
    """How sure each reflection was, and whether the trial after it did better."""
    return [
        (trial.confidence, after.delta.is_improvement)
        for state in loops
        for trial, after in zip(state.trials, state.trials[1:], strict=False)
        if trial.confidence is not None and after.delta is not None
    ]


def correlation(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Pearson's r between confidence and improvement; None when it has no meaning."""
    if len(pairs) < 3:
        return None
    xs, ys = [x for x, _ in pairs], [float(y) for _, y in pairs]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))
    if spread < 1e-12:
        return None
    return round(sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / spread, 4)


def calibration(pairs: Sequence[tuple[float, bool]]) -> tuple[tuple[str, int, float], ...]:
    """For each fifth of confidence: how many reflections, and how often the next trial improved."""
    bins: dict[int, list[bool]] = {}
    for sure, improved in pairs:
        bins.setdefault(min(int(sure * 5), 4), []).append(improved)
    return tuple(
        (f"{at / 5:.1f}–{(at + 1) / 5:.1f}", len(rows), round(sum(rows) / len(rows), 4))
        for at, rows in sorted(bins.items())
    )


def repeated(loops: Sequence[LoopState]) -> tuple[TaskType, ...]:
    """Kinds of tasks that came more than once: did the later loops need fewer trials?"""
    groups: dict[str, list[LoopState]] = {}
    for state in loops:
        groups.setdefault(fold(state.task).lower(), []).append(state)
    rows = [_task_type(group) for group in groups.values() if len(group) > 1]
    return tuple(sorted(rows, key=lambda row: -row.loops)[:20])


def _task_type(group: Sequence[LoopState]) -> TaskType:
    half = len(group) // 2
    first = _mean([len(state.trials) for state in group[:half]]) or 0.0
    last = _mean([len(state.trials) for state in group[-half:]]) or 0.0
    task = clip(" ".join(group[-1].task.split()), 80)
    return TaskType(task, len(group), first, last, round(first - last, 4))


def _used_lessons(state: LoopState) -> bool:
    return any(trial.lessons_used for trial in state.trials)


def _reason(state: LoopState) -> str:
    """Why a loop ended, without details of that loop."""
    return state.reason.split(":")[0].split(" in trial")[0].split(" (")[0] or state.status


def _average(lines: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The mean at each trial, over the loops that got that far; at most 100 trials."""
    longest = min(max((len(line) for line in lines), default=0), 100)
    columns = ([line[at] for line in lines if len(line) > at] for at in range(longest))
    return tuple(_mean(column) or 0.0 for column in columns)


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _rate(part: int, total: int) -> float | None:
    return round(part / total, 4) if total else None


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
        for state in files.every_loop(root, scope)
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
        for state in files.every_loop(root, scope)
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
        except (DecodeError, ValueError, OSError, RecursionError):
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
