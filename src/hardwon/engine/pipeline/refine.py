"""Refine: let a model criticise and rewrite an answer until it stops getting better."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import BadReply
from hardwon.core.text.clean import clip_middle, one_line
from hardwon.core.text.protocol import blocks
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.storage.ports import Model

PASSES = 3
ENOUGH = 7.0  # of 10
_SAME = 0.97  # texts of at least this similarity are the same answer
_SHOWN = 6000


class Refined(NamedTuple):
    """The best text, its score and its critique; `signals` go to `after_run`."""

    text: str
    score: float
    critique: str = ""
    passes: int = 0

    @property
    def signals(self) -> dict[str, str]:
        """The signals for `after_run` if the answer stayed poor; else {}."""
        if self.score >= ENOUGH:
            return {}
        return {"refine_low_quality": "true", "refine_low_quality_reason": self.critique}


async def refine(
    task: str, answer: str, *, model: Model, prompt: Callable[[str], str], passes: int = PASSES
) -> Refined:
    """The answer, rewritten as long as its score rises; a worse version is thrown away."""
    best = await _judged(task, answer, model, prompt)
    for number in range(1, passes + 1):
        if best.score >= ENOUGH:
            break
        text = await _rewritten(task, best, model, prompt)
        if _is_same(text, best.text):
            break
        rewritten = (await _judged(task, text, model, prompt))._replace(passes=number)
        if rewritten.score <= best.score:
            break
        best = rewritten
    return best


async def _judged(task: str, text: str, model: Model, prompt: Callable[[str], str]) -> Refined:
    prompt_text = f"TASK:\n{clip_middle(task, _SHOWN)}\n\nANSWER:\n{clip_middle(text, _SHOWN)}"
    reply = await model.complete(Request(prompt("refine_critique"), prompt_text))
    parts = blocks(reply.text, ("score", "critique"))
    score = re.search(r"\d+(?:\.\d+)?", parts.get("score", ""))
    if not score:
        raise BadReply("a <score> block", reply.text)
    return Refined(text, min(10.0, float(score[0])), one_line(parts.get("critique", ""), 1000))


async def _rewritten(task: str, best: Refined, model: Model, prompt: Callable[[str], str]) -> str:
    prompt_text = (
        f"TASK:\n{clip_middle(task, _SHOWN)}\n\nANSWER:\n{clip_middle(best.text, _SHOWN)}"
        f"\n\nCRITIQUE:\n{best.critique}"
    )
    reply = await model.complete(Request(prompt("refine_rewrite"), prompt_text, max_tokens=4000))
    return blocks(reply.text, ("revised",)).get("revised") or best.text


def _is_same(text: str, other: str) -> bool:
    matcher = SequenceMatcher(None, text[:_SHOWN], other[:_SHOWN])
    return matcher.real_quick_ratio() >= _SAME and matcher.ratio() >= _SAME
