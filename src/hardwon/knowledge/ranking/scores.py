"""How well a lesson fits a query at a door: a score, its parts, and a threshold for each door.

Every number is in `Weights`; bench/doors.py chose them, docs/explanation/ranking.md explains them.
"""

from __future__ import annotations

from collections.abc import Container
from math import ceil, log
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import (
    LIVE,
    MINED,
    RULES,
    UNCHANGED,
    Kind,
    Status,
    evidence_of,
    is_of_test_in,
)
from hardwon.knowledge.evidence import advice
from hardwon.knowledge.ranking.query import Match, Query, chance, may_hold, terms

if TYPE_CHECKING:
    _Relevance = tuple[tuple[tuple[str, float], ...], str]  # the parts of a score, and a verdict


SPEAKS = "speaks of it"  # the part of a score for how surely a text is about a failure
_INTRODUCED = {"see", "say"}  # "When you see …": how the situation of a mined lesson begins


class Weights(NamedTuple):
    """Everything that can be tuned about recall."""

    # Words: the idf mass that counts as half certain.
    half: float = 4.0
    # A turn: how unlikely the shared words are (e to this power), and how much of the lesson's
    # situation they cover, counting at most `about` of its words.
    surprise: float = 6.0
    covered: float = 0.34
    quoted: int = 5  # words of a failure that a prompt may quote
    about: int = 30
    least_shared: int = 2
    # An error of an unknown kind: how much more than by chance a lesson must be about it, and the
    # weights of the failure's words, of all words (with a limit) and of a quoted message.
    # `offered`: how often a lesson is offered.
    spoken: float = 2.75
    beside: float = 7.0  # the same for a lesson shown beside one of this kind
    own: float = 0.5
    any_word: float = 0.75
    words: float = 10.0
    says: float = 12.0
    crowded: float = 0.8  # subtracted without a quote, for each e-fold of lessons over `few`
    few: int = 50
    offered: int = 2
    name: int = 5  # words of a situation that a text may name as a whole
    # A tag: the least idf mass per shared word, and the length of a text that may ask for it.
    tagged: float = 1.2
    brief: int = 40
    # Meaning: its weight, the least similarity to show a lesson without shared words, and by how
    # much a lesson must be nearer than the crowd: the near lessons after the first few.
    turn_meaning: float = 1.0
    error_meaning: float = 3.0
    turn_likeness: float = 0.52
    error_likeness: float = 0.34
    apart: float = 0.42
    first_few: int = 8
    crowd: int = 8
    # Priors between lessons that fit equally well; bounded, so that relevance decides.
    confidence: float = 0.3
    importance: float = 0.1
    frequency: float = 0.3


WEIGHTS = Weights()


class Outlook(NamedTuple):
    """What is known of a run and its project when a door opens."""

    told: frozenset[int]  # lessons that this run was shown
    is_again: bool = False  # the run has met this failure kind, in another form


UNKNOWN = Outlook(frozenset())


class Judged(NamedTuple):
    """A match with its score, the parts of the score, and why it is not shown (empty if it is)."""

    match: Match
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    verdict: str = ""


def judge(query: Query, match: Match, *, outlook: Outlook, by: Weights) -> Judged:
    """The score of a match at the door of the query, and the verdict by the door's threshold."""
    find_relevance = _error if query.door == "error" else _turn
    parts, verdict = find_relevance(query, match, outlook, by)
    is_its_failure = query.door == "error" and (match.is_same_kind or match.is_same_failure)
    if match.lesson.id in outlook.told and not is_its_failure:
        verdict = "told in this run already"
    score = sum([value for _, value in parts])
    lesson = match.lesson
    prior = 1 + by.confidence * lesson.confidence + by.importance * lesson.importance
    prior += by.frequency * min(1.0, log(max(1, lesson.met)) / 3)
    return Judged(match, score * prior, (*parts, ("prior", prior)), verdict)


def _turn(query: Query, match: Match, _: Outlook, by: Weights) -> _Relevance:
    telling = min(1.0, max(0.0, -match.chance) / by.surprise)  # 0 for words shared by chance
    parts = (("words", telling * _words(match, by)), *_meaning(match, by.turn_meaning))
    if match.lesson.status != Status.PROVEN:
        return parts, "not proven yet"
    is_asked_for = (
        _is_named(query, match, by)
        or _is_asked_for(query, match, by)
        or _is_near(query, match, by.turn_likeness, by)
        or _is_tagged(query, match, by)
    )
    return parts, "" if is_asked_for else "shares no more than others by chance"


def _is_asked_for(query: Query, match: Match, by: Weights) -> bool:
    """Whether a text shares more words with the lesson than expected by chance.

    Words that are common in this store are shared by chance, and so are a few words of a long text:
    the shared words must be unlikely together, and a fair part of the lesson's situation. A mined
    lesson is asked for only by a text that quotes its failure.
    """
    if match.lesson.origin == MINED:
        situation = set(terms(match.lesson.situation))
        return len(situation) >= by.quoted and situation - _INTRODUCED <= set(query.terms)
    if match.shared < by.least_shared or match.chance > -by.surprise:
        return False
    situation = set(terms(match.lesson.situation))
    return match.shared >= ceil(by.covered * min(by.about, len(situation)))


def _is_named(query: Query, match: Match, by: Weights) -> bool:
    """Whether a text names the lesson: has every word of its short situation, in any order.

    Of a situation of one word the word must be rare in this store.
    """
    if match.lesson.origin == MINED or len(query.terms) > by.brief:
        return False
    name = set(terms(match.lesson.situation))
    if not 0 < len(name) <= by.name or not name <= set(query.terms):
        return False
    return len(name) > 1 or match.words >= by.tagged * max(1, match.shared)


def _is_tagged(query: Query, match: Match, by: Weights) -> bool:
    """Whether a short text names a rare tag that a person or a model chose."""
    if match.lesson.author == RULES or len(query.terms) > by.brief:
        return False
    is_rare = match.words >= by.tagged * max(1, match.shared)
    words = set(query.terms)
    return is_rare and any(words.issuperset(terms(tag)) for tag in match.lesson.tags if terms(tag))


def _error(query: Query, match: Match, outlook: Outlook, by: Weights) -> _Relevance:
    same, kind = 10.0 * match.is_same_failure, 5.0 * match.is_same_kind
    stands = float(LIVE.index(match.lesson.status)) if match.lesson.status in LIVE else 0.0
    parts = (("same failure", same), ("same kind", kind), ("state", stands))
    if same or kind:
        sure = text_evidence(query, match, by) if match.lesson.origin != MINED else by.beside
        is_cured = match.is_same_failure and match.lesson.status == Status.PROVEN
        is_told = query.red and match.is_same_failure
        verdict = ""
        if outlook.is_again and not is_cured:  # in another form
            verdict = "this run has met the kind already"
        elif not outlook.is_again and not is_told and is_of_other_tests(query, match):
            verdict = "known of other tests only"
        elif match.lesson.status == Status.SEEN:
            verdict = "nothing is known to work"
        return (*parts, (SPEAKS, sure / 10)), verdict
    return _other_error(query, match, parts, by)


def _other_error(
    query: Query, match: Match, parts: tuple[tuple[str, float], ...], by: Weights
) -> _Relevance:
    """The score of another failure's lesson: shown only if near in meaning or about this error."""
    is_proven = match.lesson.status == Status.PROVEN
    is_near = is_proven and _is_near(query, match, by.error_likeness, by)
    # Most candidates are mined from other failures; their words are not examined further.
    is_written = is_proven and match.lesson.origin != MINED
    sure = text_evidence(query, match, by) if is_near or is_written else 0.0
    speaks = is_written and sure >= by.spoken and _may_be_offered(query, match, by)
    words = (("words", _words(match, by)), (SPEAKS, sure / 10))
    verdict = "" if is_near or speaks else "another kind of failure"
    return (*parts, *words, *_meaning(match, by.error_meaning)), verdict


def is_of_other_tests(query: Query, match: Match) -> bool:
    """Whether the lesson only says that other tests fail without any change."""
    fixes = match.lesson.fixes if match.lesson.origin == MINED else ()
    if not fixes or any(fix.sort != UNCHANGED for fix in fixes):
        return False
    return not any(is_of_test_in(fix, query.red or query.text) for fix in fixes)


def _may_be_offered(query: Query, match: Match, by: Weights) -> bool:
    """Whether a lesson may be shown at a failure that is not its own.

    It is offered twice; if that helps, it adopts the failure kind. A lesson that quotes the message
    is offered every time.
    """
    offered = evidence_of(match.lesson, Kind.OFFERED)
    is_new = sum(value.startswith(query.kind) for value in offered) < by.offered
    return is_new or advice.quotes(match.lesson, query.text)


def text_evidence(query: Query, match: Match, by: Weights) -> float:
    """How much more than by chance the text of a lesson is about this failure.

    Words count by their joint rarity, those of the failure itself twice; in a large store more must
    agree. A lesson that quotes the message is surely about it.
    """
    held, rarity = _words_held(match), match.rarity
    own = [rarity[word] for word in query.about if word in held and word in rarity]
    is_quoted = advice.quotes(match.lesson, query.text)
    if not (own or is_quoted):
        return 0.0
    crowd = 0.0 if is_quoted else by.crowded * log(max(1.0, match.total / by.few))
    by_chance = chance(sum(own), shared=len(own), asked=len(query.about), total=match.total)
    words = -by.own * by_chance + by.any_word * min(by.words, -match.chance)
    return words + by.says * is_quoted - crowd


def _words_held(match: Match) -> Container[str]:
    """The failure's words that the lesson has; its text is read where the index does not tell."""
    unsure = match.unread - match.held
    is_indexed = match.lesson.status == Status.PROVEN
    if is_indexed and not unsure:
        return match.held
    text = match.lesson.searchable()
    return set(terms(text)) if not is_indexed or may_hold(text, unsure) else match.held


def _words(match: Match, by: Weights) -> float:
    """Word evidence in 0 … 1."""
    return match.words / (match.words + by.half)


def _meaning(match: Match, weight: float) -> tuple[tuple[str, float], ...]:
    """The part of the score for meaning; () for a lesson that was not found by it."""
    return (("meaning", weight * max(0.0, match.meaning)),) if match.cosine else ()


def _is_near(query: Query, match: Match, least: float, by: Weights) -> bool:
    """Whether a lesson is clearly nearer in meaning than the other near lessons."""
    if (match.cosine + match.meaning) / 2 < least:
        return False
    crowd = [meaning for _, _, meaning in query.near[by.first_few :]]
    is_alone = len(crowd) < by.crowd  # the store is too small to have a crowd
    return is_alone or match.meaning - sum(crowd) / len(crowd) >= by.apart
