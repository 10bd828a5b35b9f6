"""How well a lesson fits what is asked at a door: one score, its parts, and a floor for each door.

Every number is in `Weights`; bench/doors.py chose them, docs/explanation/ranking.md explains them.
"""

from __future__ import annotations

from datetime import datetime
from math import exp, log

from hardwon._cold import re
from hardwon.ranking.query import Match, Query
from hardwon.values.lesson import Lesson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from hardwon._cold.namedtuple import NamedTuple


LIKELY = "likely"
ANY, WARNED = "* any", "* warned"  # what every call is counted by, and every warned one
# What the code at work raises; not what the shell, the loader or the parser says about it.
_CODE_FAULT = (
    r"(?:it raised )?(?:assert |FAILED |Failed:|[\w.]*\b(?!ModuleNotFound|Syntax|Indentation|TabErr"
    r"|File|Permission|OS|IO|Connection|Timeout|Unicode|NotADirectory|IsADirectory|Memory)"
    r"[A-Za-z_]\w*(?:Error|Exception|Exit|Failed|Failure)\b)"
)


class Weights(NamedTuple):
    """Everything that can be tuned about recall."""

    # Words: the idf mass that counts as half certain, and the least that is worth saying.
    half: float = 4.0
    turn_words: float = 1.6
    error_words: float = 4.0
    action_words: float = 3.0
    least_shared: int = 2
    # Meaning: what it counts, and the least likeness that is worth saying something without words.
    turn_meaning: float = 1.0
    error_meaning: float = 3.0
    turn_likeness: float = 0.32
    error_likeness: float = 0.34
    # Failures that come back in run after run are worth knowing whatever the task is.
    usual: float = 1.2
    fading: float = 60.0  # days after which a failure that is no longer met counts 1/e
    # Calls: what was seen in fewer tries than `doubt` is believed less than what is known of calls
    # in general.
    doubt: float = 8.0
    base_rate: float = 0.1
    worth: float = 0.07  # the least odds of a failure against a call that works
    # Of the calls that work, how many may have been warned about; `patience` are taken for granted.
    needless: float = 0.05
    patience: float = 200.0
    # What was met in one run need not come back: how much of its first meeting is not believed.
    passing: float = 0.2
    task_bound: float = 0.8  # the same where the code at work failed, not what it is run with
    # Priors between lessons that fit alike; bounded, so that none outweighs relevance.
    confidence: float = 0.3
    importance: float = 0.1
    frequency: float = 0.3


WEIGHTS = Weights()


class Outlook(NamedTuple):
    """What is known before a call: how such calls have fared, what its run has been through."""

    odds: dict[str, tuple[int, int]]  # by key: how often made, how often failed
    told: frozenset[int]  # lessons that this run was told
    overcome: frozenset[str]  # failures after which this run went on


UNKNOWN = Outlook({}, frozenset(), frozenset())


class Judged(NamedTuple):
    """A match with its score, what it is made of, and why it is not shown, if it is not."""

    match: Match
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    verdict: str = ""

    @property
    def likely(self) -> float | None:
        """How often such a call ends in this failure, where that is what speaks for it."""
        return dict(self.parts).get(LIKELY)


def judge(asked: Query, match: Match, *, outlook: Outlook, now: datetime, by: Weights) -> Judged:
    """The score of a match at the door of the query, and the verdict of the door's floor."""
    if asked.door == "action":
        found = _action(asked, match, outlook, now, by)
    else:
        found = _DOORS.get(asked.door, _turn)(match, now, by)
    is_told = match.lesson.id in outlook.told and not match.lesson.guard
    if is_told and asked.door != "error":
        found = found._replace(verdict="told in this run already")
    score = sum(value for _, value in found.parts)
    if found.parts[0][0] == LIKELY:  # a frequency that was observed needs no prior
        return Judged(match, score, found.parts, found.verdict)
    prior = _prior(match, by)
    return Judged(match, score * prior, (*found.parts, ("prior", prior)), found.verdict)


def settle(asked: Query, found: list[Judged], outlook: Outlook, by: Weights) -> list[Judged]:
    """The same; none of those met through such calls is shown if the call most probably works."""
    likely = sum(one.likely or 0.0 for one in found if not one.verdict)
    counts = {key: failed for key, (_, failed) in outlook.odds.items()}
    risks = (_climbed(chain, by.base_rate, counts, outlook, by) for chain in asked.chains)
    risk = max(risks, default=0.0)
    if likely >= _worth(outlook, by) * (1 - risk) ** 2:
        return found
    verdict = f"such calls fail in {risk:.0%}, in one of these ways in {likely:.0%}"
    return [
        one if one.verdict or one.likely is None else one._replace(verdict=verdict) for one in found
    ]


def _worth(outlook: Outlook, by: Weights) -> float:
    """The least odds that are worth a warning: more where too many warnings were needless."""
    worked, needless = (
        made - failed for made, failed in (outlook.odds.get(key, (0, 0)) for key in (ANY, WARNED))
    )
    share = (needless + by.needless * by.patience) / (worked + by.patience)
    return by.worth * max(1.0, share / by.needless) ** 2


class _Relevance(NamedTuple):
    parts: tuple[tuple[str, float], ...]
    verdict: str = ""


def _turn(match: Match, now: datetime, by: Weights) -> _Relevance:
    usual = by.usual * _usual(match, now, by)
    words = _words(match, by)
    enough = _says_enough(match, by.turn_words, by) or _likeness(match) >= by.turn_likeness
    verdict = "" if usual or enough else "too few words in common"
    meaning = _meaning(match, by.turn_meaning)
    return _Relevance((("words", words), *meaning, ("usual", usual)), verdict)


def _error(match: Match, now: datetime, by: Weights) -> _Relevance:
    same = 10.0 * match.is_same_failure
    enough = _says_enough(match, by.error_words, by) or _likeness(match) >= by.error_likeness
    parts = (("same failure", same), ("words", _words(match, by)))
    if same:
        return _Relevance(parts)
    verdict = "" if enough else "another failure, and too few words in common"
    return _Relevance((*parts, *_meaning(match, by.error_meaning)), verdict)


def _action(asked: Query, match: Match, outlook: Outlook, now: datetime, by: Weights) -> _Relevance:
    lesson = match.lesson
    if lesson.guard and any(key[0] in "=@" for key, _ in match.calls):
        return _Relevance((("guard", 10.0),))
    if not lesson.calls:
        return _Relevance((("words", _words(match, by)),), _unheard(match, by))
    if not match.calls:
        return _Relevance(((LIKELY, 0.0),), "met through other calls")
    met = dict(match.calls)
    likely = max((_climbed(chain, 0.0, met, outlook, by) for chain in asked.chains), default=0.0)
    likely *= _freshness(match, now, by)
    likely *= _recurrence(lesson, by)
    is_past = not outlook.overcome.isdisjoint(lesson.signatures)
    return _Relevance(((LIKELY, likely),), "met in this run, which is past it" if is_past else "")


def _recurrence(lesson: Lesson, by: Weights) -> float:
    """How much of the meetings of a failure tells that it will be met again."""
    said = lesson.mistake.rpartition(" failed: ")[2]
    doubted = by.task_bound if is_task_bound(said) else by.passing
    return 1 - doubted / max(1, lesson.met)


def is_task_bound(error: str) -> bool:
    """Whether the code at work raised it, which another task's code hardly will."""
    return re.match(_CODE_FAULT, error) is not None


def _unheard(match: Match, by: Weights) -> str:
    """What speaks against a lesson that was met through no call."""
    return "" if _says_enough(match, by.action_words, by) else "too few words in common"


_DOORS = {"error": _error}


def _climbed(
    chain: tuple[str, ...], start: float, met: dict[str, int], outlook: Outlook, by: Weights
) -> float:
    """How often it came to this, in calls ever more like this one; a key corrects the last."""
    share = start
    for key in chain:
        times = met.get(key, 0)
        made = max(times, outlook.odds.get(key, (0, 0))[0])
        share = (times + by.doubt * share) / (made + by.doubt)
    return share


def _words(match: Match, by: Weights) -> float:
    """Word evidence in 0 … 1."""
    return match.words / (match.words + by.half)


def _says_enough(match: Match, least: float, by: Weights) -> bool:
    return match.shared >= by.least_shared and match.words >= least


def _meaning(match: Match, weight: float) -> tuple[tuple[str, float], ...]:
    """The part of the meaning; none for lessons that were not found by it."""
    return (("meaning", weight * max(0.0, match.meaning)),) if match.cosine else ()


def _likeness(match: Match) -> float:
    """The cosine, and whether it is more than what the lessons have in common."""
    return (match.cosine + match.meaning) / 2


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


def _prior(match: Match, by: Weights) -> float:
    lesson = match.lesson
    return (
        1
        + by.confidence * lesson.confidence
        + by.importance * lesson.importance
        + by.frequency * min(1.0, log(max(1, lesson.met)) / 3)
    )
