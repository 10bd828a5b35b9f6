"""The hand-off files of a run, as people and other programs read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hardwon.learn.transcripts.insight import Delta, Insight, Related, Summary, insight_from
from hardwon.learn.transcripts.location import SessionPlace

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.learn.transcripts.context import Context
    from hardwon.learn.transcripts.state import Handoff

_TARGETS = {"A": "MEMORY.md", "B": ".insights/"}


def write_context(handoff: Handoff, context: Context) -> None:
    """`session-context.json`."""
    handoff.write("session-context.json", json.dumps(context.plain(), indent=2))


def write_delta(handoff: Handoff, delta: Delta, place: SessionPlace, now: datetime) -> None:
    """The extractors' three files, and `delta.json` for the process that continues."""
    handoff.write("session-summary.md", summary_text(delta.summary))
    handoff.write("extracted-insights.md", insights_text(delta, place.id, now))
    handoff.write("related-knowledge.md", related_text(delta))
    handoff.write("delta.json", json.dumps({**plain(delta), "place": plain(place)}))


def read_delta(handoff: Handoff) -> tuple[SessionPlace, Delta]:
    """The session and what was extracted of it in an earlier process."""
    stored = json.loads(handoff.read("delta.json"))
    summary = {**stored["summary"], "decisions": tuple(stored["summary"]["decisions"])}
    delta = Delta(
        summary=Summary(**summary),
        insights=tuple(insight_from(item) for item in stored["insights"]),
        related=tuple(Related(**item) for item in stored["related"]),
        spare=tuple(insight_from(item) for item in stored["spare"]),
        notes=tuple(stored["notes"]),
    )
    return SessionPlace(**stored["place"]), delta


def plain(value: Any) -> Any:
    """Nested values as JSON types."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def summary_text(summary: Summary) -> str:
    """The summary as a page."""
    decisions = "\n".join(f"- {decision}" for decision in summary.decisions) or "- (none stated)"
    return (
        f"## Session Summary\n\n{summary.text}\n\n**Main Task**: {summary.task}\n\n"
        f"**Key Decisions**:\n{decisions}\n\n**Duration**: {summary.duration}\n"
    )


def insights_text(delta: Delta, session: str, now: datetime) -> str:
    """The insights as a page."""
    head = (
        f"# Extracted Insights\n\nSession: {session}\nExtracted: {now.isoformat()}\n"
        f"Insights Found: {len(delta.insights)}\n"
    )
    if not delta.insights:
        return f"{head}\nNo actionable insights detected: nothing failed or was corrected.\n"
    return head + "".join(_insight_text(n, insight) for n, insight in enumerate(delta.insights, 1))


def _insight_text(number: int, insight: Insight) -> str:
    quotes = "; ".join(f"“{quote.quote}” (line ~{quote.line})" for quote in insight.evidence[:5])
    return (
        f"\n### {number}. {insight.category}: {insight.title}\n\n"
        f"- Type: {insight.kind.capitalize()}\n- Confidence: {insight.confidence.capitalize()}\n"
        f"- Insight: {insight.text}\n- Evidence: {quotes}\n"
        f"- Suggested Memory Entry: {insight.entry}\n"
        f"- Recommended Target: {_TARGETS[insight.tier]}\n"
    )


def related_text(delta: Delta) -> str:
    """Related knowledge as a page."""
    titles = {insight.key: insight.title for insight in (*delta.insights, *delta.spare)}
    rows = "".join(
        _passage(related, titles.get(related.key, related.key)) for related in delta.related
    )
    return f"# Related Knowledge\n{rows or chr(10) + 'Everything is new.' + chr(10)}"


def _passage(related: Related, title: str) -> str:
    return (
        f"\n### {title}\n\n- Relation: {related.relation.capitalize()}\n"
        f"- File: {related.path}:{related.line}\n- Excerpt: {related.excerpt}\n"
        f"- Rationale: {related.reason}\n"
    )
