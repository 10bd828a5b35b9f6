"""Judges what a command or a sentence does when somebody follows it.

A lesson may be well worded and speak only of tools, and still do harm: it reads files of secrets,
sends data to a foreign address, disables a check, destroys what cannot be made again, or grants
rights. Each row of `DEEDS` names a verb and what it must not be done to. A sentence that forbids
the deed, or reports that it is refused, does no harm.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from hardwon.core.text.harm_deeds import DEEDS, FOREIGN, SECRETS, SENDING, SENDS, Deed
from hardwon.core.text.injection import suspicion

TAKES_DATA = frozenset((SECRETS, SENDS))  # harm that no situation of ordinary work describes
_READ = 12_000  # characters judged; lessons are far shorter
_SENTENCE = re.compile(r"\n|[.!?](?:\s|$)|;\s")
_NEGATION = re.compile(
    r"\b(?:never|not|no|don'?t|cannot|can't|won't|mustn't|shouldn't|avoid|without|instead of"
    r"|rather than|forbid\w{0,5}|prohibit\w{0,3}|refuse|against|prevents?|block|reject|stop"
    r"|ask before|unless|nobody|nothing|neither|nor)\b"
)
_REVIVED = re.compile(  # "never forget to …", "do not ask, …"
    r"\b(?:forget|hesitate|fail|neglect|worry|ask|wait|tell|need|only|longer)\b"
)
_REFUSED = re.compile(
    r"\b(?:is|are|was|were|be|gets?|being) (?:\w{2,12} )?(?:refused|rejected|forbidden|blocked"
    r"|denied|prohibited|banned|disallowed|dangerous)\b|\bnot (?:allowed|permitted)\b|\bfails?\b"
)
_NEAR = 160  # characters before a verb in which a negation counts


@lru_cache(maxsize=1024)  # a lesson is judged whenever it is written, and changes little
def harm(text: str) -> str | None:
    """The harm done by whoever follows this text; None if it is ordinary work."""
    text = text[:_READ].lower().replace("’", "'")
    sentences, words = _SENTENCE.split(text), frozenset(re.findall(r"\w+", text))
    deeds = [deed for deed in DEEDS if _may_occur(deed, text, words)]
    reasons = (_does(deed, sentence) for sentence in sentences for deed in deeds)
    return next(filter(None, reasons), None) or _sends_in_parts(sentences)


def _may_occur(deed: Deed, text: str, words: frozenset[str]) -> bool:
    """Whether the verb of a deed may be in a text; quicker than its pattern."""
    if deed.signs:
        return any(map(text.__contains__, deed.signs))
    return not (first := _first_words(deed.verb)) or not first.isdisjoint(words)


@cache
def _first_words(verb: str) -> frozenset[str]:
    """The words that a list of verbs begins with; none for any other pattern."""
    if not (verb.startswith(r"\b(?:") and verb.endswith(r")\b")):
        return frozenset()
    verbs = re.sub(r"\(\?<!.*?\)", "", verb[5:-3]).split("|")
    parts = [*verbs, *(each.replace("[ -]?", "") for each in verbs)]
    return frozenset(re.split(r"\W", part)[0] for part in parts)


def _sends_in_parts(sentences: list[str]) -> str | None:
    """The reason if one sentence says what to send and another one where to."""
    if len(sentences) == 1 or not any(re.search(FOREIGN, sentence) for sentence in sentences):
        return None
    return next(filter(None, (_does(SENDING, sentence) for sentence in sentences)), None)


def _does(deed: Deed, sentence: str) -> str | None:
    """The reason if the sentence asks for the deed."""
    objects, at = re.compile(deed.object), -1
    for verb in re.finditer(deed.verb, sentence):
        if at < verb.end():  # or the next object is known already
            found = objects.search(sentence, verb.end())
            if found is None:
                return None
            at = found.start()
        if at - verb.end() <= deed.reach and not _is_forbidden(sentence, verb):
            return deed.reason if _fits(deed, sentence) else None
    return None


def _fits(deed: Deed, sentence: str) -> bool:
    """Whether the rest of the sentence makes the deed one of harm."""
    if deed.needs and not re.search(deed.needs, sentence):
        return False
    return not (deed.unless and re.search(deed.unless, sentence))


def _is_forbidden(sentence: str, verb: re.Match[str]) -> bool:
    """Whether the sentence tells not to do it, or that it is refused."""
    before = sentence[max(0, verb.start() - _NEAR) : verb.start()]
    negations = list(_NEGATION.finditer(before))
    if negations and not _REVIVED.search(before, negations[-1].end()):
        return True
    return bool(_REFUSED.search(sentence, verb.end()))


def objection(text: str) -> str:
    """Why nobody may be told this text unread; "" if it reads as ordinary work."""
    return suspicion(text) or harm(text) or ""
