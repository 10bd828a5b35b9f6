"""The prompt of the actor: the task, reflections, known facts, and the checks.

Of the reflections a window of Ω is shown, chosen by a policy, within a budget.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clip
from hardwon.learn.trials.credit import describe
from hardwon.learn.trials.evaluate import verifier
from hardwon.learn.trials.values import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.values import Options, Record

_ERRORS_SHOWN = 10
DEFAULTS = {
    "unit_tests": 1,
    "integration_tests": 3,
    "type_check": 1,
    "lint": 1,
    "combined": 3,
    "manual_review": 5,
}
_OTHERWISE = 3
_LARGEST = 10
_LINE = r"(\w\.[A-Za-z]{1,5}):\d{1,7}\b(?::\d{1,7}\b)?"
_DECAY = 0.8  # the weight of each trial further back


class Prompt(str):
    """The prompt of one trial: a string that also has its parts as attributes."""

    task: str
    trial: int
    reflections: tuple[Record, ...]

    @classmethod
    def of(
        cls,
        options: Options,
        trial: int,
        *,
        window: Sequence[Record],
        last: Record | None,
        known: str,
    ) -> Prompt:
        """The prompt of a trial with the reflections that fit and the errors of the last trial."""
        fitted = fitting(window, options.window_tokens)
        taught = (
            "## What earlier trials taught\n"
            f"This is trial {trial + 1} of at most {options.max_trials}. These are my reflections"
            " on trials that failed, oldest first. Do not repeat what failed."
        )
        errors = last.evaluator_output.errors[:_ERRORS_SHOWN] if last else ()
        checks = [
            f"a person: {check.command}" if check.is_manual else f"`{check.command}`"
            for check in map(verifier, options.verify)
        ]
        sections = (
            options.task,
            "\n\n".join((taught, *(text for _, text in fitted))) if fitted else "",
            _list(
                "## What the tools said last",
                [f"{error.tool or 'check'}: {describe(error)}" for error in errors],
            ),
            known,
            _list("## How the work will be checked", checks),
        )
        prompt = cls("\n\n".join(section for section in sections if section) + "\n")
        prompt.task, prompt.trial = options.task, trial
        prompt.reflections = tuple(record for record, _ in fitted)
        return prompt


def _list(head: str, items: Sequence[str]) -> str:
    return "\n".join((head, *(f"- {item}" for item in items))) if items else ""


def check_omega(text: str) -> None:
    """Refuse all but `""` (by what is verified), `auto` (by how varied failures are), 1 … 10."""
    is_number = text.isascii() and text.isdigit() and 1 <= int(text) <= _LARGEST
    if text not in ("", "auto") and not is_number:
        raise InvalidInput(f"omega must be auto or in 1 … {_LARGEST}, not {text!r}")


def omega(setting: str, kind: str, records: Sequence[Record]) -> int:
    """The size of the window; by `auto` larger when there are more kinds of failure."""
    if setting == "auto":
        kinds = len({record.category for record in records})
        return 5 if kinds >= 5 else 3 if kinds >= 3 else 1
    return int(setting) if setting else DEFAULTS.get(kind, _OTHERWISE)


def window(records: Sequence[Record], *, policy: Policy, size: int) -> list[Record]:
    """At most `size` reflections, oldest first.

    Chosen are the newest, the newest on each failure (`recency`), or the most relevant ones.
    """
    newest = sorted(records, key=lambda record: record.iteration, reverse=True)
    if policy == "recency":
        newest.sort(key=lambda record: (record.timestamp, record.iteration), reverse=True)
        first = {record.signature: record for record in reversed(newest)}.values()
        newest.sort(key=lambda record: record not in first)
    elif policy == "relevance_weighted" and newest:
        last = newest[0]
        newest.sort(key=lambda record: -relevance(record, last))
    return sorted(newest[:size], key=lambda record: record.iteration)


def relevance(record: Record, last: Record) -> float:
    """How relevant a reflection is to the last failure; older ones count less."""
    matching = 2.0 * (record.signature == last.signature) + 1.0 * (record.category == last.category)
    shared = _words(record) & _words(last)
    overlap = len(shared) / max(1, len(_words(last)))
    sure = 0.5 + record.self_reflection.confidence / 2
    return float(
        (1 + matching + 2 * overlap) * sure * _DECAY ** (last.iteration - record.iteration)
    )


def _words(record: Record) -> set[str]:
    texts = (error.message for error in record.evaluator_output.errors[:10])
    return set(re.findall(r"[a-z_]{3,}", " ".join(texts).lower()))


def tokens(text: str) -> int:
    """A rough count of tokens."""
    return math.ceil(len(text) / 4)


def fitting(records: Sequence[Record], budget: int) -> list[tuple[Record, str]]:
    """The rendered reflections that fit, newest chosen first, shown oldest first.

    The newest is always among them, cut if it must be.
    """
    fitted: list[tuple[Record, str]] = []
    remaining = budget
    newest_first = sorted(records, key=lambda record: record.iteration, reverse=True)
    for record in newest_first:
        text = render(record)
        if record is not newest_first[0]:
            text = re.sub(_LINE, r"\1", text)  # later edits have moved the lines
        if tokens(text) > remaining:
            if not fitted and budget:
                fitted.append((record, clip(text, budget * 4)))
            break
        fitted.append((record, text))
        remaining -= tokens(text)
    return fitted[::-1]


def render(record: Record) -> str:
    """One reflection as the actor reads it."""
    reflection = record.self_reflection
    parts = (
        f"### Trial {record.iteration + 1}",
        reflection.reflection_text,
        _list("What I will do differently:", reflection.actionable_insights),
        _list("What I learnt:", reflection.lessons_learned),
    )
    return "\n".join(part for part in parts if part)
