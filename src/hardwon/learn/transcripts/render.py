"""What is written about an insight: an entry, a note, a memory file, a lesson."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip_words
from hardwon.core.values.lesson import RULES, Evidence, Kind, Lesson, Status
from hardwon.core.values.run import Trigger
from hardwon.learn.transcripts.insight import PATTERN, PREFERENCES, SURENESS, Insight
from hardwon.learn.transcripts.rules.sentences import stack
from hardwon.storage.stores.markdown import Entry, Note
from hardwon.storage.stores.markdown import insights as notes

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.scope import Scope
    from hardwon.learn.transcripts.insight import Summary


def entry(insight: Insight, now: datetime) -> Entry:
    """Its line in MEMORY.md."""
    return Entry(insight.key, f"{now:%Y-%m-%d}", insight.category, insight.entry)


def note(insight: Insight, summary: Summary | None, session: str, now: datetime) -> Note:
    """Its section in `.insights/`."""
    return Note(
        key=insight.key,
        title=clip_words(insight.title, 120),
        body=body(insight, summary, is_titled=insight.text == insight.title),
        evidence=tuple(
            _safe(f"line {passage.line}: “{passage.quote}”") for passage in insight.evidence[:5]
        ),
        summary=insight.entry,
        session=session,
        date=now.date(),
        tags=insight.tags,
        keywords=tuple(sorted(stack(insight.text))),
    )


def moved(old: Entry, session: str, now: datetime) -> Note:
    """The section of an entry that left MEMORY.md."""
    title = clip_words(old.text, 80)
    return Note(old.key, title, old.text, "Entries that left MEMORY.md", session, now.date())


def memory_file(insight: Insight) -> str:
    """The file that an index of memories points to."""
    kind = "feedback" if insight.category == PREFERENCES else "project"
    name = notes.slug(insight.title).removesuffix(".md")
    front = {"name": name, "description": insight.entry, "metadata": {"type": kind}}
    quotes = "\n".join(f"- line {quote.line}: “{quote.quote}”" for quote in insight.evidence[:5])
    text = f"{body(insight, None)}\nEvidence:\n\n{_safe(quotes)}\n"
    return notes.Document(front, f"\n{text}").text()


def body(insight: Insight, summary: Summary | None, *, is_titled: bool = False) -> str:
    """The advice and the mistake; the advice is left out if the title says it."""
    parts = [] if is_titled else [insight.text]
    if insight.mistake:
        parts.append(f"What went wrong: {insight.mistake}")
    parts.append(f"Type: {insight.kind}. Confidence: {insight.confidence}.")
    if summary:
        parts.append(f"Session: {summary.task}")
    return _safe("\n\n".join(parts)) + "\n"


def session_note(summary: Summary, session: str, now: datetime) -> Note:
    """The section of a session in the file of summaries."""
    decisions = "".join(f"\n- {decision}" for decision in summary.decisions)
    parts = (summary.text, f"Main task: {summary.task}", decisions and f"Decisions:\n{decisions}")
    return Note(
        key=blake2b(f"summary\0{session}".encode(), digest_size=6).hexdigest(),
        title=clip_words(f"{now:%Y-%m-%d} {session}", 120),
        body=_safe("\n\n".join(part for part in parts if part)),
        summary="What happened in each session that was mined",
        session=session,
        date=now.date(),
    )


def _safe(text: str) -> str:
    """Text that cannot open an HTML comment: notes are marked by those."""
    return text.replace("<!--", "‹!--")


def lesson(insight: Insight, scope: Scope, session: str, *, vouched: bool = False) -> Lesson:
    """The insight as a lesson; `vouched` when a person chose it."""
    return Lesson(
        scope=scope,
        situation=insight.title,
        mistake=insight.mistake,
        correction=insight.text,
        tags=insight.tags,
        trigger=Trigger.SESSION,
        signatures=insight.signatures,
        kinds=insight.kinds,
        fixes=insight.fixes,
        calls=insight.calls,
        evidence=(Evidence(Kind.SESSION, f"{session}:{insight.evidence[0].line}"),),
        origin=f"session:{session}",
        author=insight.author,
        job=f"session:{session}:{insight.key}",
        confidence=SURENESS[insight.confidence],
        status=Status.PROVEN if vouched or _is_stated(insight) else _unproven(insight),
    )


def _is_stated(insight: Insight) -> bool:
    """Whether a person said it, or a model that read the session."""
    return insight.category == PREFERENCES or insight.author != RULES


def _unproven(insight: Insight) -> str:
    """Only one session shows it: a fix is offered at the same error, a bare failure only counts."""
    return Status.CANDIDATE if insight.fixes or insight.kind != PATTERN else Status.SEEN
