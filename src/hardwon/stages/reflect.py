"""Reflect: ask a model, or rules, what is to be learnt from an episode."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.domain.calls import blamed_keys
from hardwon.domain.lesson import Lesson, clean_tags, unique
from hardwon.domain.signature import error_line, signature
from hardwon.domain.text import clip, clip_middle
from hardwon.errors import BadReply
from hardwon.ports import Request

if TYPE_CHECKING:
    from hardwon.domain.episode import Episode, Step
    from hardwon.domain.job import Job
    from hardwon.ports import Model

_ATTEMPT_SHOWN, _OUTCOME_SHOWN = 1500, 800
_BLOCK = re.compile(
    r"<(situation|mistake|correction|tags|skip|confidence)\b[^>]{0,200}>(.*?)</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)


async def reflect(job: Job, *, model: Model, system: str) -> Lesson | None:
    """The lesson of a job, or None when there is nothing to learn."""
    reply = await model.complete(request(job, system))
    blocks = parse(reply.text)
    if "skip" in blocks:
        return None
    for needed in ("situation", "correction"):
        if not blocks.get(needed):
            raise BadReply(f"a <{needed}> block", reply.text)
    return _lesson(job, blocks, author=reply.model or model.name)


def request(job: Job, system: str) -> Request:
    """The question put to the model."""
    episode = job.episode
    sections = (
        f"TASK:\n{episode.task}",
        f"ATTEMPT:\n{clip_middle(attempt_text(episode), _ATTEMPT_SHOWN)}",
        f"OUTCOME (why we are reflecting):\n{clip(job.outcome, _OUTCOME_SHOWN)}",
        f"TRIGGER: {job.trigger}",
    )
    return Request(system, "\n\n".join(sections), episode)


def attempt_text(episode: Episode) -> str:
    """What was tried, in words: the attempt, or the steps when that is all there is."""
    if episode.attempt:
        return episode.attempt
    return "\n".join(
        f"{'FAILED' if step.failed else 'ok'}: {step.args}\n{clip_middle(step.output, 300)}"
        for step in episode.steps
    )


def parse(text: str) -> dict[str, str]:
    """The blocks of a reply by name; the last of a kind counts."""
    return {name.lower(): body.strip() for name, body in _BLOCK.findall(text)}


def _lesson(job: Job, blocks: dict[str, str], author: str) -> Lesson:
    episode = job.episode
    failed = [step for step in episode.steps if step.failed]
    signatures = [signature(step.tool, step.output).digest for step in failed[-1:]]
    if episode.error and not failed:
        signatures = [signature("run", episode.error).digest]
    return Lesson(
        scope=episode.scope,
        situation=blocks["situation"],
        mistake=blocks.get("mistake", ""),
        correction=blocks["correction"],
        tags=clean_tags(tuple(blocks.get("tags", "").split(","))),
        trigger=job.trigger,
        signatures=unique(tuple(signatures)),
        calls=unique(tuple(key for step in failed[-1:] for key in _blamed(step))),
        evidence=(f"job:{job.id}",),
        origin=f"run:{episode.source}",
        author=author,
        job=job.id,
        confidence=float(blocks.get("confidence", 0.6)),
        met=0 if failed else 1,  # a step was counted when it was recorded
    )


def _blamed(step: Step) -> tuple[str, ...]:
    return blamed_keys(step.tool, step.args, error_line(step.output))
