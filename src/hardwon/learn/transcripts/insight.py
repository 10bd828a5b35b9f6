"""Insights: statements with their evidence; `Delta` is everything extracted of a session."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.harm import objection
from hardwon.core.text.injection import suspicion
from hardwon.core.text.redact import redact
from hardwon.core.values.lesson import Fix, clean_tags

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTENT, PATTERN, IMPLICIT = "content", "pattern", "implicit"
HIGH, MEDIUM, LOW = "high", "medium", "low"
TIER_A, TIER_B = "A", "B"
PREFERENCES = "Preferences"  # the category of what the user asked for
SURENESS = {HIGH: 0.85, MEDIUM: 0.6, LOW: 0.4}
QUOTE_LIMIT, ENTRY_LIMIT, TITLE_LIMIT = 240, 300, 90


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


_CONFIDENCE_RANK = {HIGH: 3, MEDIUM: 2, LOW: 1}
_LIMIT, _SPARE = 10, 20


def ranked(
    insights: list[Insight], missed: Sequence[Insight] = ()
) -> tuple[tuple[Insight, ...], tuple[Insight, ...]]:
    """The ten to choose from, surest first, and others that come after them, `missed` ones last."""
    best: dict[str, Insight] = {}
    for insight in insights:
        if insight.evidence and (
            insight.key not in best or _rank(insight) > _rank(best[insight.key])
        ):
            best[insight.key] = insight
    order = sorted(best.values(), key=_rank, reverse=True)
    chosen = [insight for insight in order if insight.confidence != LOW or insight.times > 1][
        :_LIMIT
    ]
    others = [insight for insight in order if insight not in chosen]
    others += [insight for insight in missed if insight.key not in best]
    return tuple(chosen), tuple(others[:_SPARE])


def _rank(insight: Insight) -> tuple[int, int, bool, int]:
    return (
        _CONFIDENCE_RANK[insight.confidence],
        min(insight.times, 9),
        insight.tier == TIER_A,
        -insight.evidence[0].line,
    )


def insight_from(plain: dict[str, Any]) -> Insight:
    """The insight that was stored as JSON."""
    fields = {name: plain[name] for name in Insight._fields if name in plain}
    for name in ("tags", "signatures", "calls", "kinds"):
        fields[name] = tuple(fields.get(name, ()))
    fields["fixes"] = tuple(Fix(**fix) for fix in fields.get("fixes", ()))
    fields["evidence"] = tuple(Passage(*_pair(piece)) for piece in fields["evidence"])
    return Insight(**fields)


def _pair(piece: Any) -> tuple[int, str]:
    return (piece["line"], piece["quote"]) if isinstance(piece, dict) else (piece[0], piece[1])
