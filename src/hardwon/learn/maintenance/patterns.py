"""What keeps going wrong, and what that asks for: by rules, or worded by a model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon._sync import run_sync
from hardwon.errors import HardwonError
from hardwon.ports import Request
from hardwon.runtime import prompt_text
from hardwon.text.clean import clip, one_line
from hardwon.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.ranking.duplicates import Conflict
    from hardwon.runtime import Runtime
    from hardwon.values.reflection import Reflection

_KEPT, _PROPOSED, _RISKY = 20, 5, 3
_SLOW = 5000  # milliseconds
_TIMEOUT = r"(?i:tim(?:ed|e)[ -]?out|deadline exceeded)"
_ADVICE = {
    "timeout": "“{text}” ran out of time (×{count}): give it more, or less to do",
    "slow": "“{text}” was slow (×{count}): split it, or keep what it has found",
    "repeated": "“{text}” came back (×{count}): its lesson is missing, or is not heeded",
    "error": "“{text}” failed: see whether a lesson names it",
}


class Pattern(NamedTuple):
    """Something that went wrong, how often, and of what kind."""

    kind: str  # timeout, slow, repeated, error
    text: str
    times: int

    @property
    def is_risky(self) -> bool:
        """Whether it happens often enough to expect it again."""
        return self.times >= _RISKY


def extract(runs: Iterable[Reflection], failures: Iterable[tuple[str, int]]) -> list[Pattern]:
    """The patterns behind noted runs and counted failures, the commonest first."""
    counts: dict[tuple[str, str], int] = {}
    for run in runs:
        detail = json.loads(run.detail)
        if not detail.get("success", True):
            key = (run.subject, "failure")
        elif detail.get("duration_ms", 0) > _SLOW:
            key = (run.subject, "slow")
        else:
            continue
        text = run.insight if key[1] == "failure" and re.search(_TIMEOUT, run.insight) else key[0]
        counts[text, key[1]] = counts.get((text, key[1]), 0) + 1
    for text, met in failures:
        counts[text, "failure"] = counts.get((text, "failure"), 0) + met
    found = [Pattern(_kind(text, how, count), text, count) for (text, how), count in counts.items()]
    return sorted(found, key=lambda one: (-one.times, one.text))[:_KEPT]


def conclude(
    engine: Runtime, found: Sequence[Pattern], conflicts: Sequence[Conflict], *, lessons: int
) -> tuple[str, tuple[str, ...]]:
    """A reflection on the night in one line, and at most five improvements."""
    known = proposals(found, conflicts)
    reflection = _summary(found, conflicts, lessons)
    if engine.model.name == "rules":
        return reflection, known
    asked = Request(prompt_text("dream"), "\n".join((reflection, *known)), max_tokens=400)
    try:
        reply = run_sync(lambda: engine.model.complete(asked))
    except HardwonError:
        return reflection, known
    return parse(redact(reply.text), otherwise=(reflection, known))


def parse(reply: str, *, otherwise: tuple[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
    """The two parts of a model's reply; a reply out of form still gives its first words."""
    head = re.search(r"(?im:^\W*REFLECTION\W*:(.*)$)", reply)
    _, _, tail = reply.partition("IMPROVEMENTS")
    listed = [one_line(one, 300) for one in re.findall(r"(?m:^\s*[-*•]\s+(\S.*)$)", tail)]
    text = one_line(head[1] if head else reply, 300)
    return text or otherwise[0], tuple(listed[:_PROPOSED]) or otherwise[1]


def proposals(found: Sequence[Pattern], conflicts: Sequence[Conflict]) -> tuple[str, ...]:
    """What rules propose: settle contradictions, then see to what happens most."""
    disputes = [
        f"Lessons #{pair.first} and #{pair.second} contradict each other: edit or delete one"
        for pair in conflicts[:2]
    ]
    risky = [one for one in found if one.is_risky or one.kind == "timeout"]
    advice = [
        _ADVICE[one.kind].format(text=clip(one_line(one.text), 120), count=one.times)
        for one in risky
    ]
    return tuple([*disputes, *advice][:_PROPOSED])


def _summary(found: Sequence[Pattern], conflicts: Sequence[Conflict], lessons: int) -> str:
    risky = sum(one.is_risky for one in found)
    disputes = f"{len(conflicts)} contradiction{'' if len(conflicts) == 1 else 's'}"
    often = f"; {risky} of {len(found)} failure patterns happened {_RISKY} times or more"
    return f"{lessons} lessons, {disputes}{often if found else ''}"


def _kind(text: str, how: str, count: int) -> str:
    if re.search(_TIMEOUT, text):
        return "timeout"
    if how == "slow":
        return "slow"
    return "repeated" if count >= _RISKY else "error"
