"""How well a lesson fits what is asked at a door: one score, its parts, and a floor for each door.

Every number is in `Weights`; bench/doors.py chose them, docs/explanation/ranking.md explains them.
"""

from __future__ import annotations

from datetime import datetime
from math import exp, log

from hardwon.domain.recall import Match, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from hardwon._light import NamedTuple


class Weights(NamedTuple):
    """Everything that can be tuned about recall."""

    # Words: the idf mass that counts as half certain, and the least that is worth saying.
    half: float = 4.0
    turn_words: float = 1.6
    error_words: float = 4.0
    action_words: float = 3.0
    least_shared: int = 2
    # Failures that come back in run after run are worth knowing whatever the task is.
    usual: float = 1.2
    fading: float = 30.0  # days after which a failure that is no longer met counts 1/e
    # Calls: how much a grain says, and how many tries it takes to believe its failure rate.
    exact: float = 2.0
    target: float = 1.5
    kind: float = 1.2
    program: float = 1.0
    call_words: float = 0.1
    doubt: float = 2.0
    base_rate: float = 0.18
    risk: float = 0.45  # the least failure rate of a call that is worth a warning
    # Priors between lessons that fit alike; bounded, so that none outweighs relevance.
    confidence: float = 0.3
    importance: float = 0.1
    frequency: float = 0.3


WEIGHTS = Weights()
Odds = dict[str, tuple[int, int]]


class Judged(NamedTuple):
    """A match with its score, what it is made of, and why it is not shown, if it is not."""

    match: Match
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    verdict: str = ""


def judge(asked: Query, match: Match, *, odds: Odds, now: datetime, by: Weights) -> Judged:
    """The score of a match at the door of the query, and the verdict of the door's floor."""
    relevance = _DOORS.get(asked.door, _turn)(match, odds, now, by)
    prior = _prior(match, by)
    score = (sum(value for _, value in relevance.parts)) * prior
    parts = (*relevance.parts, ("prior", prior))
    return Judged(match, score, parts, relevance.verdict)


class _Relevance(NamedTuple):
    parts: tuple[tuple[str, float], ...]
    verdict: str = ""


def _turn(match: Match, odds: Odds, now: datetime, by: Weights) -> _Relevance:
    usual = by.usual * _usual(match, now, by)
    words = _words(match, by)
    verdict = "" if usual or _says_enough(match, by.turn_words, by) else "too few words in common"
    return _Relevance((("words", words), ("usual", usual)), verdict)


def _error(match: Match, odds: Odds, now: datetime, by: Weights) -> _Relevance:
    same = 10.0 * match.is_same_failure
    enough = same or _says_enough(match, by.error_words, by)
    parts = (("same failure", same), ("words", _words(match, by)))
    return _Relevance(parts, "" if enough else "another failure, and too few words in common")


def _action(match: Match, odds: Odds, now: datetime, by: Weights) -> _Relevance:
    if match.lesson.guard and any(key[0] in "=@" for key, _ in match.calls):
        return _Relevance((("guard", 10.0),))
    if not match.lesson.calls:
        enough = _says_enough(match, by.action_words, by)
        verdict = "" if enough else "too few words in common"
        return _Relevance((("words", _words(match, by)),), verdict)
    risk, likely = 0.0, 0.0
    for key, times in match.calls:
        made, failed = odds.get(key, (times, times))
        doubt = 1.0 if key[0] == "=" else by.doubt
        risk = max(risk, (failed + by.base_rate * doubt) / (made + doubt))
        likely = max(likely, _grain(key, by) * times / (made + doubt))
    likely *= _freshness(match, now, by)
    parts = (("call", likely), ("words", by.call_words * _words(match, by)))
    return _Relevance(parts, "" if risk >= by.risk else f"such calls fail in {risk:.0%} only")


_DOORS = {"action": _action, "error": _error}


def _words(match: Match, by: Weights) -> float:
    """Word evidence in 0 … 1."""
    return match.words / (match.words + by.half)


def _says_enough(match: Match, least: float, by: Weights) -> bool:
    return match.shared >= by.least_shared and match.words >= least


def _usual(match: Match, now: datetime, by: Weights) -> float:
    """How much a failure belongs to this project: met in several runs, and lately."""
    if match.lesson.met < 2:
        return 0.0
    often = log(match.lesson.met)
    return often / (often + 1) * _freshness(match, now, by)


def _freshness(match: Match, now: datetime, by: Weights) -> float:
    """1 for a failure that was met just now, less for one that is no longer met."""
    days = max(0.0, (now - match.lesson.updated_at).total_seconds() / 86400)
    return exp(-days / by.fading)


def _grain(key: str, by: Weights) -> float:
    return {"=": by.exact, "@": by.target, "~": by.kind}.get(key[0], by.program)


def _prior(match: Match, by: Weights) -> float:
    lesson = match.lesson
    return (
        1
        + by.confidence * lesson.confidence
        + by.importance * lesson.importance
        + by.frequency * min(1.0, log(max(1, lesson.met)) / 3)
    )
