"""Rules that read a transcript without a model: one rule per file, all fed in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from hardwon.learn.transcripts.rules.backtracks import Backtracks
from hardwon.learn.transcripts.rules.corrections import Corrections
from hardwon.learn.transcripts.rules.decisions import Decisions
from hardwon.learn.transcripts.rules.failures import Failures
from hardwon.learn.transcripts.rules.story import Story

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.learn.transcripts.insight import Insight, Summary
    from hardwon.learn.transcripts.transcript import Moment


class Rule(Protocol):
    """Sees every moment once, then returns its insights."""

    def see(self, moment: Moment) -> None:
        """Take the next moment."""

    def insights(self) -> list[Insight]:
        """What there is to learn, after the last moment."""


class Findings(NamedTuple):
    """What the rules found in a transcript."""

    insights: list[Insight]
    summary: Summary
    story: Story
    failures: Failures
    missed: list[Insight]  # what the session shows besides, for a person who misses something


def apply_rules(moments: Iterable[Moment]) -> Findings:
    """Everything the rules find in these moments; the moments are not kept."""
    story, failures, decisions = Story(), Failures(), Decisions()
    rules: tuple[Rule, ...] = (failures, Corrections(), Backtracks(), decisions)
    for moment in moments:
        story.see(moment)
        for rule in rules:
            rule.see(moment)
    insights = [insight for rule in rules for insight in rule.insights()]
    summary = story.summary(decisions.texts(), failures.fixed)
    missed = [*failures.missed(), *decisions.missed()]
    return Findings(insights, summary, story, failures, missed)
