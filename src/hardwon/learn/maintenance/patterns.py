"""Recurring errors and proposals against them: by rules, or worded by a model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core.errors import BadReply, HardwonError
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.text.grounding import fold_text, is_generic, keep_supported
from hardwon.core.text.protocol import json_object, schema_of, text_in, texts_in
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.engine.runtime import prompt_text
from hardwon.knowledge.reading.signature import fold
from hardwon.models import ask
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.core.values.reflection import Reflection
    from hardwon.engine.runtime import Runtime
    from hardwon.knowledge.ranking.duplicates import Conflict

_KEPT, _PROPOSED, _RISKY = 20, 5, 3
_SLOW = 5000  # milliseconds
_TIMEOUT = r"(?i:tim(?:ed|e)[ -]?out|deadline exceeded)"
SCHEMA = schema_of(
    reflection={"type": "string"}, improvements={"type": "array", "items": {"type": "string"}}
)
_ADVICE = {
    "timeout": "“{text}” ran out of time (×{count}): give it more, or less to do",
    "slow": "“{text}” was slow (×{count}): split it, or keep what it has found",
    "repeated": "“{text}” came back (×{count}): its lesson is missing, or is not heeded",
    "error": "“{text}” failed: see whether a lesson names it",
}


class RecurringError(NamedTuple):
    """Something that went wrong, how often, and of what kind."""

    kind: str  # timeout, slow, repeated, error
    text: str
    times: int

    @property
    def is_risky(self) -> bool:
        """Whether it happens often enough to expect it again."""
        return self.times >= _RISKY


class Memories(NamedTuple):
    """Goals and runs that a dream looks at, besides lessons."""

    goals: Sequence[Reflection] = ()
    runs: Sequence[Reflection] = ()
    failures: Sequence[tuple[str, int]] = ()  # readable signatures, and how often met


def extract(past: Memories) -> list[RecurringError]:
    """The patterns behind ended goals, noted runs and counted failures, the commonest first."""
    counts: dict[tuple[str, str], int] = {}
    texts: dict[tuple[str, str], str] = {}
    failures = [(text, "failure", times) for text, times in past.failures]
    for text, how, times in (*_of_goals(past.goals), *_of_runs(past.runs), *failures):
        key = (fold(text), how)
        texts.setdefault(key, text)
        counts[key] = counts.get(key, 0) + times
    errors = [
        RecurringError(_kind(texts[key], key[1], n), texts[key], n) for key, n in counts.items()
    ]
    return sorted(errors, key=lambda error: (-error.times, error.text))[:_KEPT]


def _of_goals(goals: Iterable[Reflection]) -> Iterator[tuple[str, str, int]]:
    """The errors of failed goals; a goal without one counts by its objective."""
    for goal in goals:
        if goal.state == "failed":
            errors = _detail(goal).get("errors") or [goal.title or goal.subject]
            yield from ((str(error), "failure", 1) for error in errors)


def _of_runs(runs: Iterable[Reflection]) -> Iterator[tuple[str, str, int]]:
    for run in runs:
        detail = _detail(run)
        if not detail.get("success", True):
            is_late = re.search(_TIMEOUT, run.insight)
            yield run.insight if is_late else run.subject, "failure", 1
        elif detail.get("duration_ms", 0) > _SLOW:
            yield run.subject, "slow", 1


def _detail(reflection: Reflection) -> dict[str, Any]:
    """The extra fields; other programs may have written anything there."""
    try:
        detail = json.loads(reflection.detail)
    except ValueError:
        return {}
    return detail if isinstance(detail, dict) else {}


def conclude(
    engine: Runtime, errors: Sequence[RecurringError], conflicts: Sequence[Conflict], *, seen: str
) -> tuple[str, tuple[str, ...]]:
    """One line of reflection, and at most five improvements."""
    by_rules = proposals(errors, conflicts)
    risky = sum(error.is_risky for error in errors)
    often = f"; {risky} of {len(errors)} failure patterns happened {_RISKY} times or more"
    disputes = plural(len(conflicts), "contradiction")
    reflection = f"{seen}, {disputes}{often if errors else ''}"
    if not engine.has_model:
        return reflection, by_rules
    counts = "\n".join((reflection, *by_rules))
    request = Request(prompt_text("dream"), counts, max_tokens=400, schema=SCHEMA)
    try:
        (words, improvements), _ = run_sync(lambda: ask(engine.model, request, parse))
    except HardwonError:
        return reflection, by_rules
    grounds = fold_text(counts)
    kept = [keep_supported(line, grounds)[0] for line in (words, *improvements)]
    return kept[0] or reflection, tuple(filter(None, kept[1:])) or by_rules


def parse(reply: str) -> tuple[str, tuple[str, ...]]:
    """Reflection and improvements from a model's answer; BadReply without a reflection."""
    answer = json_object(reply, ("reflection",))
    words = one_line(redact(text_in(answer, "reflection", 300)))
    if not words:
        raise BadReply("a reflection", reply)
    improvements = texts_in(answer, "improvements", 300, most=_PROPOSED)
    return words, tuple(one_line(redact(line)) for line in improvements if not is_generic(line))


def proposals(errors: Sequence[RecurringError], conflicts: Sequence[Conflict]) -> tuple[str, ...]:
    """What rules propose: settle contradictions, then see to what happens most."""
    disputes = [
        f"Lessons #{pair.first} and #{pair.second} contradict each other: say when each holds"
        for pair in conflicts[:2]
    ]
    risky = [error for error in errors if error.is_risky or error.kind == "timeout"]
    advice = [
        _ADVICE[error.kind].format(text=clip(one_line(error.text), 120), count=error.times)
        for error in risky
    ]
    return tuple([*disputes, *advice][:_PROPOSED])


def _kind(text: str, how: str, count: int) -> str:
    if re.search(_TIMEOUT, text):
        return "timeout"
    if how == "slow":
        return "slow"
    return "repeated" if count >= _RISKY else "error"
