"""How a changed argument has to be given: the rules, in their order."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.argument_forms import changed_form
from hardwon.failures.argument_notation import changed_notation
from hardwon.failures.argument_numbers import lowered, rescaled, summed, whole
from hardwon.failures.argument_offers import offered
from hardwon.failures.argument_texts import reworded
from hardwon.failures.argument_words import exchanged
from hardwon.failures.fix_case import is_personal
from hardwon.failures.fix_source import source_change
from hardwon.failures.routes import route

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hardwon.failures.fix_case import Case

_WHOLE = r"(?i:\binteger|whole number|\bint\b)"
NOTHING = r"(?i:\b(?:no|nothing|0|not any)\b(?: \w+){0,2} (?:were |was )?(?:found|match))"
_ADDRESS = r"https?://|/[a-z]"
ABSENT = r"(?i:\b(?:404|405|410)\b|not found|no route|unknown|does not exist|not allowed|moved)"


def changed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """How an argument has to be given, in words and as a key; None if no rule explains it."""
    for rule in _RULES:
        if change := rule(key, old, new, case):
            return change
    return None


_LISTS = "a list of lists"
_KINDS = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
}


def _retyped(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """A value of another type."""
    if isinstance(old, float) and isinstance(new, int) and re.search(_WHOLE, case.line):
        return whole(key)
    if _holds_lists(new) and isinstance(old, list) and not _holds_lists(old):
        return f"Give `{key}` as {_LISTS}.", f"{key} {_LISTS}"
    if type(old) is type(new) or {type(old), type(new)} <= {int, float}:
        return None
    kind = _KINDS.get(type(new))
    if kind is None:
        return None
    return f"Give `{key}` as {kind}, not as {_KINDS.get(type(old), 'nothing')}.", f"{key} {kind}"


def _holds_lists(value: object) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(entry, list) for entry in value)
    )


def is_kind(value: object, rule: str) -> bool:
    """Whether a value is of the type that the key of a fix asks for."""
    if rule == "whole":
        return isinstance(value, int)
    if rule == _LISTS:
        return _holds_lists(value)
    return _KINDS.get(type(value)) == rule


def _respelt(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """A value in another form, such as an absolute path or with `#` before it."""
    form = changed_form(old, new) if isinstance(old, str) and isinstance(new, str) else ""
    return (f"Give `{key}` {form}.", f"{key} {form}") if form else None


def _renoted(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """The same value in another notation, such as in capital letters."""
    words = changed_notation(old, new) if isinstance(old, str) and isinstance(new, str) else ""
    return (f"Write `{key}` {words}.", f"{key} {words}") if words else None


def _shortened(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """Fewer words for a search that found nothing."""
    if not (isinstance(old, str) and isinstance(new, str) and re.search(NOTHING, case.line)):
        return None
    is_less = set() < set(new.lower().split()) < set(old.lower().split())
    return (f"Give fewer words in `{key}`.", f"{key} fewer") if is_less else None


def _listed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """A word that the error itself offers, with the other words that it offers."""
    options = offered(case.line, new) if isinstance(new, str) else ()
    if not options or (isinstance(old, str) and old in options):
        return None
    if len(options) == 1:
        return f"Give `{key}` as `{options[0]}`.", f"{key} {options[0]}"
    listed = ", ".join(f"`{option}`" for option in options)
    return f"Give `{key}` as one of {listed}.", f"{key} one of {'|'.join(options)}"


def _readdressed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """Another path of the same service, with ids left out."""
    if not (isinstance(old, str) and isinstance(new, str)) or not re.match(_ADDRESS, new):
        return None
    before, after = route(old), route(new)
    if before == after or is_personal(after) or not re.search(ABSENT, case.line):
        return None
    return f"Give `{key}` as `{after}`, not `{before}`.", f"{key} {after}"


_RULES: tuple[Callable[[str, Any, Any, Case], tuple[str, str] | None], ...] = (
    *(rescaled, _retyped, summed, _listed, _shortened, _renoted, source_change, _respelt),
    *(reworded, _readdressed, lowered, exchanged),
)
