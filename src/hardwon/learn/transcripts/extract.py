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
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from hardwon.core.errors import BadReply, HardwonError, TransientError
from hardwon.core.text.clean import clip, clip_words, one_line
from hardwon.core.text.protocol import json_object, schema_of, text_in, texts_in
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.engine.pipeline.screen import screen_text
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.knowledge.reading.call_keys import EXACT
from hardwon.knowledge.reading.shell import main_command
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
from hardwon.learn.transcripts.past import Tell
from hardwon.learn.transcripts.rules import Findings, apply_rules
from hardwon.learn.transcripts.transcript import FinishedCall, Moment, SessionPlace
from hardwon.models import ask
from hardwon.storage.ports import Model, Request
from hardwon.storage.stores.markdown import read_text

_MODEL_PASSES = 2  # one for the insights, one for the summary
CHUNK = 24_000  # characters
_SAID, _CALLED, _FAILED, _WORKED = 2_000, 600, 1_500, 200
T = TypeVar("T")
_AT_ONCE = 3  # calls side by side
_DECISIONS = 20  # of one chunk
_KINDS = {CONTENT: HIGH, IMPLICIT: MEDIUM}
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_QUOTE = schema_of(line={"type": "integer"}, quote=_TEXT)
_INSIGHT = schema_of(
    title=_TEXT,
    category=_TEXT,
    type={"enum": [CONTENT, PATTERN, IMPLICIT]},
    insight=_TEXT,
    mistake=_TEXT,
    tags=_TEXTS,
    always_needed={"type": "boolean"},
    evidence={"type": "array", "items": _QUOTE},
)
_INSIGHTS = schema_of(insights={"type": "array", "items": _INSIGHT})
_SUMMARY = schema_of(summary=_TEXT, main_task=_TEXT, key_decisions=_TEXTS)


def extract(context: Context, engine: Runtime, tell: Tell = lambda done, of: None) -> Delta:
    """Everything the whole session teaches; secrets never leave this function.

    `tell(done, of)` counts the records that the model has read: the slowest reading.
    The rules read outside an event loop, which would hold Ctrl-C back until they have read all.
    """
    place, notes = context.place, list[str]()
    done = itertools.count(1)
    of = length(place) * (_MODEL_PASSES if engine.has_model else 1)

    def count_record() -> None:
        tell(next(done), of)

    reading = read(place) if engine.has_model else read(place, tell=count_record)
    findings = apply_rules(reading.moments())
    summary, insights = findings.summary, findings.insights
    if engine.has_model:
        model = engine.model
        summary, insights, notes = run_sync(lambda: _ask_both(place, model, findings, count_record))
    chosen, spare = rank(
        list(map(clean_insight, insights)), list(map(clean_insight, findings.missed))
    )
    library = open_library(context)
    notes += library.problems
    for reason, count in reading.skipped.items():
        notes.append(f"{count} lines or events were left out: {reason}")
    summary = summary._replace(
        text=redact(summary.text),
        task=redact(summary.task),
        decisions=tuple(redact(decision) for decision in summary.decisions),
    )
    nearest = (_nearest(insight, library) for insight in (*chosen, *spare))
    return Delta(summary, chosen, tuple(filter(None, nearest)), spare, tuple(notes))


async def _ask_both(
    place: SessionPlace, model: Model, findings: Findings, count_record: Callable[[], None]
) -> tuple[Summary, list[Insight], list[str]]:
    """The model's insights, plus those of the rules, which carry the signatures."""
    results = await asyncio.gather(
        ask_insights(chunks(read(place, tell=count_record).moments()), model),
        ask_summary(chunks(read(place, tell=count_record).moments()), model),
        return_exceptions=True,
    )
    notes = []
    for result in results:
        if isinstance(result, HardwonError):
            notes.append(f"the model could not help: {result}")
        elif isinstance(result, BaseException):
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

    def parse(reply: str) -> list[Any]:
        listed = json_object(reply, ("insights",)).get("insights")
        if not isinstance(listed, list):
            raise BadReply("'insights'", reply)
        return listed

    async def ask(text: str) -> list[Insight]:
        listed = await _ask_twice(model, _request(system, text, _INSIGHTS), parse)
        given = (_insight(plain, text, model.name) for plain in listed if isinstance(plain, dict))
        return [insight for insight in given if insight]

    parts = await _each(texts, ask)
    return [insight for part in parts for insight in part]


async def ask_summary(texts: Iterator[str], model: Model) -> Summary:
    """One summary of all chunks: of each first, then of these."""
    system = prompt_text("session-summary")

    def parse(reply: str) -> Summary:
        answer = json_object(reply, ("summary", "main_task"))
        text, task = text_in(answer, "summary", 1200), text_in(answer, "main_task", 300)
        if not text or not task:
            raise BadReply("'main_task'" if text else "'summary'", reply)
        decisions = texts_in(answer, "key_decisions", 300, most=_DECISIONS)
        return Summary(one_line(text), one_line(task), tuple(map(one_line, decisions)))

    async def ask(text: str) -> Summary:
        return await _ask_twice(model, _request(system, text, _SUMMARY), parse)

    parts = await _each(texts, ask)
    if not parts:
        raise BadReply("anything to summarise", "")
    if len(parts) == 1:
        return parts[0]
    whole = await ask("\n".join(f"[part {n}] {part.text}" for n, part in enumerate(parts, 1)))
    return whole._replace(decisions=tuple(text for part in parts for text in part.decisions))


async def _each(texts: Iterator[str], ask: Callable[[str], Awaitable[T]]) -> list[T]:
    """An answer for every text, in order, a few at a time: the texts are never all in memory."""
    answers: list[T] = []
    while batch := [text for _, text in zip(range(_AT_ONCE), texts, strict=False)]:
        answers += await asyncio.gather(*(ask(text) for text in batch))
    return answers


def _request(system: str, text: str, schema: dict[str, Any]) -> Request:
    prompt = f"<transcript>\n{text}\n</transcript>"
    return Request(system, prompt, max_tokens=2000, schema=schema)


async def _ask_twice(model: Model, request: Request, parse: Callable[[str], T]) -> T:
    """The model's answer; asked once more when the first does not come."""
    try:
        return (await ask(model, request, parse))[0]
    except TransientError:
        return (await ask(model, request, parse))[0]


def _insight(plain: dict[str, Any], text: str, author: str) -> Insight | None:
    """The insight of the model; None if it is empty or none of its quotes is real."""
    advice, kind = one_line(text_in(plain, "insight", 1000)), plain.get("type")
    kind = kind if kind in {*_KINDS, PATTERN} else IMPLICIT
    given = (one for one in plain.get("evidence") or () if isinstance(one, dict))
    quotes = (
        evidence(one["line"], str(one.get("quote") or ""))
        for one in given
        if isinstance(one.get("line"), int)
    )
    real = tuple(quote for quote in quotes if _is_in(quote, text))
    if not advice or len(real) < (2 if kind == PATTERN else 1):
        return None
    return Insight(
        title=clip_words(one_line(text_in(plain, "title", 300)) or advice, TITLE_LIMIT),
        category=one_line(text_in(plain, "category", 40)) or "Workflow",
        kind=kind,
        confidence=by_count(len(real)) if kind == PATTERN else _KINDS[kind],
        text=advice,
        evidence=real,
        tier=TIER_A if plain.get("always_needed") is True else TIER_B,
        tags=tags_of(*map(str, plain.get("tags") or ())),
        mistake=one_line(text_in(plain, "mistake", 600)),
        author=author,
    )


def _is_in(passage: Passage, text: str) -> bool:
    """Whether the line was shown and the words stand in the text, spaces aside."""
    quote = re.sub(r"\W+", " ", passage.quote).strip()
    is_real = len(quote) >= 8 and quote in re.sub(r"\W+", " ", text)
    return is_real and f"[{passage.line}]" in text


REDUNDANT, CONFLICTING, COMPLEMENTARY, NOVEL = "redundant", "conflicting", "complementary", "novel"
SUMMARIES = "session-summaries.md"  # says what happened, not what to do
_FILES, _SIZE = 500, 256 * 1024
_NEAR, _SHARED = 0.4, 3
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


def open_library(context: Context) -> KnownNotes:
    """Every place the agent may load memory from: rules, insights, MEMORY.md."""
    library = KnownNotes([], {}, [])
    for path in _paths(context):
        try:
            text = read_text(path) or ""
        except HardwonError as error:
            library.problems.append(str(error))
            continue
        for number, line in enumerate(text.splitlines() if len(text) <= _SIZE else (), 1):
            passage = MemoryLine(path, number, line, content_words(line))
            for key in re.findall(r"<!-- hardwon:([0-9a-f]{12})\b", line):
                library.marks.setdefault(key, passage)
            if len(passage.words) >= _SHARED:
                library.passages.append(passage)
    return library


def _paths(context: Context) -> list[str]:
    """The files of memory that are inside the user's or the project's tree."""
    name = os.path.basename(context.user_level).lstrip(".").upper()
    paths = [os.path.join(context.project_path, "AGENTS.md"), context.memory]
    for base in filter(None, (context.user_level, context.project_level)):
        paths += [os.path.join(folder, f"{name}.md") for folder in (base, os.path.dirname(base))]
        escaped = glob.escape(base)
        paths += sorted(glob.glob(os.path.join(escaped, "rules", "*.md")))
        paths += sorted(glob.glob(os.path.join(escaped, ".insights", "**", "*.md"), recursive=True))
    trees = [os.path.realpath(root) for root in (context.user_level, context.project_path) if root]

    def is_inside(path: str) -> bool:
        real = os.path.realpath(path)
        within = (os.path.commonpath((real, tree)) == tree for tree in trees)
        return os.path.isfile(real) and any(within)

    allowed = filter(is_inside, dict.fromkeys(paths))
    return [path for path in allowed if os.path.basename(path) != SUMMARIES][:_FILES]


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
    typed = next((key[2:] for key in insight.calls if key[0] == EXACT), "")
    command = content_words(main_command(typed).does)
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
