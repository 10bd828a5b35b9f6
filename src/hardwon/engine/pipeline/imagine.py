"""Imagine: a model writes a hypothetical lesson that helps to find real ones (HyDE)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip_middle, one_line
from hardwon.core.text.protocol import is_nothing
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from hardwon.storage.ports import Model

_TOKENS = 120
_SHOWN, _KEPT = 2000, 600
_REMEMBERED = 256


class Imagination:
    """Hypothetical lessons by query; the model is asked once for each query."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    async def hypothesis(self, query: str, *, model: Model, system: str) -> str:
        """A lesson that might exist for this query: one short call, or a cached answer."""
        key = one_line(query, _SHOWN).lower()
        if key not in self._known:
            asked = Request(system, clip_middle(query, _SHOWN), max_tokens=_TOKENS)
            reply = await model.complete(asked)
            if len(self._known) >= _REMEMBERED:
                self._known.pop(next(iter(self._known)))
            text = reply.text or ""
            self._known[key] = "" if is_nothing(text) else one_line(text, _KEPT)
        return self._known[key]
