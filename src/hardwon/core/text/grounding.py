"""Check that the names in a model's answer occur in the evidence.

A model words a lesson better than rules do, but it may invent things. So every flag, path, variable
and code name in its answer must occur in the evidence; ordinary words need not.
"""

from __future__ import annotations

import re

_FLAG = r"(?<![\w/-])-{1,2}[A-Za-z][\w-]*"
_PATH = r"(?<![\w:/.~-])~?[\w.-]*+(?:/[\w.@-]++)+"
_DOTTED = r"(?<!\w)[A-Za-z_]\w*+(?:\.\w++)+"
_CODED = rf"{_DOTTED}|\b[^\WA-Za-z]*+[A-Za-z][^\W_]*+_\w++|\b_\w+"
_CAMEL = r"\b[A-Za-z]?[a-z]+[A-Z]\w+|\b[A-Z]{2,}[a-z]\w+"
_VARIABLE = r"\b[A-Z][A-Z0-9_]{2,}(?==)"
_NAME = re.compile("|".join((_PATH, _FLAG, _CODED, _CAMEL, _VARIABLE)))
_ABBREVIATION = re.compile(r"(?:[ei]\.[ge]|and/or|either/or|n/a|\w/\w|[A-Za-z]+/[a-z]{1,2})", re.I)
_PART = re.compile(r"[A-Za-z0-9]{2,}")


def ungrounded_names(text: str, evidence: str) -> tuple[str, ...]:
    """The names in the text that do not occur in the evidence, in order."""
    lower = evidence.lower()
    parts = set(_PART.findall(lower))
    names = (match.group().strip(".") for match in _NAME.finditer(text))
    missing = (name for name in names if not _is_known(name, lower, parts))
    return tuple(dict.fromkeys(missing))


def _is_known(name: str, evidence: str, parts: set[str]) -> bool:
    """Whether the evidence contains the name, or all its parts (`a.b` where `a` has a `b`)."""
    lowered = name.lower()
    if lowered in evidence or _ABBREVIATION.fullmatch(name):
        return True
    if name.startswith("-"):
        return False
    return all(part in parts for part in _PART.findall(lowered))
