"""Insights: statements with their evidence, and what is written about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from hardwon.core.text.clean import clean, clip, clip_words, one_line
from hardwon.core.text.harm import objection
from hardwon.core.text.injection import suspicion
from hardwon.core.text.redact import redact
from hardwon.core.values.lesson import RULES, Evidence, Fix, Kind, Lesson, Status, clean_tags
from hardwon.core.values.run import Trigger
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.markdown import Entry, Note
from hardwon.storage.stores.markdown import insights as notes

CONTENT, PATTERN, IMPLICIT = "content", "pattern", "implicit"
HIGH, MEDIUM, LOW = "high", "medium", "low"
TIER_A, TIER_B = "A", "B"
PREFERENCES = "Preferences"  # the category of what the user asked for
SURENESS = {HIGH: 0.85, MEDIUM: 0.6, LOW: 0.4}
QUOTE_LIMIT, ENTRY_LIMIT, TITLE_LIMIT = 240, 300, 90
_END = re.compile(r"(?<=[.!?])\s+|\n+")
_STOP_WORDS = """
a an and are as at be been but by can did do does for from had has have how i if in into is it its
let me my no not of on or our please so that the them then there this to up us was we were what
when where which will with you your use using instead
"""
_STOPS = frozenset(_STOP_WORDS.split())
_STACKS = {
    "python": "python pip pytest mypy ruff poetry uv django flask venv conda tox",
    "javascript": "node npm pnpm yarn npx jest vitest typescript tsc eslint react bun deno",
    "go": "go golang gofmt",
    "rust": "cargo rust rustc clippy",
    "java": "java gradle maven mvn kotlin",
    "docker": "docker compose dockerfile kubectl helm",
    "git": "git commit rebase branch",
    "sql": "sql postgres psql sqlite mysql migration",
    "shell": "bash sed awk grep find rm mkdir chmod",
}
_BY_WORD = {word: name for name, words in _STACKS.items() for word in words.split()}


class Passage(NamedTuple):
    """A quote from the transcript, with its line."""

    line: int
    quote: str


class Insight(NamedTuple):
    """One insight. Every insight has evidence."""

    title: str
    category: str
    kind: str
    confidence: str
    text: str  # imperative
    evidence: tuple[Passage, ...]
    tier: str = TIER_B
    tags: tuple[str, ...] = ()
    mistake: str = ""
    signatures: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    subject: str = ""  # identifies the insight across sessions; default: its text
    author: str = "rules"
    kinds: tuple[str, ...] = ()  # of the failures it is about
    fixes: tuple[Fix, ...] = ()

    @property
    def key(self) -> str:
        """The identity of an insight, the same in every session."""
        identity = self.subject or re.sub(r"\W+", " ", self.text.lower()).strip()
        return blake2b(f"{self.category}\0{identity}".encode(), digest_size=6).hexdigest()

    @property
    def entry(self) -> str:
        """The line suggested for MEMORY.md."""
        return clip(one_line(self.text), ENTRY_LIMIT)

    @property
    def advice(self) -> str:
        """The whole insight for a person who chooses: the advice first, then its subject."""
        words = set(re.findall(r"\w+", self.text.lower()))
        has_title = words >= set(re.findall(r"\w+", self.title.lower()))
        return self.text if has_title else f"{self.text} ({self.title})"

    @property
    def doubt(self) -> str:
        """Why a person should look at it first; "" if it looks safe."""
        return suspicion("\n".join((self.title, self.mistake))) or objection(self.text)

    @property
    def times(self) -> int:
        """How often it was seen."""
        return len(self.evidence)


class Summary(NamedTuple):
    """What the session was about."""

    text: str  # three to five sentences, past tense
    task: str
    decisions: tuple[str, ...] = ()
    duration: str = ""


class Related(NamedTuple):
    """A line in memory that is about the same subject as an insight."""

    key: str  # of the insight
    relation: str
    path: str
    line: int
    excerpt: str
    reason: str


class Delta(NamedTuple):
    """Everything extracted; `spare` holds insights beyond those offered first."""

    summary: Summary
    insights: tuple[Insight, ...]
    related: tuple[Related, ...] = ()
    spare: tuple[Insight, ...] = ()
    notes: tuple[str, ...] = ()  # what did not go as planned, for the person


def by_count(times: int) -> str:
    """The confidence in a pattern that was seen `times` times."""
    return HIGH if times >= 5 else MEDIUM if times >= 3 else LOW


def evidence(line: int, quote: str) -> Passage:
    """A short quote with its line, without secrets."""
    return Passage(line, safe_line(quote, QUOTE_LIMIT))


def safe_line(text: str, limit: int) -> str:
    """One short line. Redacted before the cut: half a token would not be recognized."""
    return clip(one_line(redact(text[: limit * 20])), limit)


def tags_of(*words: str) -> tuple[str, ...]:
    """The words that are fit to be tags."""
    return clean_tags(
        tuple(word for word in words if re.fullmatch(r"[A-Za-z][\w+#.-]{1,30}", word))
    )


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without code blocks and lists of paths."""
    for part in _END.split(clean(text)):
        sentence = part.strip(" \t-*>#")
        if 8 <= len(sentence) <= 400 and " " in sentence:
            yield sentence


def content_words(text: str) -> frozenset[str]:
    """The words of a text without stop words."""
    words = re.findall(r"[a-z0-9_][a-z0-9_.+#-]*[a-z0-9_+#]|[a-z0-9]", text.lower())
    return frozenset(word for word in words if word not in _STOPS)


def stack(text: str) -> tuple[str, ...]:
    """The technologies a text is about, as tags."""
    words = re.findall(r"[a-z]+", text.lower())
    return tags_of(*dict.fromkeys(_BY_WORD[word] for word in words if word in _BY_WORD))


_LIMIT, _SPARE = 10, 20


def rank(
    insights: list[Insight], missed: Sequence[Insight] = ()
) -> tuple[tuple[Insight, ...], tuple[Insight, ...]]:
    """The ten to choose from, surest first, and others that come after them, `missed` ones last."""

    def worth(insight: Insight) -> tuple[float, int, bool, int]:
        sure, line = SURENESS[insight.confidence], insight.evidence[0].line
        return sure, min(insight.times, 9), insight.tier == TIER_A, -line

    best: dict[str, Insight] = {}
    for insight in sorted((one for one in insights if one.evidence), key=worth, reverse=True):
        best.setdefault(insight.key, insight)
    chosen = [one for one in best.values() if one.confidence != LOW or one.times > 1][:_LIMIT]
    others = [insight for insight in best.values() if insight not in chosen]
    others += [insight for insight in missed if insight.key not in best]
    return tuple(chosen), tuple(others[:_SPARE])


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


def note_of_moved(old: Entry, session: str, now: datetime) -> Note:
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
    """The insight as a lesson; `vouched` when a person chose it.

    What a person said, or a model that read the session, is proven. Of the rest only one session
    is known: a fix is offered at the same error, a bare failure only counts.
    """
    status = Status.CANDIDATE if insight.fixes or insight.kind != PATTERN else Status.SEEN
    if vouched or insight.category == PREFERENCES or insight.author != RULES:
        status = Status.PROVEN
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
        status=status,
    )
