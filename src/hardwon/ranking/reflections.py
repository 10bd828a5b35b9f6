"""How reflections are found: by the words of their objective and insight, rare ones first."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from math import log
from operator import itemgetter
from typing import TypeVar

from hardwon.ranking.query import terms
from hardwon.ranking.synonyms import canonical
from hardwon.values.reflection import Likeness, Reflection

HOLDERS_READ = 200  # of one word, newest first; a word held by more says little anyway
CANDIDATES = 10  # looked at closely after the words were counted
_WORDS_KEPT = 32
_UNKNOWN = 1.0  # the weight of a word that nothing holds
_EACH = 4096.0  # more than the words of any question can weigh together

T = TypeVar("T")


def key_words(text: str) -> tuple[str, ...]:
    """The words by which a reflection is found, each once; synonyms count as one."""
    return tuple(dict.fromkeys(map(canonical, terms(text))))[:_WORDS_KEPT]


def words_of(reflection: Reflection) -> tuple[str, ...]:
    """The words of the objective and the insight."""
    return key_words(f"{reflection.title} {reflection.insight}")


def best_held(postings: Mapping[str, Sequence[T]], *, limit: int) -> dict[T, float]:
    """How much of the asked words those hold that hold most, rare words counting most.

    One shared word is chance, not likeness.
    """
    counted: dict[T, float] = {}  # the words' weight, and _EACH for every word
    total = 0.0
    for holders in postings.values():
        share = weight(len(holders))
        total += share
        share += _EACH
        for holder in holders:
            counted[holder] = counted.get(holder, 0.0) + share
    least = _EACH * min(2, len(postings))
    able = [(sum_ % _EACH, holder) for holder, sum_ in counted.items() if sum_ >= least]
    best = nlargest(limit, able, key=itemgetter(0))
    return {holder: sum_ / total for sum_, holder in best}


def weight(holders: int) -> float:
    """The weight of a word that this many reflections contain."""
    return log(1 + HOLDERS_READ / min(holders, HOLDERS_READ)) if holders else _UNKNOWN


def likenesses(holders: Mapping[str, int], found: Iterable[Reflection]) -> list[Likeness]:
    """The same, from the number of reflections that contain each asked word."""
    weights = {word: weight(count) for word, count in holders.items()}
    total = sum(weights.values()) or 1.0
    alike = []
    for reflection in found:
        shared = weights.keys() & set(words_of(reflection))
        if len(shared) >= min(2, len(weights)):
            alike.append(Likeness(reflection, sum(weights[word] for word in shared) / total))
    return by_relevance(alike)


def by_relevance(found: Iterable[Likeness]) -> list[Likeness]:
    """The most relevant first, of equals the newest."""
    return sorted(found, key=lambda one: (-one.relevance, -one.reflection.created_at.timestamp()))
