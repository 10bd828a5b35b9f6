"""Decisions: a choice between two ways, with its reason."""

from __future__ import annotations

import re

from hardwon.learn.transcripts.insight import CONTENT, HIGH, TIER_A, Insight, Passage, evidence
from hardwon.learn.transcripts.rules.sentences import sentences, stack
from hardwon.learn.transcripts.transcript import Message, Moment
from hardwon.text.clean import one_line
from hardwon.text.redact import redact

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

    def see(self, moment: Moment) -> None:
        if (
            isinstance(moment, Message)
            and len(self._decisions) < _KEPT
            and _REASON.search(moment.text)
        ):
            for sentence in sentences(redact(moment.text)):
                if is_decision(sentence):
                    self._decisions.setdefault(one_line(sentence), evidence(moment.line, sentence))

    def texts(self) -> tuple[str, ...]:
        """The decisions in their own words."""
        return tuple(self._decisions)

    def insights(self) -> list[Insight]:
        return [
            Insight(
                title=text[:90],
                category="Technical Decisions",
                kind=CONTENT,
                confidence=HIGH,
                text=text,
                evidence=(passage,),
                tier=TIER_A,
                tags=stack(text),
            )
            for text, passage in self._decisions.items()
        ]


def is_decision(sentence: str) -> bool:
    """Whether a sentence names a choice, what was not chosen, and why."""
    if not _REASON.search(sentence) or not _CHOICE.search(sentence):
        return False
    return bool(_OTHER.search(sentence)) and len(sentence.split()) >= 6
