"""Changes of an argument whose values a service defines: another word for the same thing."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_case import word_set
from hardwon.failures.fix_source import is_refused
from hardwon.failures.fix_tool import name_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hardwon.failures.fix_case import Case

_CHOICES = word_set(
    "action category channel class code format kind level method mode order priority reason role"
    " scope severity sort state status tier type unit"
)
_CHOICE = r"[a-z]{2,20}(?:[_-][a-z]{2,20}){0,3}|[A-Z]{1,12}(?:[_-][A-Z]{1,12}){0,3}\d{0,2}"
_AKIN = 3  # letters at the start of a word and of its short form


def exchanged(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """Another word of the service for one that the error calls wrong, such as a method."""
    if not (isinstance(old, str) and isinstance(new, str)) or not is_refused(case.line):
        return None
    is_choice = not _CHOICES.isdisjoint(name_words(key)) and bool(re.fullmatch(_CHOICE, new))
    if not is_choice or old not in case.line or not _is_akin(old, new):
        return None
    return f"Give `{key}` as `{new}`, not `{old}`.", f"{key} word {new}"


def _is_akin(old: str, new: str) -> bool:
    """Whether two words of a service may mean the same: `annual` and `ANN`, or one shared part."""
    before, after = name_words(old), name_words(new)
    return old.lower()[:_AKIN] == new.lower()[:_AKIN] or not set(before).isdisjoint(after)
