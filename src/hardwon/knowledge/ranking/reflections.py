"""How reflections are found: by the words of their objective and insight; rare words count more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from math import log

from hardwon.core.values.reflection import Likeness, Reflection
from hardwon.knowledge.ranking.query import stem, terms

HOLDERS_READ = 200  # reflections read for one word, newest first; a commoner word says little
CANDIDATES = 10  # reflections that are compared after the words were counted
_WORDS_KEPT = 32
_UNKNOWN = 1.0  # the weight of a word that no reflection has
_EACH = 4096.0  # more than the total weight of the words of any question


def key_words(text: str) -> tuple[str, ...]:
    """The words by which a reflection is found, each once; synonyms count as one."""
    return tuple(dict.fromkeys(_SAME.get(term, term) for term in terms(text)))[:_WORDS_KEPT]


def words_of(reflection: Reflection) -> tuple[str, ...]:
    """The words of the objective and the insight."""
    return key_words(f"{reflection.title} {reflection.insight}")


def best_held(postings: Mapping[str, Sequence[int]], *, limit: int) -> dict[int, float]:
    """The holders with the largest share of the asked words, by number; rare words count more.

    A single shared word may be chance and is not enough. Of equals the one saved last
    comes first: the one with the largest number.
    """
    counted: dict[int, float] = {}  # the words' weight, and _EACH for every word
    total = 0.0
    for holders in postings.values():
        share = weight(len(holders))
        total += share
        share += _EACH
        for holder in holders:
            counted[holder] = counted.get(holder, 0.0) + share
    least = min(2, len(postings))
    able = [(sum_ % _EACH, holder) for holder, sum_ in counted.items() if sum_ // _EACH >= least]
    best = nlargest(limit, able)
    return {holder: sum_ / total for sum_, holder in best}


def weight(holders: int) -> float:
    """The weight of a word that this many reflections contain."""
    return log(1 + HOLDERS_READ / min(holders, HOLDERS_READ)) if holders else _UNKNOWN


def likenesses(holders: Mapping[str, int], reflections: Iterable[Reflection]) -> list[Likeness]:
    """The similarity of each reflection; `holders` is how many reflections have each asked word."""
    weights = {word: weight(count) for word, count in holders.items()}
    total = sum(weights.values()) or 1.0
    alike = []
    for reflection in reflections:
        shared = weights.keys() & set(words_of(reflection))
        if len(shared) >= min(2, len(weights)):
            alike.append(Likeness(reflection, sum(weights[word] for word in shared) / total))
    return by_relevance(alike)


def by_relevance(likenesses: Iterable[Likeness]) -> list[Likeness]:
    """Sorted by relevance, of equals the newest first; of one moment they stay in order."""
    return sorted(
        likenesses,
        key=lambda likeness: (-likeness.relevance, -likeness.reflection.created_at.timestamp()),
    )


# Synonyms: each group counts as its first word. Only words that rarely mean anything else.
_GROUPS = (
    "send mail email deliver dispatch post",
    "get fetch download retrieve obtain",
    "find search lookup locate discover",
    "research investigate study explore",
    "compare benchmark contrast",
    "fix repair mend resolve debug",
    "create generate produce make build compose",
    "delete remove erase purge drop",
    "update upgrade refresh renew",
    "check verify validate audit",
    "deploy release ship publish rollout",
    "summarize summarise summary digest recap",
    "analyze analyse analysis inspect evaluate",
    "translate localize localise",
    "schedule plan arrange",
    "backup archive snapshot",
    "migrate move transfer port",
    "price pricing cost fee tariff",
    "customer client buyer",
    "invoice bill receipt",
    "meeting appointment call",
    "doc docs document documentation",
    "bug defect issue",
    "picture image photo",
    "website site webpage",
)


_SAME = {stem(word): stem(group.split()[0]) for group in _GROUPS for word in group.split()}
