"""Find lessons that say the same, nearly the same or the opposite, without comparing all pairs.

The same is the same text, whatever its blanks and case. For the others each lesson becomes a sketch
(MinHash). Sketches that agree in one of several short hashes of their words are compared, each with
a bounded number of others. So the work is linear in the number of lessons, however alike they are.
"""

import re
from array import array
from collections.abc import Iterable
from functools import lru_cache
from heapq import nsmallest
from operator import eq
from typing import NamedTuple
from zlib import crc32

from hardwon.core.text.clean import comparable
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import stem, terms

NEAR, CLOSE = 0.8, 0.6  # shares of common words: of near lessons, and of such as may disagree
_BANDS, _ROWS = 8, 3
_HASHES = _BANDS * _ROWS
_LEADERS = 16  # at most, in one bucket; with more, many similar lessons would cost n²
_CLOSELY = 16  # at most, leaders that are compared word by word with one sketch
_SAMPLE = 24
_FEW = 3  # words; shorter lessons say too little to contradict each other
_MASK = 0xFFFFFFFF
_FACTORS = tuple((2654435761 * (2 * n + 3)) & _MASK | 1 for n in range(_HASHES))
_NEGATORS = frozenset(
    (
        *("not", "never", "no", "avoid", "without", "cannot", "instead", "rather", "stop"),
        *("don't", "dont", "can't", "won't", "shouldn't", "mustn't", "isn't", "doesn't"),
    )
)
_STRESS = _NEGATORS | {"always", "do", "only", "don", "t"}  # words of emphasis
_PARTICULAR = r"`[^`\n]{1,200}`|(?<!\w)--?[A-Za-z][\w-]{0,40}|(?<!\S)[^\s\d]{0,40}\d\S{0,60}"
_TOKEN = r"[\w'’]+"


class Sketch(NamedTuple):
    """The hashes of a lesson that are needed to compare it with others."""

    id: int
    scope: Scope
    text: int  # hash of the whole text; duplicates agree here
    words: "array[int]"  # hashes of its words, sorted
    marks: bytes  # low bits of the MinHash values: about as similar as the words are
    bands: "array[int]"  # similar sets of words very probably share one of them
    particulars: int  # hash of numbers, options and quoted code; near lessons agree here
    stance: int  # hash of the words it advises against
    against: frozenset[int]  # hashes of the words it advises against
    situation: frozenset[int]  # hashes of the words of its situation
    failures: frozenset[str]  # digests of its failures and of their kinds


class Conflict(NamedTuple):
    """Two lessons with similar words and opposite advice."""

    first: int
    second: int
    why: str


class Comparison(NamedTuple):
    """Lessons that say the same, pairs that disagree, pairs that say nearly the same."""

    groups: list[list[Sketch]]
    conflicts: list[Conflict]
    near: list[tuple[int, int]]  # for people to decide: a word less may be another lesson


def sketch(lesson: Lesson) -> Sketch:
    """The sketch of a lesson."""
    text = f"{lesson.situation} {lesson.correction}"
    details, negated = particulars(text), advised_against(lesson.correction)
    plain = re.sub(_PARTICULAR, " ", text) if details else text
    words = array("I", sorted({word for token in plain.split() for word in _words(token)}))
    least = _least(words)
    return Sketch(
        lesson.id,
        lesson.scope,
        hash((comparable(lesson.situation), comparable(lesson.correction))),
        words,
        bytes(value & 0xFF for value in least),
        array("q", [hash((at, *least[at : at + _ROWS])) for at in range(0, len(least), _ROWS)]),
        _hash_words(details),
        _hash_words(negated),
        frozenset(map(_hash, negated)),
        frozenset(map(_hash, terms(lesson.situation))),
        frozenset((*lesson.signatures, *lesson.kinds)),
    )


def particulars(text: str) -> list[str]:
    """Numbers, options and quoted code."""
    if not re.search(r"[\d`-]", text):  # a cheap test that rejects most texts
        return []
    return [word.strip(".,;:()`'\"").lower() for word in re.findall(_PARTICULAR, text)]


def advised_against(text: str) -> list[str]:
    """The first significant word after each `not`, `never`, `instead of` …"""
    tokens = _tokens(text)
    if _NEGATORS.isdisjoint(tokens):
        return []
    words, is_negated = [], False
    for token in tokens:
        if token in _NEGATORS:
            is_negated = True
        elif is_negated and terms(token):
            words.append(stem(token))
            is_negated = False
    return words


def is_warning(text: str) -> bool:
    """Whether a text advises against something."""
    return not _NEGATORS.isdisjoint(_tokens(text))


def _tokens(text: str) -> list[str]:
    return re.findall(_TOKEN, text.lower().replace("’", "'"))


def compare(sketches: Iterable[Sketch], *, most_pairs: int = 100) -> Comparison:
    """All groups and pairs; each sketch is compared with a bounded number of others."""
    crowd = _Crowd(most_pairs)
    for sketch in sketches:
        crowd.join(sketch)
    groups = [[crowd.leaders[at], *followers] for at, followers in crowd.members.items()]
    return Comparison(groups, crowd.conflicts, crowd.near)


class _Crowd:
    """Leaders: lessons that differ from each other, each with its duplicates."""

    def __init__(self, most_pairs: int) -> None:
        self.leaders: list[Sketch] = []
        self.members: dict[int, list[Sketch]] = {}
        self.conflicts: list[Conflict] = []
        self.near: list[tuple[int, int]] = []
        self._room = most_pairs
        self._exact: dict[int, int] = {}
        self._buckets: dict[int, list[int]] = {}

    def join(self, newcomer: Sketch) -> None:
        """Add a sketch to the leader that it duplicates, or make it a leader."""
        twin = self._exact.get(newcomer.text)
        if twin is not None:
            self.members.setdefault(twin, []).append(newcomer)
            return
        for at in self._mates(newcomer):
            leader = self.leaders[at]
            if len(self.conflicts) < self._room and (why := disagreement(leader, newcomer)):
                self.conflicts.append(Conflict(leader.id, newcomer.id, why))
            elif len(self.near) < self._room and are_near(leader, newcomer):
                self.near.append((leader.id, newcomer.id))
        self._exact[newcomer.text] = len(self.leaders)
        for band in newcomer.bands:
            bucket = self._buckets.setdefault(band, [])
            if len(bucket) < _LEADERS:
                bucket.append(len(self.leaders))
        self.leaders.append(newcomer)

    def _mates(self, newcomer: Sketch) -> list[int]:
        """The leaders worth a close comparison: with the same particulars, then the most alike."""
        mates = {at for band in newcomer.bands for at in self._buckets.get(band, ())}

        def distance(at: int) -> tuple[bool, int, int]:
            leader = self.leaders[at]
            agreeing = sum(map(eq, leader.marks, newcomer.marks))
            return leader.particulars != newcomer.particulars, -agreeing, at

        return nsmallest(_CLOSELY, mates, key=distance)


def are_near(sketch: Sketch, other: Sketch) -> bool:
    """Whether two lessons of one scope give the same advice in slightly different words.

    A different word may be another service, host or file: such lessons are near only if they
    were learnt from the same failure.
    """
    one, two = ((each.scope, each.particulars, each.stance) for each in (sketch, other))
    return (
        one == two
        and overlap(sketch, other) >= NEAR
        and (_is_within(sketch, other) or not sketch.failures.isdisjoint(other.failures))
    )


def disagreement(sketch: Sketch, other: Sketch) -> str:
    """Why two lessons about the same subject contradict each other; "" if they do not.

    Another value, option or command for the same failure is another fix, not a contradiction.
    """
    if sketch.scope != other.scope or not _is_same_matter(sketch, other):
        return ""
    if min(len(sketch.words), len(other.words)) < _FEW or not _is_within(sketch, other):
        return ""
    if overlap(sketch, other) < CLOSE or sketch.particulars != other.particulars:
        return ""
    excluded = _excludes(sketch, other) or _excludes(other, sketch)
    return "one advises what the other advises against" if excluded else ""


def _is_same_matter(sketch: Sketch, other: Sketch) -> bool:
    """Whether both are about the same failure, or, if both have none, the same situation."""
    if sketch.failures or other.failures:
        return not sketch.failures.isdisjoint(other.failures)
    union = sketch.situation | other.situation
    return len(sketch.situation & other.situation) >= CLOSE * len(union)


def _excludes(sketch: Sketch, other: Sketch) -> bool:
    """Whether a lesson advises against a word that the other uses and does not advise against."""
    return not (sketch.against - other.against).isdisjoint(other.words)


def overlap(sketch: Sketch, other: Sketch) -> float:
    """The share of common words among all words of both."""
    words, other_words = set(sketch.words), set(other.words)
    return len(words & other_words) / len(words | other_words)


def _is_within(sketch: Sketch, other: Sketch) -> bool:
    """Whether the shorter lesson has no word that the longer lacks."""
    fewer, more = sorted((sketch.words, other.words), key=len)
    return set(fewer) <= set(more)


@lru_cache(maxsize=1 << 16)
def _words(token: str) -> tuple[int, ...]:
    """The hashes of the significant words in a token."""
    if token.lower().replace("’", "'").strip(".,;:!?()\"'") in _STRESS:
        return ()
    return tuple(map(_hash, terms(token)))


def _hash(word: str) -> int:
    return crc32(word.encode("utf-8", "replace"))


def _least(words: "array[int]") -> list[int]:
    """The MinHash values: for each hash function the least value of any word."""
    few = words[:_SAMPLE]  # the smallest hashes: similar sets give the same sample
    hashes = [[word * factor & _MASK for factor in _FACTORS] for word in few]
    return list(map(min, *hashes, _TOP)) if few else []


_TOP = (_MASK,) * _HASHES  # so that there are always two values to compare


def _hash_words(words: Iterable[str]) -> int:
    return crc32("\0".join(sorted(set(words))).encode("utf-8", "replace"))
