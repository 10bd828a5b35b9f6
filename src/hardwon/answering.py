"""Questions that a program puts to the model at once: is this answer right, better, known?"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hardwon import _sync
from hardwon.errors import HardwonError
from hardwon.pipeline import refine, screen, verify
from hardwon.runtime import TEXT_LIMIT, prompt_text

if TYPE_CHECKING:
    from hardwon.runtime import Runtime


def verified(engine: Runtime, task: str, answer: str) -> verify.Verification:
    """Whether an answer holds, found out by a chain of verification."""
    asked = screen.screen_text(task, TEXT_LIMIT), screen.screen_text(answer, TEXT_LIMIT)
    return _sync.run_sync(lambda: verify.verify(*asked, model=engine.model, prompt=prompt_text))


def refined(engine: Runtime, task: str, answer: str) -> refine.Refined:
    """The answer, criticised and written again as long as that helps."""
    asked = screen.screen_text(task, TEXT_LIMIT), screen.screen_text(answer, TEXT_LIMIT)
    return _sync.run_sync(lambda: refine.refine(*asked, model=engine.model, prompt=prompt_text))


def imagined(engine: Runtime, query: str) -> str:
    """A lesson that might exist for a query; "" when that is off or no model is there."""
    if not engine.settings.hyde.enabled or not engine.has_model:
        return ""
    return _sync.run_sync(lambda: _hypothesis(engine, query))


def enriched(engine: Runtime, prompt: str) -> str:
    """The same within the time that a recall may take; "" when it takes longer."""
    try:
        if not engine.has_model:
            return ""
        patience = engine.settings.recall.patience.total_seconds()
        return _sync.run_sync(lambda: asyncio.wait_for(_hypothesis(engine, prompt), patience))
    except (HardwonError, TimeoutError) as error:
        engine.trouble(error)
        return ""


async def _hypothesis(engine: Runtime, query: str) -> str:
    asked = screen.screen_text(query, TEXT_LIMIT)
    system = prompt_text("hypothesis")
    return await engine.imagination.hypothesis(asked, model=engine.model, system=system)
