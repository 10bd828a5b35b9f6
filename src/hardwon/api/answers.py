"""Direct calls of the model: verify an answer, refine it, imagine a lesson, try the model."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hardwon.core import time_limits
from hardwon.core.errors import HardwonError, InvalidInput, PermanentError
from hardwon.engine.pipeline import answers, screen
from hardwon.engine.runtime import TEXT_LIMIT, prompt_text
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime
    from hardwon.storage.ports import Reply

_TRIAL = Request("Answer with one word and nothing else.", "Write the word: ready", max_tokens=100)


def tried(engine: Runtime) -> Reply:
    """The model's answer to one small request; an error says what is wrong."""
    if not engine.has_model:
        raise InvalidInput("no model is set; `hardwon config set model.name NAME` chooses one")
    model = engine.model
    reply = time_limits.run_sync(lambda: model.complete(_TRIAL))
    if not reply.text.strip():
        raise PermanentError(f"{model.name} answered with an empty text")
    return reply._replace(model=reply.model or model.name)


def verified(engine: Runtime, task: str, answer: str) -> answers.Verification:
    """The discrepancies of an answer, found by chain of verification."""
    screened = screen.screen_text(task, TEXT_LIMIT), screen.screen_text(answer, TEXT_LIMIT)
    return time_limits.run_sync(
        lambda: answers.verify(*screened, model=engine.model, prompt=prompt_text)
    )


def refined(engine: Runtime, task: str, answer: str) -> answers.Refined:
    """The answer, rewritten as long as its score rises."""
    screened = screen.screen_text(task, TEXT_LIMIT), screen.screen_text(answer, TEXT_LIMIT)
    return time_limits.run_sync(
        lambda: answers.refine(*screened, model=engine.model, prompt=prompt_text)
    )


def imagined(engine: Runtime, query: str) -> str:
    """A hypothetical lesson for a query; "" if `hyde.enabled` is off or there is no model."""
    if not engine.settings.hyde.enabled or not engine.has_model:
        return ""
    return time_limits.run_sync(lambda: _hypothesis(engine, query))


def enriched(engine: Runtime, prompt: str) -> str:
    """A hypothetical lesson within `recall.patience`; "" if it takes longer or fails."""
    try:
        if not engine.has_model:
            return ""
        patience = engine.settings.recall.patience.total_seconds()
        return time_limits.run_sync(lambda: asyncio.wait_for(_hypothesis(engine, prompt), patience))
    except (HardwonError, TimeoutError) as error:
        engine.trouble(error)
        return ""


async def _hypothesis(engine: Runtime, query: str) -> str:
    screened = screen.screen_text(query, TEXT_LIMIT)
    system = prompt_text("hypothesis")
    return await engine.imagination.hypothesis(screened, model=engine.model, system=system)
