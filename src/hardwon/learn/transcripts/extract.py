"""Extraction: summary, insights and related knowledge, by a model or by rules alone.

Summary and insights are made in parallel; then memory is searched for what it says about them.
Without a language model, or when it fails twice, the rules' own words stand.
"""

from __future__ import annotations

import asyncio
import glob
import itertools
import os
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from hardwon.core.errors import BadReply, HardwonError, TransientError
from hardwon.core.text.clean import clip, clip_words, one_line
from hardwon.core.text.protocol import is_nothing, json_object
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.engine.pipeline.screen import screen_text
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.learn.transcripts.agents import length, read
from hardwon.learn.transcripts.catalog import Context
from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    IMPLICIT,
    MEDIUM,
    PATTERN,
    TIER_A,
    TIER_B,
    TITLE_LIMIT,
    Delta,
    Insight,
    Passage,
    Related,
    Summary,
    by_count,
    content_words,
    evidence,
    rank,
    tags_of,
)
from hardwon.learn.transcripts.rules import Findings, apply_rules
from hardwon.learn.transcripts.transcript import FinishedCall, Moment, SessionPlace
from hardwon.models import ask
from hardwon.storage.ports import Model, Request
from hardwon.storage.stores.markdown import read_text

_MODEL_PASSES = 2  # one for the insights, one for the summary
Tell = Callable[[int, int], None]
CHUNK = 24_000  # characters
_SAID, _CALLED, _FAILED, _WORKED = 2_000, 600, 1_500, 200
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


class Extraction(NamedTuple):
    """The extracted insights, and what was read for them."""

    delta: Delta
    findings: Findings
    skipped: Counter[str]


def untold(done: int, of: int) -> None:
    """The default for progress: reports nothing."""


def extract(context: Context, engine: Runtime, tell: Tell = untold) -> Extraction:
    """Everything the whole session teaches; secrets never leave this function.

    `tell(done, of)` counts the records that the model has read: the slowest reading.
    The rules read outside an event loop, which would hold Ctrl-C back until they have read all.
    """
    passes = _MODEL_PASSES if engine.has_model else 1
    done, of = itertools.count(1), passes * length(context.place)

    def count_record() -> None:
        tell(next(done), of)

    reading = read(context.place, tell=None if engine.has_model else count_record)
    findings = apply_rules(reading.moments())
    summary, insights = findings.summary, findings.insights
    notes: list[str] = []
    if engine.has_model:
        place, model = context.place, engine.model
        summary, insights, notes = run_sync(lambda: _ask_both(place, model, findings, count_record))
    chosen, spare = rank(
        list(map(clean_insight, insights)), list(map(clean_insight, findings.missed))
    )
    library = open_library(context)
    left_out = [
        f"{count} lines or events were left out: {reason}"
        for reason, count in reading.skipped.items()
    ]
    delta = Delta(
        summary=_clean_summary(summary),
        insights=chosen,
        related=find_related((*chosen, *spare), library),
        spare=spare,
        notes=(*notes, *library.problems, *left_out),
    )
    return Extraction(delta, findings, reading.skipped)


async def _ask_both(
    place: SessionPlace, model: Model, findings: Findings, count_record: Callable[[], None]
) -> tuple[Summary, list[Insight], list[str]]:
    """The model's insights, plus those of the rules, which carry the signatures."""
    results = await asyncio.gather(
        ask_insights(chunks(read(place, tell=count_record).moments()), model),
        ask_summary(chunks(read(place, tell=count_record).moments()), model),
        return_exceptions=True,
    )
    notes = [
        f"the model could not help: {result}"
        for result in results
        if isinstance(result, HardwonError)
    ]
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, HardwonError):
            raise result
    insights = results[0] if isinstance(results[0], list) else []
    summary = results[1] if isinstance(results[1], Summary) else findings.summary
    return summary, [*insights, *findings.insights], notes


def clean_insight(insight: Insight) -> Insight:
    """The insight without secrets."""
    return insight._replace(
        title=redact(insight.title),
        text=redact(insight.text),
        mistake=redact(insight.mistake),
        evidence=tuple(Passage(item.line, redact(item.quote)) for item in insight.evidence),
        calls=tuple(redact(item) for item in insight.calls),
    )


def _clean_summary(summary: Summary) -> Summary:
    return summary._replace(
        text=redact(summary.text),
        task=redact(summary.task),
        decisions=tuple(redact(decision) for decision in summary.decisions),
    )


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


async def ask_insights(texts: Iterator[str], model: Model) -> list[Insight]:
    """The model's insights whose quotes really occur in the chunks."""
    system = prompt_text("session-insights")

    async def ask(text: str) -> list[Insight]:
        reply = await _ask_json(model, system, text, _INSIGHTS)
        candidates = (_insight(plain, text, model.name) for plain in reply.get("insights", ()))
        return [insight for insight in candidates if insight]

    parts = await _each(texts, ask)
    return [insight for part in parts for insight in part]


async def ask_summary(texts: Iterator[str], model: Model) -> Summary:
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
    kind = plain.get("type") if quotes else ""
    kind = kind if kind in {*_KINDS, PATTERN} else IMPLICIT
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


def _quotes(plain: dict[str, Any], text: str) -> tuple[Passage, ...]:
    """The quotes that really stand in the text."""
    given = (one for one in plain.get("evidence") or () if isinstance(one, dict))
    numbered = (one for one in given if isinstance(one.get("line"), int))
    quotes = (evidence(one["line"], str(one.get("quote") or "")) for one in numbered)
    return tuple(quote for quote in quotes if _is_in(quote, text))


def _is_in(passage: Passage, text: str) -> bool:
    """Whether the line was shown and the words stand in the text, spaces aside."""
    if f"[{passage.line}]" not in text:
        return False
    quote = re.sub(r"\W+", " ", passage.quote).strip()
    return len(quote) >= 8 and quote in re.sub(r"\W+", " ", text)


REDUNDANT, CONFLICTING, COMPLEMENTARY, NOVEL = "redundant", "conflicting", "complementary", "novel"
SUMMARIES = "session-summaries.md"  # says what happened, not what to do
_FILES, _SIZE = 500, 256 * 1024
_NEAR, _SHARED = 0.4, 3
_SHAPE = ": "  # begins the key of a call without its arguments
_FORBIDS = re.compile(r"(?i)\b(?:never|do(?:n['’]t| not)|avoid|stop|must not|instead of)\b")


class MemoryLine(NamedTuple):
    """A line of a memory file, as words."""

    path: str
    line: int
    text: str
    words: frozenset[str]


class KnownNotes(NamedTuple):
    """The notes in memory, and which of them could not be read."""

    passages: list[MemoryLine]
    marks: dict[str, MemoryLine]  # the lines of insights that were stored before, by key
    problems: list[str]


def find_related(insights: tuple[Insight, ...], library: KnownNotes) -> tuple[Related, ...]:
    """The nearest line in memory for each insight; new insights have none."""
    nearest = (_nearest(insight, library) for insight in insights)
    return tuple(related for related in nearest if related)


def open_library(context: Context) -> KnownNotes:
    """Every place the agent may load memory from: rules, insights, MEMORY.md."""
    library = KnownNotes([], {}, [])
    for path in _paths(context):
        try:
            text = read_text(path)
        except HardwonError as error:
            library.problems.append(str(error))
            continue
        if text and len(text) <= _SIZE:
            _add_lines(path, text, library)
    return library


def _paths(context: Context) -> list[str]:
    name = os.path.basename(context.user_level).lstrip(".").upper()
    bases = [base for base in (context.user_level, context.project_level) if base]
    paths = [os.path.join(context.project_path, "AGENTS.md"), context.memory]
    for base in bases:
        escaped = glob.escape(base)
        paths += [
            os.path.join(base, f"{name}.md"),
            os.path.join(os.path.dirname(base), f"{name}.md"),
        ]
        paths += sorted(glob.glob(os.path.join(escaped, "rules", "*.md")))
        paths += sorted(glob.glob(os.path.join(escaped, ".insights", "**", "*.md"), recursive=True))
    allowed = [path for path in dict.fromkeys(paths) if _is_inside(path, context)]
    return [path for path in allowed if os.path.basename(path) != SUMMARIES][:_FILES]


def _is_inside(path: str, context: Context) -> bool:
    """Whether the path is a file inside the user's or the project's tree."""
    roots = (context.user_level, context.project_path)
    real = os.path.realpath(path)
    trees = [os.path.realpath(root) for root in roots if root]
    return os.path.isfile(real) and any(os.path.commonpath((real, root)) == root for root in trees)


def _add_lines(path: str, text: str, library: KnownNotes) -> None:
    for number, line in enumerate(text.splitlines(), 1):
        passage = MemoryLine(path, number, line, content_words(line))
        for key in re.findall(r"<!-- hardwon:([0-9a-f]{12})\b", line):
            library.marks.setdefault(key, passage)
        if len(passage.words) >= _SHARED:
            library.passages.append(passage)


def _nearest(insight: Insight, library: KnownNotes) -> Related | None:
    if insight.key in library.marks:
        return _relate(insight, REDUNDANT, library.marks[insight.key], "It was stored before.")
    words = content_words(insight.text)
    near = max(library.passages, key=lambda passage: _share(words, passage.words), default=None)
    share = _share(words, near.words) if near else 0.0
    if near is None or share < _NEAR:
        return _about_the_same(insight, library)
    if bool(_FORBIDS.search(insight.text)) != bool(_FORBIDS.search(near.text)):
        return _relate(insight, CONFLICTING, near, "One forbids what the other asks for.")
    # One new word may be another tool, file or fix: only if memory has all words is it the same.
    relation = REDUNDANT if words <= near.words else COMPLEMENTARY
    common = ", ".join(sorted(words & near.words)[:6])
    return _relate(insight, relation, near, f"Both speak of {common}.")


def _about_the_same(insight: Insight, library: KnownNotes) -> Related | None:
    """The note that names the command or the error of an insight about a failure."""
    command = content_words(next((key for key in insight.calls if key.startswith(_SHAPE)), ""))
    error = content_words(insight.evidence[0].quote) if insight.kinds else frozenset()

    def shared_words(passage: MemoryLine) -> int:
        """How many words of both the note has; 0 if they are too few."""
        of_command, of_error = len(command & passage.words), len(error & passage.words)
        has_command = 1 < len(command) == of_command
        has_error = of_error >= max(_SHARED, len(error) / 3)
        return of_command + of_error if has_command or has_error else 0

    near = max(library.passages, key=shared_words, default=None)
    if near is None or not shared_words(near):
        return None
    return _relate(insight, COMPLEMENTARY, near, "It names the command or the error.")


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of common words among all words; 0 for fewer than three."""
    common = len(a & b)
    return common / (len(a) + len(b) - common) if common >= _SHARED else 0.0


def _relate(insight: Insight, relation: str, near: MemoryLine, reason: str) -> Related:
    excerpt = clip(one_line(re.sub(r"<!--.{0,80}?-->", "", near.text)), 200)
    return Related(insight.key, relation, near.path, near.line, excerpt, reason)
