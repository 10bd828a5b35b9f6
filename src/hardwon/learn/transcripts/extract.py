"""Extraction: summary, insights and related knowledge, by a model or by rules alone.

A model reads the session in pieces; then memory is searched for what it says about the insights.
Without a language model, or when it fails twice, the rules' own words stand.
"""

from __future__ import annotations

import asyncio
import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from hardwon.core.errors import BadReply, HardwonError, TransientError
from hardwon.core.text.clean import clip, clip_words, one_line
from hardwon.core.text.protocol import json_object, schema_of, text_in, texts_in
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.engine.pipeline.screen import screen_text
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.knowledge.reading.call_keys import EXACT
from hardwon.knowledge.reading.shell import main_command
from hardwon.learn.transcripts import insight as insights
from hardwon.learn.transcripts.agents import length, read
from hardwon.learn.transcripts.catalog import Context
from hardwon.learn.transcripts.findings import Findings
from hardwon.learn.transcripts.insight import Delta, Insight, Related, Summary
from hardwon.learn.transcripts.past import Tell
from hardwon.learn.transcripts.transcript import FinishedCall, Moment
from hardwon.models import ask
from hardwon.storage.ports import Model, Request
from hardwon.storage.stores.markdown import read_text

CHUNK = 24_000  # characters
_SAID, _CALLED, _FAILED, _WORKED = 2_000, 600, 1_500, 200
_AT_ONCE = 3  # pieces side by side
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_KINDS = {insights.CONTENT: insights.HIGH, insights.IMPLICIT: insights.MEDIUM}
_INSIGHT = schema_of(
    title=_TEXT,
    category=_TEXT,
    type={"enum": [*_KINDS, insights.PATTERN]},
    insight=_TEXT,
    mistake=_TEXT,
    tags=_TEXTS,
    always_needed={"type": "boolean"},
    evidence={"type": "array", "items": schema_of(line={"type": "integer"}, quote=_TEXT)},
)
_ANSWER = schema_of(
    summary=_TEXT,
    main_task=_TEXT,
    key_decisions=_TEXTS,
    insights={"type": "array", "items": _INSIGHT},
)
Part = tuple[Summary, list[Insight]]


def extract(context: Context, engine: Runtime, tell: Tell = lambda done, of: None) -> Delta:
    """Everything the whole session teaches; secrets never leave this function.

    `tell(done, of)` counts the records read: by the model, where there is one, which is slower.
    The rules read outside an event loop, which would hold Ctrl-C back until they have read all.
    """
    place, notes = context.place, list[str]()
    done, of = count(1), length(place)

    def counted() -> None:
        tell(next(done), of)

    reading = read(place) if engine.has_model else read(place, tell=counted)
    findings = Findings(reading.moments())
    summary, found = findings.summary, findings.insights
    if engine.has_model:
        model, texts = engine.model, chunks(read(place, tell=counted).moments())
        try:
            summary, own = run_sync(lambda: ask_model(texts, model))
            found = [*own, *found]  # those of the rules carry the signatures
        except HardwonError as error:
            notes.append(f"the model could not help: {error}")
    chosen, spare = insights.rank([*map(_clean, found)], [*map(_clean, findings.missed)])
    library = open_library(context)
    notes += library.problems
    for reason, times in reading.skipped.items():
        notes.append(f"{times} lines or events were left out: {reason}")
    summary = summary._replace(
        text=redact(summary.text),
        task=redact(summary.task),
        decisions=tuple(map(redact, summary.decisions)),
    )
    nearest = (_nearest(insight, library) for insight in (*chosen, *spare))
    return Delta(summary, chosen, tuple(filter(None, nearest)), spare, tuple(notes))


def _clean(insight: Insight) -> Insight:
    """The insight without secrets."""
    return insight._replace(
        title=redact(insight.title),
        text=redact(insight.text),
        mistake=redact(insight.mistake),
        calls=tuple(map(redact, insight.calls)),
    )


def chunks(moments: Iterable[Moment], size: int = CHUNK) -> Iterator[str]:
    """Every moment, cleaned and without secrets, in pieces of at most about `size` characters."""
    texts, length = list[str](), 0
    for text in map(render, moments):
        if texts and length + len(text) > size:
            yield "\n".join(texts)
            texts, length = [], 0
        texts.append(text)
        length += len(text)
    if texts:
        yield "\n".join(texts)


def render(moment: Moment) -> str:
    """One moment as the model reads it: line, speaker and text."""
    if not isinstance(moment, FinishedCall):
        return f"[{moment.line}] {moment.who.upper()}: {_fit(moment.text, _SAID)}"
    step = moment.step
    ended, limit = ("FAILED", _FAILED) if step.failed else ("ok", _WORKED)
    call = f"[{moment.line}] {step.tool}: {_fit(step.args, _CALLED)}"
    return f"{call}\n[{moment.ended}] {ended}: {_fit(step.output, limit)}"


def _fit(text: str, limit: int) -> str:
    """Screened, short, and unable to close the fence that the prompt puts around it."""
    return screen_text(text, limit).replace("</transcript", "<\\/transcript")


async def ask_model(texts: Iterator[str], model: Model) -> Part:
    """The model's summary, and its insights whose quotes really occur; a few pieces at a time."""
    parts = list[Part]()
    while batch := [text for _, text in zip(range(_AT_ONCE), texts, strict=False)]:
        parts += await asyncio.gather(*(_ask_about(text, model) for text in batch))
    if not parts:
        raise BadReply("anything to summarise", "")
    found = [insight for _, own in parts for insight in own]
    if len(parts) == 1:
        return parts[0][0], found
    told = "\n".join(f"[part {number}] {one.text}" for number, (one, _) in enumerate(parts, 1))
    summary, _ = await _ask_about(told, model)
    decisions = tuple(decision for one, _ in parts for decision in one.decisions)
    return summary._replace(decisions=decisions), found


async def _ask_about(text: str, model: Model) -> Part:
    """What the model says about one piece; asked once more when the first answer does not come."""
    prompt = f"<transcript>\n{text}\n</transcript>"
    request = Request(prompt_text("session"), prompt, max_tokens=3000, schema=_ANSWER)

    def parse(reply: str) -> tuple[Summary, list[Any]]:
        answer = json_object(reply, ("summary", "main_task", "insights"))
        said, task = text_in(answer, "summary", 1200), text_in(answer, "main_task", 300)
        listed = answer.get("insights")
        if not (said and task and isinstance(listed, list)):
            lacks = "'insights'" if said and task else "'main_task'" if said else "'summary'"
            raise BadReply(lacks, reply)
        decisions = texts_in(answer, "key_decisions", 300, most=20)
        return Summary(one_line(said), one_line(task), tuple(map(one_line, decisions))), listed

    try:
        (summary, listed), author = await ask(model, request, parse)
    except TransientError:
        (summary, listed), author = await ask(model, request, parse)
    words, found = re.sub(r"\W+", " ", text), list[Insight]()
    for plain in filter(lambda one: isinstance(one, dict), listed):
        real = [  # a quote is real if its line was shown and its words stand there, spaces aside
            insights.evidence(one["line"], str(one.get("quote") or ""))
            for one in plain.get("evidence") or ()
            if isinstance(one, dict)
            and isinstance(one.get("line"), int)
            and f"[{one['line']}]" in text
            and len(quote := re.sub(r"\W+", " ", str(one.get("quote") or "")).strip()) >= 8
            and quote in words
        ]
        advice, kind = one_line(text_in(plain, "insight", 1000)), plain.get("type")
        kind = kind if kind in {*_KINDS, insights.PATTERN} else insights.IMPLICIT
        if not advice or len(real) < (2 if kind == insights.PATTERN else 1):
            continue
        title = one_line(text_in(plain, "title", 300)) or advice
        is_loaded = plain.get("always_needed") is True
        found.append(
            Insight(
                title=clip_words(title, insights.TITLE_LIMIT),
                category=one_line(text_in(plain, "category", 40)) or "Workflow",
                kind=kind,
                confidence=_KINDS.get(kind) or insights.by_count(len(real)),
                text=advice,
                evidence=tuple(real),
                tier=insights.TIER_A if is_loaded else insights.TIER_B,
                tags=insights.tags_of(*map(str, plain.get("tags") or ())),
                mistake=one_line(text_in(plain, "mistake", 600)),
                author=author,
            )
        )
    return summary, found


REDUNDANT, CONFLICTING, COMPLEMENTARY = "redundant", "conflicting", "complementary"
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
            passage = MemoryLine(path, number, line, insights.content_words(line))
            for key in re.findall(r"<!-- hardwon:([0-9a-f]{12})\b", line):
                library.marks.setdefault(key, passage)
            if len(passage.words) >= _SHARED:
                library.passages.append(passage)
    return library


def _paths(context: Context) -> Sequence[str]:
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
    """What memory says about an insight."""

    def relate(relation: str, near: MemoryLine, reason: str) -> Related:
        excerpt = clip(one_line(re.sub(r"<!--.{0,80}?-->", "", near.text)), 200)
        return Related(insight.key, relation, near.path, near.line, excerpt, reason)

    if insight.key in library.marks:
        return relate(REDUNDANT, library.marks[insight.key], "It was stored before.")
    words = insights.content_words(insight.text)
    near = max(library.passages, key=lambda line: _share(words, line.words), default=None)
    if near is None or _share(words, near.words) < _NEAR:
        typed = next((key[2:] for key in insight.calls if key[0] == EXACT), "")
        command = insights.content_words(main_command(typed).does)
        error = insights.content_words(insight.evidence[0].quote if insight.kinds else "")
        near = max(library.passages, key=lambda line: _named(command, error, line), default=None)
        if near is None or not _named(command, error, near):
            return None
        return relate(COMPLEMENTARY, near, "It names the command or the error.")
    if bool(_FORBIDS.search(insight.text)) != bool(_FORBIDS.search(near.text)):
        return relate(CONFLICTING, near, "One forbids what the other asks for.")
    # One new word may be another tool, file or fix: only if memory has all words is it the same.
    relation = REDUNDANT if words <= near.words else COMPLEMENTARY
    return relate(relation, near, f"Both speak of {', '.join(sorted(words & near.words)[:6])}.")


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of common words among all words; 0 for fewer than three."""
    common = len(a & b)
    return common / (len(a) + len(b) - common) if common >= _SHARED else 0.0


def _named(command: frozenset[str], error: frozenset[str], passage: MemoryLine) -> int:
    """How many words of the command and the error of a failure a note has; 0 if too few."""
    of_command, of_error = len(command & passage.words), len(error & passage.words)
    has_command = 1 < len(command) == of_command
    has_error = of_error >= max(_SHARED, len(error) / 3)
    return of_command + of_error if has_command or has_error else 0
