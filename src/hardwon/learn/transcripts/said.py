"""What was said in a session: corrections by the user, and decisions with their reasons."""

from __future__ import annotations

import re

from hardwon.core.text.clean import clip_words, one_line
from hardwon.core.text.redact import redact
from hardwon.knowledge.ranking.query import stem
from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    IMPLICIT,
    LOW,
    MEDIUM,
    PATTERN,
    PREFERENCES,
    TIER_A,
    TITLE_LIMIT,
    Insight,
    Passage,
    by_count,
    content_words,
    evidence,
    sentences,
    stack,
)
from hardwon.learn.transcripts.transcript import AGENT, USER, FinishedCall, Message, Moment

_MESSAGE_LIMIT = 2_000  # a longer one is a task, not a correction
_KEPT = 200
_EMPHASIS = frozenset(["again", "said", "told", "here", "now", "ever", "always", "must", "please"])
_AGAINST = frozenset(["not", "never", "avoid", "stop", "instead", "rather"])  # and what ends in n't
_CLAUSE = frozenset((*",;:.!", "but"))  # a new clause begins behind it
_OPENING = re.compile(
    r"(?i)(?:no|nope|wrong|stop|wait|hey|please|again|actually|but)\b[,.!: -]{0,3}"
)
_RULE = re.compile(
    r"(?i)\b(?:do(?:n['’]t| not)|never|always|must(?: not)?|stop \w+ing|avoid|prefer"
    r"|use (?:\S+ ){1,8}?(?:instead|rather than|not\b)|instead of|make sure|remember to)\b"
    r"|^use \S"
)
_OBJECTION = re.compile(
    r"(?i)^(?:no\b|nope|wrong|that(?:['’]s| is) (?:not|wrong)|not like that|i (?:said|told|meant)"
    r"|why did you|you (?:should|shouldn['’]t|forgot|keep)|undo|revert)"
)


class Corrections:
    """Collects what the user says after the agent has begun."""

    def __init__(self) -> None:
        self._has_begun = False
        self._heard: list[tuple[int, str]] = []

    def see(self, moment: Moment) -> None:
        if isinstance(moment, FinishedCall) or moment.who == AGENT:
            self._has_begun = True
        elif self._has_begun and moment.who == USER and len(moment.text) <= _MESSAGE_LIMIT:
            self._listen(moment)

    def insights(self) -> list[Insight]:
        """A correction each, however often it was said."""
        return [_insight(group) for group in self._groups()]

    def _listen(self, message: Message) -> None:
        if len(self._heard) < _KEPT:
            objected = bool(_OBJECTION.match(message.text.strip()))
            for sentence in sentences(redact(message.text)):
                if is_rule(sentence) or (objected and len(sentence.split()) > 3):
                    self._heard.append((message.line, sentence))

    def _groups(self) -> list[list[tuple[int, str]]]:
        groups: list[list[tuple[int, str]]] = []
        for line, sentence in self._heard:
            matching = (group for group in groups if is_same(sentence, group[0][1]))
            group = next(matching, None)
            if group is None:
                groups.append([(line, sentence)])
            else:
                group.append((line, sentence))
        return groups


def is_same(a: str, b: str) -> bool:
    """Whether two sentences ask for the same things in the same order, and forbid the same.

    A different tool, module or place makes a different correction.
    """
    return asked_for(a) == asked_for(b) != ((), ())


def asked_for(sentence: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stems of what a sentence asks for, and of what it forbids."""
    wanted: list[str] = []
    forbidden: list[str] = []
    current = wanted
    for word in re.findall(r"[,;:.!](?=\s|$)|[\w'’.+#-]{0,60}[\w+#]", _plain(sentence)):
        if word in _AGAINST or word.endswith(("n't", "n’t")):
            current = forbidden
        elif word in _CLAUSE:
            current = wanted
        elif word not in _EMPHASIS:
            current += [stem(part) for part in content_words(word)]
    return tuple(wanted), tuple(forbidden)


def _plain(sentence: str) -> str:
    return _OBJECTION.sub("", sentence.strip(), count=1).lower()


def is_rule(sentence: str) -> bool:
    """Whether a sentence says how to do things."""
    return bool(_RULE.search(sentence)) and len(sentence.split()) > 2 and sentence[-1] != "?"


def _insight(group: list[tuple[int, str]]) -> Insight:
    ruling = [sentence for _, sentence in group if is_rule(sentence)]
    advice = _imperative(max(ruling or [sentence for _, sentence in group], key=len))
    kind, confidence = (CONTENT, HIGH) if ruling else (IMPLICIT, MEDIUM)
    if len(group) > 1 and not ruling:
        kind, confidence = PATTERN, by_count(len(group))
    return Insight(
        title=clip_words(advice, TITLE_LIMIT),
        category=PREFERENCES,
        kind=kind,
        confidence=confidence,
        text=advice,
        evidence=tuple(evidence(line, sentence) for line, sentence in group[:10]),
        tier=TIER_A,
        tags=stack(advice),
        mistake="The user had to correct this.",
    )


def _imperative(sentence: str) -> str:
    """The sentence without its opening objection: "no, use pnpm" as "Use pnpm"."""
    text = one_line(sentence)
    for _ in range(3):
        text = _OPENING.sub("", text, count=1) if _OPENING.match(text) else text
    text = text.strip(" ,.-") or one_line(sentence)
    return text[0].upper() + text[1:]


_DECISIONS = 12
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
                if len(kept) < _DECISIONS:
                    kept.setdefault(one_line(sentence), evidence(moment.line, sentence))

    def texts(self) -> tuple[str, ...]:
        """The decisions in their own words."""
        return tuple(self._decisions)

    def insights(self) -> list[Insight]:
        return [_decision(text, passage, HIGH) for text, passage in self._decisions.items()]

    def unsure_insights(self) -> list[Insight]:
        """Choices that name no reason or no alternative."""
        return [_decision(text, passage, LOW) for text, passage in self._choices.items()]


def _decision(text: str, passage: Passage, confidence: str) -> Insight:
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
