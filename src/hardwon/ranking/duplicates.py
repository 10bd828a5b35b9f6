"""Lessons that say the same, nearly the same, or the opposite: found by hashing, not by pairs.

Each lesson becomes a sketch. Sketches that agree in one of several short hashes of their words are
compared, each with a bounded number of others; the work grows with the number of lessons, however
alike they are.
"""

import re
from array import array
from collections.abc import Iterable
from functools import lru_cache
from operator import eq
from typing import NamedTuple
from zlib import crc32

from hardwon.ranking.query import stem, terms
from hardwon.values.lesson import Lesson
from hardwon.values.scope import Scope

SAME, CLOSE = 0.8, 0.6  # shares of common words: for one lesson, and for two that may disagree
_BANDS, _ROWS = 8, 3
_HASHES = _BANDS * _ROWS
_LEADERS = 16  # kept in one bucket; more would let a crowd of look-alikes cost n²
_CLOSELY = 16  # compared word by word with one sketch
_AGREEING = 8  # of all hashes; two sets with CLOSE in common agree in fewer once in 200 times
_SAMPLE = 24
_FEW = 3  # words; shorter lessons are the same only when all words are
_MASK = 0xFFFFFFFF
_FACTORS = tuple((2654435761 * (2 * n + 3)) & _MASK | 1 for n in range(_HASHES))
_NEGATORS = frozenset(
    (
        *("not", "never", "no", "avoid", "without", "cannot", "instead", "rather", "stop"),
        *("don't", "dont", "can't", "won't", "shouldn't", "mustn't", "isn't", "doesn't"),
    )
)
_STRESS = _NEGATORS | {"always", "do", "only", "don", "t"}  # says how firmly, not about what
_PARTICULAR = r"`[^`\n]{1,200}`|(?<!\w)--?[A-Za-z][\w-]{0,40}|(?<!\S)[^\s\d]{0,40}\d\S{0,60}"
_TOKEN = r"[\w'’]+"


class Sketch(NamedTuple):
    """What is kept of a lesson while others are compared with it."""

    id: int
    scope: Scope
    words: "array[int]"  # hashes of its words, sorted
    marks: bytes  # the low bits of the least hashes: about as alike as the words are
    bands: "array[int]"  # two similar sets of words very probably share one
    particulars: int  # of numbers, options and quoted code: two that differ here are two lessons
    stance: int  # of what it advises against
    against: frozenset[int]  # hashes of the words it advises against
    situation: frozenset[int]  # hashes of the words of when it holds
    failures: frozenset[str]  # that it was learnt from, and their kinds


class Conflict(NamedTuple):
    """Two lessons that use the same words and do not advise the same."""

    first: int
    second: int
    why: str


class Found(NamedTuple):
    """Groups of lessons that say the same, and pairs that disagree."""

    groups: list[list[Sketch]]
    conflicts: list[Conflict]


def sketch(lesson: Lesson) -> Sketch:
    """The sketch of a lesson."""
    text = lesson.correction
    if lesson.situation != text:
        text = f"{lesson.situation} {text}"
    details, negated = particulars(text), advised_against(lesson.correction)
    plain = re.sub(_PARTICULAR, " ", text) if details else text
    words = array("I", sorted({word for token in plain.split() for word in _words(token)}))
    least = _least(words)
    return Sketch(
        lesson.id,
        lesson.scope,
        words,
        bytes(value & 0xFF for value in least),
        array("q", [hash((at, *least[at : at + _ROWS])) for at in range(0, len(least), _ROWS)]),
        _hashed(details),
        _hashed(negated),
        frozenset(map(_hash, negated)),
        frozenset(map(_hash, terms(lesson.situation))),
        frozenset((*lesson.signatures, *lesson.kinds)),
    )


def particulars(text: str) -> list[str]:
    """Numbers, options and quoted code."""
    if not re.search(r"[\d`-]", text):  # most texts hold none, and this look is cheap
        return []
    return [word.strip(".,;:()`'\"").lower() for word in re.findall(_PARTICULAR, text)]


def advised_against(text: str) -> list[str]:
    """The first telling word behind each `not`, `never`, `instead of` …"""
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


def compare(sketches: Iterable[Sketch], *, most_conflicts: int = 100) -> Found:
    """Every group and conflict; each sketch is compared with a bounded number of others."""
    crowd = _Crowd(most_conflicts)
    for sketch in sketches:
        crowd.join(sketch)
    groups = [[crowd.leaders[at], *rest] for at, rest in crowd.members.items()]
    return Found(groups, list(crowd.conflicts.values()))


class _Crowd:
    """Leaders that differ from each other, each with the lessons that say the same."""

    def __init__(self, most_conflicts: int) -> None:
        self.leaders: list[Sketch] = []
        self.members: dict[int, list[Sketch]] = {}
        self.conflicts: dict[tuple[int, int], Conflict] = {}
        self._room = most_conflicts
        self._exact: dict[int, int] = {}
        self._buckets: dict[int, list[int]] = {}

    def join(self, newcomer: Sketch) -> None:
        """Put a sketch behind the leader that says the same, or make it a leader."""
        key = hash((newcomer.words.tobytes(), newcomer.particulars, newcomer.stance))
        twin = self._exact.get(key)
        if twin is None:
            near = self._near(newcomer)
            twin = next((at for at in near if are_same(self.leaders[at], newcomer)), None)
            if twin is None:
                self._lead(newcomer, key, near)
                return
        self.members.setdefault(twin, []).append(newcomer)

    def _near(self, newcomer: Sketch) -> list[int]:
        """The leaders worth a close comparison, those with the same advice first."""
        mates = {at for band in newcomer.bands for at in self._buckets.get(band, ())}
        marks, leaders = newcomer.marks, self.leaders
        near = [at for at in mates if sum(map(eq, leaders[at].marks, marks)) >= _AGREEING]
        near.sort(key=lambda at: (leaders[at].particulars != newcomer.particulars, at))
        return near[:_CLOSELY]

    def _lead(self, newcomer: Sketch, key: int, near: Iterable[int]) -> None:
        for at in near:
            other = self.leaders[at]
            if len(self.conflicts) < self._room and (why := disagreement(other, newcomer)):
                self.conflicts[other.id, newcomer.id] = Conflict(other.id, newcomer.id, why)
        self._exact[key] = len(self.leaders)
        for band in newcomer.bands:
            bucket = self._buckets.setdefault(band, [])
            if len(bucket) < _LEADERS:
                bucket.append(len(self.leaders))
        self.leaders.append(newcomer)


def are_same(one: Sketch, other: Sketch) -> bool:
    """Whether two lessons advise the same, perhaps in slightly different words.

    A word in the place of another may be the other service, host or file: such lessons are one
    only when they were learnt from the same failure.
    """
    if (one.particulars, one.stance) != (other.particulars, other.stance):
        return False
    if min(len(one.words), len(other.words)) < _FEW:
        return one.words == other.words
    return overlap(one, other) >= SAME and (
        _is_within(one, other) or not one.failures.isdisjoint(other.failures)
    )


def disagreement(one: Sketch, other: Sketch) -> str:
    """Why two lessons about the same subject cannot both hold; "" if they can.

    Another value, option or command for the same failure is another fix, not a contradiction.
    """
    if one.scope != other.scope or not _is_same_matter(one, other):
        return ""
    if min(len(one.words), len(other.words)) < _FEW or not _is_within(one, other):
        return ""
    if overlap(one, other) < CLOSE or one.particulars != other.particulars:
        return ""
    excluded = _excludes(one, other) or _excludes(other, one)
    return "one advises what the other advises against" if excluded else ""


def _is_same_matter(one: Sketch, other: Sketch) -> bool:
    """Whether both are about the same failure, or without any about the same situation."""
    if one.failures or other.failures:
        return not one.failures.isdisjoint(other.failures)
    union = one.situation | other.situation
    return len(one.situation & other.situation) >= CLOSE * len(union)


def _excludes(one: Sketch, other: Sketch) -> bool:
    """Whether one advises against what the other advises."""
    return not (one.against - other.against).isdisjoint(other.words)


def overlap(one: Sketch, other: Sketch) -> float:
    """The share of words that both have."""
    mine, theirs = set(one.words), set(other.words)
    return len(mine & theirs) / len(mine | theirs)


def _is_within(one: Sketch, other: Sketch) -> bool:
    """Whether one has all the words of the other."""
    fewer, more = sorted((one.words, other.words), key=len)
    return set(fewer) <= set(more)


@lru_cache(maxsize=1 << 16)
def _words(token: str) -> tuple[int, ...]:
    """The hashes of the telling words in a piece of text without spaces."""
    if token.lower().replace("’", "'").strip(".,;:!?()\"'") in _STRESS:
        return ()
    return tuple(map(_hash, terms(token)))


def _hash(word: str) -> int:
    return crc32(word.encode("utf-8", "replace"))


@lru_cache(maxsize=1 << 15)
def _hashes(word: int) -> tuple[int, ...]:
    return tuple([word * factor & _MASK for factor in _FACTORS])


def _least(words: "array[int]") -> list[int]:
    """For each hash function the least value that a word has."""
    few = words[:_SAMPLE]  # the smallest hashes: the same sample from sets that are alike
    return list(map(min, *map(_hashes, few), _TOP)) if few else []


_TOP = (_MASK,) * _HASHES  # so that there are always two values to compare


def _hashed(words: Iterable[str]) -> int:
    return crc32("\0".join(sorted(set(words))).encode("utf-8", "replace"))
