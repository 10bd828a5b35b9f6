"""Reflect: ask a model what can be learnt from an episode, or how good an answer is."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import datetime
from difflib import SequenceMatcher
from typing import NamedTuple

from hardwon.core.errors import BadReply
from hardwon.core.text.clean import clip, clip_middle, one_line
from hardwon.core.text.protocol import SCHEMA, Blocks, blocks, is_nothing, parse
from hardwon.core.values.job import Job
from hardwon.core.values.lesson import (
    RULES,
    RUN,
    Evidence,
    Kind,
    Lesson,
    Status,
    evidence_of,
    unique,
)
from hardwon.core.values.run import Episode, Trigger
from hardwon.knowledge.ranking.query import Query
from hardwon.knowledge.reading.call_keys import typed_keys
from hardwon.knowledge.reading.error_line import error_line
from hardwon.knowledge.reading.mistakes import failure_of, focus
from hardwon.models import ask
from hardwon.storage.ports import LessonStore, Model, Request

_ATTEMPT_SHOWN, _OUTCOME_SHOWN, _TASK_SHOWN = 1500, 800, 4000
_SURE = 0.5  # a lesson of lower confidence has no fix
_LOOKED_AT = 20  # lessons about the same failure


async def reflect(job: Job, *, model: Model, system: str) -> Lesson | None:
    """The lesson of a job, or None when there is nothing to learn.

    If the reply does not follow the format, the model is asked once more; then BadReply is raised.
    """
    found, author = await ask(model, request(job, system), parse)
    return found and _lesson(job, found, author=author)


def known_lesson(job: Job, *, lessons: LessonStore, now: datetime) -> Lesson | None:
    """The lesson that an earlier run with this very task, attempt and error made; else None."""
    failure = failure_of(job.episode) if job.trigger == Trigger.ERROR else None
    if failure is None:
        return None
    query = Query("error", "", signature=failure.exact, kind=failure.kind)
    matches = lessons.match(job.episode.scope, query, now=now, limit=_LOOKED_AT)
    own = (match.lesson for match in matches if match.lesson.scope == job.episode.scope)
    return next((lesson for lesson in own if job.id in evidence_of(lesson, Kind.JOB)), None)


def request(job: Job, system: str) -> Request:
    """The request to the model about a job."""
    episode = job.episode
    sections = (
        f"TASK:\n{clip_middle(episode.task, _TASK_SHOWN)}",
        f"ATTEMPT:\n{clip_middle(attempt_text(episode), _ATTEMPT_SHOWN)}",
        f"OUTCOME (why we are reflecting):\n{clip(job.outcome, _OUTCOME_SHOWN)}",
        f"TRIGGER: {job.trigger}",
    )
    return Request(system, "\n\n".join(sections), episode, schema=SCHEMA)


def attempt_text(episode: Episode) -> str:
    """The attempt as text, then the steps around the failure."""
    at = focus(episode)
    steps = episode.steps if at is None else episode.steps[max(0, at - 2) : at + 6]
    steps_text = "\n".join(
        f"{'FAILED' if step.failed else 'ok'}: {clip(step.args, 300)}\n"
        f"{clip_middle(step.output, 300)}"
        for step in steps
    )
    return "\n\n".join(part for part in (clip_middle(episode.attempt, 900), steps_text) if part)


def _lesson(job: Job, found: Blocks, *, author: str) -> Lesson:
    episode, failure = job.episode, failure_of(job.episode)
    at = focus(episode)
    failed = episode.steps[at] if at is not None else None
    calls = typed_keys(failed.tool, failed.args, error_line(failed.output)) if failed else ()
    status: str = Status.PROVEN
    if author == RULES and job.trigger == Trigger.ERROR:  # what rules say is to be proven
        status = Status.CANDIDATE if found.confidence >= _SURE else Status.SEEN
    return Lesson(
        scope=episode.scope,
        situation=found.situation,
        mistake=found.mistake,
        correction=found.correction,
        tags=found.tags,
        trigger=job.trigger,
        signatures=(failure.exact,) if failure and failure.exact else (),
        kinds=(failure.kind,) if failure else (),
        calls=unique(calls),
        evidence=(Evidence(Kind.JOB, job.id, job.enqueued_at.timestamp()),),
        origin=f"{RUN}:{episode.source}",
        author=author,
        job=job.id,
        confidence=found.confidence,
        status=status,
        met=0 if failed else 1,  # a failing step has been counted when it was recorded
    )


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
