"""The extractors with a model: each insight must quote the transcript, or it is dropped."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeVar

from hardwon.core.errors import BadReply, TransientError
from hardwon.core.text.clean import clip_words, one_line
from hardwon.core.text.protocol import is_nothing, json_object
from hardwon.engine.pipeline.screen import screen_text
from hardwon.engine.runtime import prompt_text
from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    IMPLICIT,
    MEDIUM,
    PATTERN,
    TIER_A,
    TIER_B,
    TITLE_LIMIT,
    Insight,
    Passage,
    Summary,
    by_count,
    evidence,
    tags_of,
)
from hardwon.learn.transcripts.transcript import FinishedCall, Moment
from hardwon.models import ask
from hardwon.storage.ports import Model, Request

CHUNK = 24_000  # characters
_SAID, _CALLED, _FAILED, _WORKED = 2_000, 600, 1_500, 200


def chunks(moments: Iterable[Moment], size: int = CHUNK) -> Iterator[str]:
    """Every moment, cleaned and without secrets, in pieces of at most about `size` characters."""
    texts: list[str] = []
    length = 0
    for moment in moments:
        text = render(moment)
        if texts and length + len(text) > size:
            yield "\n".join(texts)
            texts, length = [], 0
        texts.append(text)
        length += len(text)
    if texts:
        yield "\n".join(texts)


def render(moment: Moment) -> str:
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


T = TypeVar("T")
_AT_ONCE = 3  # calls side by side
_KINDS = {CONTENT: HIGH, IMPLICIT: MEDIUM}
_QUOTE = {"line": {"type": "integer"}, "quote": {"type": "string"}}
_INSIGHT = {
    "title": {"type": "string"},
    "category": {"type": "string"},
    "type": {"enum": [CONTENT, PATTERN, IMPLICIT]},
    "insight": {"type": "string"},
    "mistake": {"type": "string"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "always_needed": {"type": "boolean"},
    "evidence": {"type": "array", "items": {"type": "object", "properties": _QUOTE}},
}
_INSIGHTS = {
    "type": "object",
    "properties": {
        "insights": {"type": "array", "items": {"type": "object", "properties": _INSIGHT}}
    },
    "required": ["insights"],
}
_SUMMARY = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "main_task": {"type": "string"},
        "key_decisions": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["summary", "main_task"],
}
_TYPES: dict[str, type] = {"array": list, "string": str}


async def insights(texts: Iterator[str], model: Model) -> list[Insight]:
    """The model's insights whose quotes really occur in the chunks."""
    system = prompt_text("session-insights")

    async def ask(text: str) -> list[Insight]:
        reply = await _ask_json(model, system, text, _INSIGHTS)
        candidates = (_insight(plain, text, model.name) for plain in reply.get("insights", ()))
        return [insight for insight in candidates if insight]

    parts = await _each(texts, ask)
    return [insight for part in parts for insight in part]


async def summary(texts: Iterator[str], model: Model) -> Summary:
    """One summary of all chunks: of each first, then of these."""
    system = prompt_text("session-summary")

    async def ask(text: str) -> dict[str, Any]:
        return await _ask_json(model, system, text, _SUMMARY)

    parts = await _each(texts, ask)
    while len(parts) > 1:
        summaries = "\n".join(
            f"[part {n}] {part.get('summary')}" for n, part in enumerate(parts, 1)
        )
        decisions = [text for part in parts for text in part.get("key_decisions", ())]
        parts = [{**await ask(summaries), "key_decisions": decisions}]
    if not parts:
        raise BadReply("anything to summarise", "")
    return Summary(
        text=one_line(str(parts[0].get("summary", "")), 1200),
        task=one_line(str(parts[0].get("main_task", "")), 300),
        decisions=tuple(one_line(str(text), 300) for text in parts[0].get("key_decisions", ())),
    )


async def _each(texts: Iterator[str], ask: Callable[[str], Awaitable[T]]) -> list[T]:
    """An answer for every text, in order, a few at a time: the texts are never all in memory."""
    answers: list[T] = []
    while batch := [text for _, text in zip(range(_AT_ONCE), texts, strict=False)]:
        answers += await asyncio.gather(*(ask(text) for text in batch))
    return answers


async def _ask_json(model: Model, system: str, text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The model's JSON; asked once more when the first answer cannot be used or does not come."""
    prompt = f"<transcript>\n{text}\n</transcript>"
    request = Request(system, prompt, max_tokens=2000, schema=schema)

    def parse(reply: str) -> dict[str, Any]:
        answer = json_object(reply, tuple(schema["required"]))
        kinds = {name: _TYPES[each["type"]] for name, each in schema["properties"].items()}
        fields = {name: answer[name] for name in kinds if isinstance(answer.get(name), kinds[name])}
        for name in schema["required"]:
            if is_nothing(str(fields.get(name, ""))):
                raise BadReply(f"{name!r}", reply)
        return fields

    try:
        return (await ask(model, request, parse))[0]
    except TransientError:
        return (await ask(model, request, parse))[0]


def _insight(plain: Any, text: str, author: str) -> Insight | None:
    """The insight of the model; None if it is empty or none of its quotes is real."""
    advice = _field(plain, "insight", 1000)
    quotes = _quotes(plain, text) if advice else ()
    kind = _kind(plain) if quotes else ""
    if not quotes or (kind == PATTERN and len(quotes) < 2):
        return None
    return Insight(
        title=clip_words(_field(plain, "title", 300) or one_line(advice), TITLE_LIMIT),
        category=_field(plain, "category", 40) or "Workflow",
        kind=kind,
        confidence=by_count(len(quotes)) if kind == PATTERN else _KINDS[kind],
        text=advice,
        evidence=quotes,
        tier=TIER_A if plain.get("always_needed") is True else TIER_B,
        tags=tags_of(*map(str, plain.get("tags") or ())),
        mistake=_field(plain, "mistake", 600),
        author=author,
    )


def _field(plain: Any, name: str, limit: int) -> str:
    return one_line(str(plain.get(name) or ""), limit) if isinstance(plain, dict) else ""


def _kind(plain: dict[str, Any]) -> str:
    kind = plain.get("type")
    return str(kind) if kind in {*_KINDS, PATTERN} else IMPLICIT


def _quotes(plain: dict[str, Any], text: str) -> tuple[Passage, ...]:
    """The quotes that really stand in the text."""
    quotes = map(_evidence, plain.get("evidence") or ())
    return tuple(quote for quote in quotes if quote and _is_in(quote, text))


def _evidence(plain: Any) -> Passage | None:
    if not isinstance(plain, dict) or not isinstance(plain.get("line"), int):
        return None
    return evidence(plain["line"], str(plain.get("quote") or ""))


def _is_in(passage: Passage, text: str) -> bool:
    """Whether the line was shown and the words stand in the text, spaces aside."""
    if f"[{passage.line}]" not in text:
        return False
    quote = re.sub(r"\W+", " ", passage.quote).strip()
    return len(quote) >= 8 and quote in re.sub(r"\W+", " ", text)
