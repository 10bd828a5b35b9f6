"""Queries and matches: how lessons are found by words, failures and calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from math import isqrt, lgamma, log
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import LIVE, Lesson, Status

if TYPE_CHECKING:
    Pairs = Iterable[tuple[int, int]]  # lessons with impacts
    Exact = tuple[bool, bool, tuple[tuple[str, int], ...]]

LEAST_READ, MOST_READ = 300, 3000  # index entries that one recall reads, rarest keys first
_SATURATION, _LENGTH_SHARE, _USUAL_LENGTH = 1.2, 0.5, 40
_TOP_IMPACT = 255
_WORDS_REMEMBERED, _COUNTS_REMEMBERED = 65536, 4096
_UNIT = 1000  # rarity is counted in thousandths: sums of integers are the same in any order
_EXACT = "!%$"  # first characters of keys for failures, kinds and calls; not in words
_FEWEST = 100  # lessons assumed at least, so that words count in a small store

_WORD = r"[^\W_]+"
_BETWEEN_WORDS = {code: " " for code in range(128) if not chr(code).isalnum()}
_PART = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\x00-\x7f]+"
_COMMON = (
    "a about above after again all also am an and any are as at be because been before being "
    "but by can could did do does doing done down each every few for from further get had has "
    "have having he her here him his how i if in into is it its just let like make me more "
    "most my need new no nor not now of off on once only or other our out over own please "
    "same she should so some such than that the their them then there these they this those "
    "through to too under until up us use used using very was we were what when where which "
    "while who whom why will with would you your want try tried run ran"
)
_ENDINGS = (("ies", "y", 5), ("ing", "", 6), ("ed", "", 5), ("s", "", 4))
_STOP = frozenset(_COMMON.split())
Near = tuple[tuple[int, float, float], ...]  # lesson, cosine, cosine without the common part


_NONE: Mapping[str, float] = {}
_NO_WORDS: frozenset[str] = frozenset()
_NO_EXACT: Exact = (False, False, ())


class Query(NamedTuple):
    """What is asked at a door: words, and if known the failure and the call."""

    door: str
    text: str
    terms: tuple[str, ...] = ()
    signature: str = ""  # the exact digest of the failure
    kind: str = ""  # the digest of its kind
    calls: tuple[str, ...] = ()  # the keys of the pending call
    usual: int = 0  # how many of the lessons met most often are candidates too
    reach: int = 0  # at most, index entries that are read; 0: depends on the store's size
    near: Near = ()  # lessons near in meaning
    about: tuple[str, ...] = ()  # words of the failure without those of the call
    red: str = ""  # the output of a test run with failures
    is_failure: bool = False  # then words alone do not find mined lessons


class Match(NamedTuple):
    """A lesson that may fit, and the evidence for it."""

    lesson: Lesson
    words: float = 0.0  # sum of idf × impact over the shared words
    shared: int = 0  # how many words of the query the lesson has
    is_same_failure: bool = False
    is_same_kind: bool = False
    calls: tuple[tuple[str, int], ...] = ()  # shared keys of the pending call, and how often met
    cosine: float = 0.0  # of its vector and the question's
    meaning: float = 0.0  # the same without the part that all lessons share
    chance: float = 0.0  # log of how many lessons share as many words by chance
    rarity: Mapping[str, float] = _NONE  # of each query word that some lesson has
    total: int = 0  # lessons in the visible scopes
    held: frozenset[str] = _NO_WORDS  # query words that it has, as far as the index was read
    unread: frozenset[str] = _NO_WORDS  # words of the failure that more lessons have than were read


def terms(text: str) -> list[str]:
    """The stemmed words of a text; names are split into parts, common words left out."""
    return [*chain.from_iterable(map(_TERMS.__getitem__, _words(text)))]


def _words(text: str) -> list[str]:
    plain = text.translate(_BETWEEN_WORDS) if text.isascii() else ""  # twice as fast
    return plain.split() if plain else re.findall(_WORD, text)


class _Remembered(dict[str, tuple[str, ...]]):
    """A cache of terms by word; twice as fast as `lru_cache`, which keeps an order."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        is_plain = word.isascii() and word.isalpha() and word.islower()  # one part, as most are
        parts = [word] if is_plain else [part.lower() for part in re.findall(_PART, word)]
        joined = [word.lower()] if len(parts) > 1 else []
        candidates = (*joined, *(stem(part) for part in parts if len(part) > 1))
        self[word] = remembered = tuple(term for term in candidates if term not in _STOP)
        return remembered


_TERMS = _Remembered()


def may_hold(text: str, asked: Iterable[str]) -> bool:
    """Whether `terms` of a text may give one of these; quicker, for most texts hold none."""
    lower = text.lower()  # beyond ASCII a letter's lower case may depend on the next one
    # The end of a stem may stand for other letters: "query" for "queries".
    return any(not term.isascii() or term.removesuffix("y") in lower for term in asked)


def stem(word: str) -> str:
    """The word without the most common English endings."""
    for ending, replacement, least in _ENDINGS:
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            bare = word[: -len(ending)] + replacement
            # `runn` becomes `run`; a silent e is dropped so that `use` meets `using`
            is_doubled = ending in ("ing", "ed") and bare[-1] == bare[-2] not in "lsz"
            return bare[:-1] if is_doubled else bare
    return word


def impacts(text: str) -> dict[str, int]:
    """The weight of each word in a text: BM25's term weight, in 1 … 255."""
    words = terms(text)
    counts = Counter(words)
    length = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * len(words) / _USUAL_LENGTH)
    weight = {
        count: round(_TOP_IMPACT * count / (count + length)) for count in set(counts.values())
    }
    return {term: weight[count] for term, count in counts.items()}


def rarity(holders: int, total: int) -> int:
    """The inverse document frequency of a word that `holders` of `total` lessons hold."""
    total = max(total, _FEWEST)
    return round(_UNIT * log(1 + (total - holders + 0.5) / (holders + 0.5)))


class Indexed(NamedTuple):
    """The parts of a lesson that its keys are made of; equal parts make equal keys."""

    failures: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    text: str = ""
    calls: tuple[str, ...] = ()


def index_parts(lesson: Lesson) -> Indexed:
    """The parts that a lesson is found by: only its failures while it has no fix."""
    if lesson.status not in LIVE:
        return Indexed()
    if lesson.status == Status.SEEN:
        return Indexed(lesson.signatures, lesson.kinds)
    return Indexed(lesson.signatures, lesson.kinds, lesson.searchable(), lesson.calls)


def index(lesson: Lesson) -> dict[str, int]:
    """Every index key of a lesson with its impact: failures, kinds, words, calls."""
    failures, kinds, text, calls = index_parts(lesson)
    keys = impacts(text)
    keys.update((failure_key(digest), _TOP_IMPACT) for digest in failures)
    keys.update((kind_key(digest), _TOP_IMPACT) for digest in kinds)
    for key in map(call_key, calls):
        keys[key] = min(_TOP_IMPACT, keys.get(key, 0) + 1)
    return keys


def failure_key(digest: str) -> str:
    """The index key of an exact failure."""
    return f"{_EXACT[0]}{digest}"


def kind_key(digest: str) -> str:
    """The index key of a failure kind."""
    return f"{_EXACT[1]}{digest}"


def call_key(call: str) -> str:
    """The index key of a call key."""
    return f"{_EXACT[2]}{call}"


def query(
    door: str,
    text: str,
    *,
    signature: str = "",
    kind: str = "",
    calls: tuple[str, ...] = (),
    usual: int = 0,
    reach: int = 0,
    near: Near = (),
) -> Query:
    """A query with the words of its text, each once."""
    words = tuple(dict.fromkeys(terms(text)))
    return Query(door, text, words, signature, kind, calls, usual, reach, near)


def entries_read(asked: Query, lessons: int) -> int:
    """How many index entries one recall may read in a scope of this many lessons.

    It grows with the square root of the store: the right lesson is still found
    (bench/recall_speed.py checks that) and a recall stays fast.
    """
    return asked.reach or max(LEAST_READ, min(MOST_READ, 3 * isqrt(lessons)))


def keys(asked: Query) -> tuple[str, ...]:
    """The index keys to look up, the surest first."""
    failure = (failure_key(asked.signature),) if asked.signature else ()
    kind = (kind_key(asked.kind),) if asked.kind else ()
    return (*failure, *kind, *map(call_key, asked.calls), *asked.terms)


def chance(surprise: float, *, shared: int, asked: int, total: int) -> float:
    """The log of how many of `total` lessons share as much with a query by chance.

    `surprise` is the sum of the rarities of the `shared` words; the query has `asked` words.
    """
    return _EXPECTED[shared, asked, total] - surprise


class _Expected(dict[tuple[int, int, int], float]):
    """A cache of the part of `chance` that does not depend on which words are shared."""

    def __missing__(self, counts: tuple[int, int, int]) -> float:
        if len(self) >= _COUNTS_REMEMBERED:
            self.clear()
        shared, asked, total = counts
        choices = lgamma(asked + 1) - lgamma(shared + 1) - lgamma(asked - shared + 1)
        self[counts] = remembered = log(max(1, total)) + choices
        return remembered


_EXPECTED = _Expected()


class MatchTally:
    """Adds up the evidence for each lesson while postings are read."""

    def __init__(self, near: Near, *, total: int) -> None:
        self._near = {lesson: cosines for lesson, *cosines in near}
        self._total = total  # lessons
        self._weights: dict[str, int] = {}  # rarities of query words that some lesson has
        self._rarity: dict[str, float] = {}  # the same, in units
        self._holders: list[tuple[str, dict[int, int]]] = []  # words; lessons and their impacts
        self._sums: dict[int, int] = {}  # the total weight of the shared words, for each lesson
        self._exact: dict[int, list[tuple[str, int]]] = {}
        self._unread = _NO_WORDS

    def add(self, key: str, postings: Pairs, weight: int) -> None:
        """Count the postings of one key; `weight` is the rarity of a word."""
        if key[0] in _EXACT:
            for lesson, times in postings:
                self._exact.setdefault(lesson, []).append((key, times))
            return
        holders = dict(postings)
        self._weights[key], self._rarity[key] = weight, weight / _UNIT
        self._holders.append((key, holders))
        sums, so_far = self._sums, self._sums.get
        for lesson, impact in holders.items():  # most of the time of a recall is spent here
            sums[lesson] = so_far(lesson, 0) + weight * impact

    def leave_out(self, lessons: Iterable[int]) -> None:
        """Forget what was counted for these lessons."""
        for lesson in lessons:
            self._exact.pop(lesson, None)
            if self._sums.pop(lesson, None) is not None:
                for _, holders in self._holders:
                    holders.pop(lesson, None)

    def best(self, limit: int) -> list[int]:
        """The ids with the most evidence: same failure or call first, then words, then meaning."""
        exact = sorted(self._exact, key=self._rank, reverse=True)[:limit]
        least = sorted(self._sums.values(), reverse=True)[:limit]
        worded = [(-total, -number) for number, total in self._sums.items() if total >= least[-1]]
        heaviest = (-number for _, number in sorted(worded)[:limit])
        return list(dict.fromkeys((*exact, *heaviest, *self._near)))

    def mined_ids(self, asked: Query, best: list[int]) -> list[int]:
        """Of the best ids, those that may be mined lessons: at a failure, words are not enough."""
        if not asked.is_failure:
            return best
        exact = ((number, key) for number in best for key, _ in self._exact.get(number, ()))
        sure = {number for number, key in exact if key[0] in _EXACT[:2]}
        return [number for number in best if number in sure or number in self._near]

    def note_unread(self, holders: Mapping[str, int], about: Iterable[str]) -> None:
        """Note for which words of the failure fewer lessons were counted than hold them."""
        read = dict.fromkeys(self._rarity, 0)
        for word, lessons in self._holders:
            read[word] += len(lessons)
        asked = self._rarity.keys() & about
        self._unread = frozenset(word for word in asked if read[word] < holders[word])

    def match(self, lesson: Lesson) -> Match:
        """The match of a lesson, with the evidence that was counted for it."""
        number = lesson.id
        cosine, meaning = self._near.get(number, (0.0, 0.0))
        held = [word for word, holders in self._holders if number in holders]
        surprise = sum(map(self._weights.__getitem__, held)) / _UNIT
        by_chance = _EXPECTED[len(held), len(self._rarity), self._total] - surprise
        exact = self._exact.get(number)
        same_failure, same_kind, calls = _shared_exactly(exact) if exact else _NO_EXACT
        words = self._sums.get(number, 0) / (_UNIT * _TOP_IMPACT)
        evidence = (words, len(held), same_failure, same_kind, calls, cosine, meaning, by_chance)
        known = (self._rarity, self._total, frozenset(held), self._unread)
        return Match._make((lesson, *evidence, *known))  # by position for speed

    def _rank(self, lesson: int) -> tuple[bool, bool, int, int, int]:
        keys = [key for key, _ in self._exact[lesson]]
        marks = {key[0] for key in keys}
        words = self._sums.get(lesson, 0)
        return _EXACT[0] in marks, _EXACT[1] in marks, len(keys), words, lesson


def _shared_exactly(exact: list[tuple[str, int]]) -> Exact:
    """Whether failure and kind are shared with the query; the shared calls."""
    marks = {key[0] for key, _ in exact}
    return (
        _EXACT[0] in marks,
        _EXACT[1] in marks,
        tuple(sorted([(key[1:], times) for key, times in exact if key[0] == _EXACT[2]])),
    )


def tally_matches(
    asked: Query,
    read: Iterable[tuple[str, Pairs]],
    *,
    known: Iterable[tuple[str, int]],
    total: int,
    fresh: Mapping[str, list[tuple[int, int]]],
    changed: Iterable[int],
) -> MatchTally:
    """The evidence for each of `total` lessons; the order of reading does not matter.

    `known`: the number of lessons with each key in the index, once per visible scope;
    `fresh`: postings not yet in the index; `changed`: lessons whose entries there may be outdated.
    """
    written: dict[str, int] = {}
    for key, count in known:
        written[key] = written.get(key, 0) + count
    holders = written | {key: written.get(key, 0) + len(pairs) for key, pairs in fresh.items()}
    weights = {key: rarity(count, total) for key, count in holders.items()}
    tally = MatchTally(asked.near, total=total)
    for key, pairs in read:
        tally.add(key, pairs, weights[key])
    tally.note_unread(written, asked.about)
    tally.leave_out(changed)
    for key, pairs in fresh.items():
        tally.add(key, pairs, weights[key])
    return tally
