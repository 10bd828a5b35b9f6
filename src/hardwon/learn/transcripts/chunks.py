"""A transcript as texts that fit a model: in order, complete, a call always with its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.engine.pipeline.screen import screen_text
from hardwon.learn.transcripts.transcript import FinishedCall, Moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHUNK = 24_000  # characters
_SAID, _CALLED, _FAILED, _WORKED = 2_000, 600, 1_500, 200


def chunks(moments: Iterable[Moment], size: int = CHUNK) -> Iterator[str]:
    """Every moment, cleaned and without secrets, in pieces of at most about `size` characters."""
    texts: list[str] = []
    length = 0
    for moment in moments:
        text = rendered(moment)
        if texts and length + len(text) > size:
            yield "\n".join(texts)
            texts, length = [], 0
        texts.append(text)
        length += len(text)
    if texts:
        yield "\n".join(texts)


def rendered(moment: Moment) -> str:
    """One moment as the model reads it: line, speaker and text."""
    if isinstance(moment, FinishedCall):
        step = moment.step
        limit = _FAILED if step.failed else _WORKED
        outcome = "FAILED" if step.failed else "ok"
        call = _fit(step.args, _CALLED)
        return f"[{moment.line}] {step.tool}: {call}\n[{moment.ended}] {outcome}: " + _fit(
            step.output, limit
        )
    return f"[{moment.line}] {moment.who.upper()}: {_fit(moment.text, _SAID)}"


def _fit(text: str, limit: int) -> str:
    """Screened, short, and unable to close the fence that the prompt puts around it."""
    return screen_text(text, limit).replace("</transcript", "<\\/transcript")
