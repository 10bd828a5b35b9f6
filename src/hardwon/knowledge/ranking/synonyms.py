"""Synonyms: different people describe the same goal in different words."""

from __future__ import annotations

from hardwon.knowledge.ranking.query import stem

# Each group counts as its first word. Only words that rarely mean anything else.
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


def _table() -> dict[str, str]:
    groups = [group.split() for group in _GROUPS]
    return {stem(word): stem(group[0]) for group in groups for word in group}


_SAME = _table()


def canonical(term: str) -> str:
    """The word that stands for all synonyms of a word, or the word itself."""
    return _SAME.get(term, term)
