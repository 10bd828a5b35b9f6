"""Decisions: a choice between two ways, with its reason."""

from __future__ import annotations

import re

from hardwon.core.text.clean import clip_words, one_line
from hardwon.core.text.redact import redact
from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    LOW,
    TIER_A,
    TITLE_LIMIT,
    Insight,
    Passage,
    evidence,
)
from hardwon.learn.transcripts.rules.sentences import sentences, stack
from hardwon.learn.transcripts.transcript import Message, Moment

_KEPT = 12
_CHOICE = re.compile(
    r"(?i)\b(?:decided (?:to|on|against)|chose|choose|opted (?:for|to)|went with|going with"
    r"|we(?:['’]ll| will| should) (?:use|keep|stay)|prefer|settled on)\b"
)
_OTHER = re.compile(r"(?i)\b(?:instead of|rather than|over\b|against|not\b|and not|keep)")
_REASON = re.compile(r"(?i)\b(?:because|since|so that|to avoid|due to|otherwise|as it)\b")


class Decisions:
    """Keeps the decisions of user and agent."""

    def __init__(self) -> None:
        self._decisions: dict[str, Passage] = {}
        self._choices: dict[str, Passage] = {}  # without a reason or an alternative

    def see(self, moment: Moment) -> None:
        if not isinstance(moment, Message) or not _CHOICE.search(moment.text):
            return
        for sentence in sentences(redact(moment.text)):
            if _CHOICE.search(sentence):
                kept = self._decisions if is_decision(sentence) else self._choices
                if len(kept) < _KEPT:
                    kept.setdefault(one_line(sentence), evidence(moment.line, sentence))

    def texts(self) -> tuple[str, ...]:
        """The decisions in their own words."""
        return tuple(self._decisions)

    def insights(self) -> list[Insight]:
        return [_insight(text, passage, HIGH) for text, passage in self._decisions.items()]

    def missed(self) -> list[Insight]:
        """Choices that name no reason or no alternative."""
        return [_insight(text, passage, LOW) for text, passage in self._choices.items()]


def _insight(text: str, passage: Passage, confidence: str) -> Insight:
    return Insight(
        title=clip_words(text, TITLE_LIMIT),
        category="Technical Decisions",
        kind=CONTENT,
        confidence=confidence,
        text=text,
        evidence=(passage,),
        tier=TIER_A,
        tags=stack(text),
    )


def is_decision(sentence: str) -> bool:
    """Whether a sentence names a choice, what was not chosen, and why."""
    if not _REASON.search(sentence) or not _CHOICE.search(sentence):
        return False
    return bool(_OTHER.search(sentence)) and len(sentence.split()) >= 6
