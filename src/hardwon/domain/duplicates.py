"""Lessons that say the same, nearly the same, or the opposite: found by hashing, not by pairs.

Each lesson becomes a sketch. Sketches that agree in one of several short hashes of their words are
compared; the work grows with the number of lessons, however many there are.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from zlib import crc32

from hardwon.domain.lesson import Lesson
from hardwon.domain.recall import stem, terms
from hardwon.domain.scope import Scope

SAME, CLOSE = 0.8, 0.6  # shares of common words: for one lesson, and for two that may disagree
_BANDS, _ROWS = 8, 3
_LEADERS = 16  # compared in one bucket; more would let a crowd of look-alikes cost n²
_SAMPLE = 32
_FEW = 3  # words; shorter lessons are the same only when all words are
_MASK = 0xFFFFFFFF
_FACTORS = tuple((2654435761 * (2 * n + 3)) & _MASK | 1 for n in range(_BANDS * _ROWS))
_NEGATORS = frozenset(
    (
        *("not", "never", "no", "avoid", "without", "cannot", "instead", "rather", "stop"),
        *("don't", "dont", "can't", "won't", "shouldn't", "mustn't", "isn't", "doesn't"),
    )
)
_PARTICULAR = r"`[^`\n]{1,200}`|(?<!\w)--?[A-Za-z][\w-]{0,40}|(?<!\S)[^\s\d]{0,40}\d\S{0,60}"
_TOKEN = r"[\w'’]+"


class Sketch(NamedTuple):
    """What is remembered of a lesson while others are compared with it."""

    id: int
    scope: Scope
    words: "array[int]"  # hashes of its words, sorted
    particulars: int  # of numbers, options and quoted code: two that differ here are two lessons
    stance: int  # of what it advises against


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
    words = {crc32(word.encode("utf-8", "replace")) for word in terms(text)}
    return Sketch(
        lesson.id,
        lesson.scope,
        array("L", sorted(words)),
        _hashed(particulars(text)),
        _hashed(advised_against(lesson.correction)),
    )


def particulars(text: str) -> list[str]:
    """Numbers, options and quoted code."""
    if not re.search(r"[\d`]|(?<!\w)-", text):
        return []
    return [word.strip(".,;:()`'\"").lower() for word in re.findall(_PARTICULAR, text)]


def advised_against(text: str) -> Iterator[str]:
    """The first telling word behind each `not`, `never`, `instead of` …"""
    is_negated = False
    for token in re.findall(_TOKEN, text.lower().replace("’", "'")):
        if token in _NEGATORS:
            is_negated = True
        elif is_negated and terms(token):
            yield stem(token)
            is_negated = False


def compare(sketches: Iterable[Sketch], *, most_conflicts: int = 100) -> Found:
    """Every group and conflict; each sketch is compared with a bounded number of others."""
    buckets: dict[int, list[int]] = {}
    leaders: list[Sketch] = []
    members: dict[int, list[Sketch]] = {}
    conflicts: dict[tuple[int, int], Conflict] = {}
    for one in sketches:
        keys = band_keys(one.words)
        mates = dict.fromkeys(at for key in keys for at in buckets.get(key, ()))
        twin = next((at for at in mates if are_same(leaders[at], one)), None)
        if twin is not None:
            members.setdefault(twin, []).append(one)
            continue
        for at in mates:
            why = disagreement(leaders[at], one)
            if why and len(conflicts) < most_conflicts:
                conflicts[leaders[at].id, one.id] = Conflict(leaders[at].id, one.id, why)
        _enlist(buckets, keys, len(leaders))
        leaders.append(one)
    groups = [[leaders[at], *rest] for at, rest in members.items()]
    return Found(groups, list(conflicts.values()))


def _enlist(buckets: dict[int, list[int]], keys: list[int], leader: int) -> None:
    for key in keys:
        bucket = buckets.setdefault(key, [])
        if len(bucket) < _LEADERS:
            bucket.append(leader)


def band_keys(words: "array[int]") -> list[int]:
    """Hashes of which two similar sets of words very probably share one."""
    if not words:
        return []
    few = words[:_SAMPLE]  # the smallest hashes: the same sample from sets that are alike
    least = [min([word * factor & _MASK for word in few]) for factor in _FACTORS]
    return [hash((band, *least[band : band + _ROWS])) for band in range(0, len(least), _ROWS)]


def are_same(one: Sketch, other: Sketch) -> bool:
    """Whether two lessons advise the same, perhaps in slightly different words."""
    if (one.particulars, one.stance) != (other.particulars, other.stance):
        return False
    if min(len(one.words), len(other.words)) < _FEW:
        return one.words == other.words
    return overlap(one, other) >= SAME


def disagreement(one: Sketch, other: Sketch) -> str:
    """Why two lessons with much the same words cannot both hold; "" when they can."""
    if min(len(one.words), len(other.words)) < _FEW or overlap(one, other) < CLOSE:
        return ""
    if one.stance != other.stance:
        return "one advises what the other advises against"
    return "they name different values" if one.particulars != other.particulars else ""


def overlap(one: Sketch, other: Sketch) -> float:
    """The share of words that both have."""
    mine, theirs = set(one.words), set(other.words)
    return len(mine & theirs) / len(mine | theirs)


def _hashed(words: Iterable[str]) -> int:
    return crc32("\0".join(sorted(set(words))).encode("utf-8", "replace"))
