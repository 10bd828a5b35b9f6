"""Corrections: what the user told the agent to do otherwise."""

from __future__ import annotations

import re

from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    IMPLICIT,
    MEDIUM,
    PATTERN,
    PREFERENCES,
    TIER_A,
    Insight,
    by_count,
    evidence,
)
from hardwon.learn.transcripts.rules.sentences import content_words, sentences, stack
from hardwon.learn.transcripts.transcript import AGENT, USER, FinishedCall, Message, Moment
from hardwon.text.clean import one_line
from hardwon.text.redact import redact

_MESSAGE_LIMIT = 2_000  # a longer one is a task, not a correction
_KEPT = 200
_EMPHASIS_WORDS = "don t never always again said told here now avoid stop must ever"
_EMPHASIS = frozenset(_EMPHASIS_WORDS.split())
_STEM = 4  # letters that two forms of one word share
_OPENING = re.compile(
    r"(?i)(?:no|nope|wrong|stop|wait|hey|please|again|actually|but)\b[,.!: -]{0,3}"
)
_RULE = re.compile(
    r"(?i)\b(?:do(?:n['’]t| not)|never|always|must(?: not)?|stop \w+ing|avoid|prefer"
    r"|use (?:\S+ ){1,8}?(?:instead|rather than|not\b)|instead of|make sure|remember to)\b"
    r"|^use \S"
)
_FORBIDS = re.compile(r"(?i)n['’]t\b|\b(?:not|never|avoid|stop|instead of|rather than)\b")
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
    """Whether two sentences ask for the same: one adds nothing to the other.

    A different tool, module or place makes a different correction.
    """
    first, second = _content(a), _content(b)
    if bool(_FORBIDS.search(a)) != bool(_FORBIDS.search(b)):
        return False
    return _is_part(first, second) or _is_part(second, first)


def _content(sentence: str) -> frozenset[str]:
    return content_words(_OBJECTION.sub("", sentence.strip(), count=1)) - _EMPHASIS


def _is_part(words: frozenset[str], of: frozenset[str]) -> bool:
    return bool(words) and all(any(_is_form(word, candidate) for candidate in of) for word in words)


def _is_form(a: str, b: str) -> bool:
    """Whether two words are the same, or one is the other with an ending: commit, commits."""
    short, long = sorted((a, b), key=len)
    return a == b or (len(short) >= _STEM and long.startswith(short))


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
        title=advice[:90],
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
