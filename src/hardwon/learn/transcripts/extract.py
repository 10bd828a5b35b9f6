"""Extraction: summary, insights and related knowledge, by a model or by rules alone.

Summary and insights are made in parallel; related knowledge is looked up after that.
Without a language model, or when it fails twice, the rules' own words stand.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from hardwon.core.errors import HardwonError
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.engine.runtime import Runtime
from hardwon.learn.transcripts import llm_extract
from hardwon.learn.transcripts.agents import length, read
from hardwon.learn.transcripts.catalog import Context
from hardwon.learn.transcripts.insight import Delta, Insight, Passage, Summary, rank
from hardwon.learn.transcripts.llm_extract import chunks
from hardwon.learn.transcripts.related import find_related, open_library
from hardwon.learn.transcripts.rules import Findings, apply_rules
from hardwon.learn.transcripts.transcript import SessionPlace
from hardwon.storage.ports import Model

_MODEL_PASSES = 2  # one for the insights, one for the summary
Tell = Callable[[int, int], None]


class Extraction(NamedTuple):
    """The extracted insights, and what was read for them."""

    delta: Delta
    findings: Findings
    skipped: Counter[str]


class Counted:
    """Counts the records that are read, and tells of each and of how many there will be."""

    def __init__(self, tell: Tell, of: int) -> None:
        self._tell, self._of, self._done = tell, of, 0

    def __call__(self) -> None:
        self._done += 1
        self._tell(self._done, self._of)


def untold(done: int, of: int) -> None:
    """The default for progress: reports nothing."""


def extract(context: Context, engine: Runtime, tell: Tell = untold) -> Extraction:
    """Everything the whole session teaches; secrets never leave this function.

    `tell(done, of)` counts the records that the model has read: the slowest reading.
    The rules read outside an event loop, which would hold Ctrl-C back until they have read all.
    """
    passes = _MODEL_PASSES if engine.has_model else 1
    counted = Counted(tell, passes * length(context.place))
    reading = read(context.place, tell=None if engine.has_model else counted)
    findings = apply_rules(reading.moments())
    summary, insights = findings.summary, findings.insights
    notes: list[str] = []
    if engine.has_model:
        place, model = context.place, engine.model
        summary, insights, notes = run_sync(lambda: _ask_both(place, model, findings, counted))
    chosen, spare = rank(
        list(map(clean_insight, insights)), list(map(clean_insight, findings.missed))
    )
    library = open_library(context)
    delta = Delta(
        summary=_clean_summary(summary),
        insights=chosen,
        related=find_related((*chosen, *spare), library),
        spare=spare,
        notes=(*notes, *library.problems, *_skipped_words(reading.skipped)),
    )
    return Extraction(delta, findings, reading.skipped)


async def _ask_both(
    place: SessionPlace, model: Model, findings: Findings, counted: Counted
) -> tuple[Summary, list[Insight], list[str]]:
    """The model's insights, plus those of the rules, which carry the signatures."""
    results = await asyncio.gather(
        llm_extract.insights(chunks(read(place, tell=counted).moments()), model),
        llm_extract.summary(chunks(read(place, tell=counted).moments()), model),
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


def _skipped_words(skipped: Counter[str]) -> list[str]:
    return [f"{count} lines or events were left out: {reason}" for reason, count in skipped.items()]
