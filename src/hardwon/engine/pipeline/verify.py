"""Verify: check an answer by questions about it that are answered independently."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import BadReply
from hardwon.core.text.clean import clip_middle, one_line
from hardwon.core.text.protocol import blocks
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.storage.ports import Model

QUESTIONS = 3
_SHOWN = 6000


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
    """Check an answer by chain of verification, with at most `limit` + 2 calls of the model."""
    prompt_text = f"TASK:\n{clip_middle(task, _SHOWN)}\n\nANSWER:\n{clip_middle(answer, _SHOWN)}"
    question_reply = await model.complete(Request(prompt("verify_questions"), prompt_text))
    questions = [one_line(question, 400) for question in _every("question", question_reply.text)][
        :limit
    ]
    if not questions:
        return Verification(final=answer)
    replies = await asyncio.gather(
        *(model.complete(Request(prompt("verify_answer"), question)) for question in questions)
    )
    findings = "\n\n".join(
        f"QUESTION: {question}\nFOUND: {one_line(reply.text, 800)}"
        for question, reply in zip(questions, replies, strict=True)
    )
    comparison = await model.complete(
        Request(prompt("verify_compare"), f"{prompt_text}\n\n{findings}")
    )
    return _verdict(comparison.text, answer)


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


def _every(name: str, text: str) -> list[str]:
    """All blocks of one name, in order."""
    return re.findall(rf"(?is)<{name}\b[^<>]{{0,80}}>([^<]{{1,800}})", text[:20_000])
