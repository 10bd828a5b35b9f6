"""Let a model improve or check an answer of the agent, or imagine a lesson to search with."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import NamedTuple

from hardwon.core.errors import BadReply
from hardwon.core.text.clean import clip_middle, one_line
from hardwon.core.text.protocol import blocks, is_nothing
from hardwon.models import ask
from hardwon.storage.ports import Model, Request

PASSES, QUESTIONS = 3, 3
ENOUGH = 7.0  # of 10
_SAME = 0.97  # texts of at least this similarity are the same answer
_SHOWN = 6000
_QUERY_SHOWN, _HYPOTHESIS_TOKENS, _HYPOTHESIS_KEPT, _REMEMBERED = 2000, 120, 600, 256


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
    best = await _score(task, answer, model, prompt("refine_critique"))
    for number in range(1, passes + 1):
        if best.score >= ENOUGH:
            break
        question = f"{_question(task, best.text)}\n\nCRITIQUE:\n{best.critique}"
        reply = await model.complete(Request(prompt("refine_rewrite"), question, max_tokens=4000))
        text = blocks(reply.text, ("revised",)).get("revised") or best.text
        matcher = SequenceMatcher(None, text[:_SHOWN], best.text[:_SHOWN])
        if matcher.real_quick_ratio() >= _SAME and matcher.ratio() >= _SAME:
            break
        rewritten = await _score(task, text, model, prompt("refine_critique"))
        if rewritten.score <= best.score:
            break
        best = rewritten._replace(passes=number)
    return best


async def _score(task: str, text: str, model: Model, system: str) -> Refined:
    def parse(reply: str) -> Refined:
        parts = blocks(reply, ("score", "critique"))
        score = re.search(r"\d+(?:\.\d+)?", parts.get("score", ""))
        if not score:
            raise BadReply("a <score> block", reply)
        return Refined(text, min(10.0, float(score[0])), one_line(parts.get("critique", ""), 1000))

    refined, _ = await ask(model, Request(system, _question(task, text)), parse)
    return refined


def _question(task: str, answer: str) -> str:
    return f"TASK:\n{clip_middle(task, _SHOWN)}\n\nANSWER:\n{clip_middle(answer, _SHOWN)}"


class Verification(NamedTuple):
    """The discrepancies that were found; `signals` go to `after_run`."""

    discrepancies: tuple[str, ...] = ()
    final: str = ""  # the corrected answer

    @property
    def signals(self) -> dict[str, str]:
        """The signals for `after_run` if the answer has discrepancies; else {}."""
        if not self.discrepancies:
            return {}
        return {
            "verified_with_discrepancy": "true",
            "verifier_discrepancies": "; ".join(self.discrepancies),
        }


async def verify(
    task: str, answer: str, *, model: Model, prompt: Callable[[str], str], limit: int = QUESTIONS
) -> Verification:
    """Check an answer by chain of verification, with at most `limit` + 3 calls of the model."""
    shown = _question(task, answer)
    reply = await model.complete(Request(prompt("verify_questions"), shown))
    asked = re.findall(r"(?is)<question\b[^<>]{0,80}>([^<]{1,800})", reply.text[:20_000])
    questions = [one_line(question, 400) for question in asked[:limit]]
    if not questions:
        return Verification(final=answer)
    replies = await asyncio.gather(
        *(model.complete(Request(prompt("verify_answer"), question)) for question in questions)
    )
    findings = (
        f"QUESTION: {question}\nFOUND: {one_line(reply.text, 800)}"
        for question, reply in zip(questions, replies, strict=True)
    )
    comparison = Request(prompt("verify_compare"), "\n\n".join((shown, *findings)))
    verdict, _ = await ask(model, comparison, lambda reply: _verdict(reply, answer))
    return verdict


def _verdict(reply: str, answer: str) -> Verification:
    parts = blocks(reply, ("status", "discrepancies", "final"))
    status = parts.get("status", "").lower()
    if "clean" in status:
        return Verification(final=answer)
    if "discrepancy" not in status:
        raise BadReply("a <status> block", reply)
    lines = [line.strip(" -*\t") for line in parts.get("discrepancies", "").splitlines()]
    problems = tuple(line for line in lines if line) or ("the answer did not hold",)
    return Verification(problems, parts.get("final") or answer)


async def hypothesis(query: str, *, model: Model, system: str, known: dict[str, str]) -> str:
    """A lesson that might exist for this query (HyDE): one short call, or one of the `known`."""
    key = one_line(query, _QUERY_SHOWN).lower()
    if key not in known:
        shown = clip_middle(query, _QUERY_SHOWN)
        reply = await model.complete(Request(system, shown, max_tokens=_HYPOTHESIS_TOKENS))
        if len(known) >= _REMEMBERED:
            known.pop(next(iter(known)))
        text = reply.text or ""
        known[key] = "" if is_nothing(text) else one_line(text, _HYPOTHESIS_KEPT)
    return known[key]
