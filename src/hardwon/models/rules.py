"""A lesson without any model: from the failing call, its error, and the later call that worked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.domain.fixes import find_fix
from hardwon.domain.repair import fails_with, quoted, way_around
from hardwon.domain.signature import error_line
from hardwon.domain.text import clip, one_line
from hardwon.errors import PermanentError
from hardwon.ports import Reply

if TYPE_CHECKING:
    from hardwon.domain.episode import Episode, Step
    from hardwon.ports import Request

_FIXED, _UNFIXED = 0.8, 0.3


class Rules:
    """Answers in the models' own protocol, so that everything after it is the same."""

    name = "rules"

    async def complete(self, request: Request) -> Reply:
        if request.episode is None:
            raise PermanentError("rules can only reflect on an episode; this needs a model")
        return Reply(answer(request.episode), model=self.name)


def answer(episode: Episode) -> str:
    """The lesson of an episode as the blocks of the protocol."""
    failure = next((step for step in reversed(episode.steps) if step.failed), None)
    if failure is None:
        return _without_steps(episode)
    error = error_line(failure.output) or error_line(episode.error)
    fix = find_fix(episode.steps, episode.steps.index(failure))
    task = clip(one_line(episode.task), 160)
    call = quoted(failure)
    return _blocks(
        situation=f"When the task is like “{task}” and you would run {call}",
        mistake=f"{call} failed: {clip(one_line(error), 300)}",
        correction=way_around(failure, fix) if fix else _unfixed(error),
        tags=_tags(failure),
        confidence=_FIXED if fix else _UNFIXED,
    )


def _without_steps(episode: Episode) -> str:
    why = episode.error or episode.signal("verifier_discrepancies")
    why = why or episode.signal("refine_low_quality_reason")
    if not why:
        return "<skip>nothing actionable</skip>"
    line = clip(one_line(error_line(why)), 300)
    return _blocks(
        situation=f"When the task is like “{clip(one_line(episode.task), 200)}”",
        mistake=f"The attempt ended with: {line}",
        correction=f"Expect “{line}” here: check its cause before trying the same way again.",
        tags=[],
        confidence=_UNFIXED,
    )


def _unfixed(error: str) -> str:
    return f"{fails_with(error)}; no way around it was found in that run."


def _tags(failure: Step) -> list[str]:
    words = failure.args.split()
    program = words[0].rsplit("/", 1)[-1] if words else ""
    return [tag for tag in (failure.tool.lower(), program.lower()) if tag.isidentifier()]


def _blocks(
    *, situation: str, mistake: str, correction: str, tags: list[str], confidence: float
) -> str:
    return (
        f"<situation>{situation}</situation>\n<mistake>{mistake}</mistake>\n"
        f"<correction>{correction}</correction>\n<tags>{', '.join(tags)}</tags>\n"
        f"<confidence>{confidence}</confidence>"
    )
