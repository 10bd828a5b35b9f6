"""Changes of a number argument: whole, in another unit, lower, or a number that the error names."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_case import word_set
from hardwon.failures.fix_tool import name_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hardwon.failures.fix_case import Case

_UNITS = (100, 1_000, 1_000_000, 60, 3_600, 1_024)  # how many of one unit make another
_NUMBER = r"\d+(?:\.\d+)?"
_BOUND = r"(?i:exceed|at most|maximum|\blimit|less than|too (?:large|long|many|high)|greater than)"
# What a caller is free to choose; an amount or a quantity belongs to its task.
_CHOSEN = word_set(
    "batch chunk count days depth hours limit lines max minutes page rows seconds size timeout top"
)
_CLOSE = 1e-9  # relative; 0.55 * 100 is not exactly 55


def whole(key: str) -> tuple[str, str]:
    """The advice to give a whole number, in words and as a key."""
    return f"Give `{key}` as a whole number.", f"{key} whole"


def summed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """A number that the error names, or amounts that must add up to it."""
    numbers_in_error = {float(n) for n in re.findall(_NUMBER, case.line)}
    if not numbers_in_error:
        return None
    if (
        isinstance(new, int | float)
        and not isinstance(new, bool)
        and float(new) in numbers_in_error
    ):
        return f"Give as `{key}` the number that the error names.", f"{key} named"
    for name, total in _sums(new):
        if total in numbers_in_error and dict(_sums(old)).get(name) != total:
            words = f"The `{name}`s in `{key}` must add up to the total that the error names."
            return words, f"{key} {name} sum"
    return None


def _sums(value: Any) -> Iterator[tuple[str, float]]:
    """The sum of each numeric field over a list of objects."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return
    for name in value[0] if value else ():
        numbers = [entry.get(name) for entry in value]
        if all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
            yield name, float(sum(numbers))


def rescaled(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """The same quantity in another unit, such as cents or percent."""
    before, after = _amount(old), _amount(new)
    if not before or not after or isinstance(new, str) or re.search(_BOUND, case.line):
        return None
    for factor in _UNITS:
        if _is_near(before * factor, after):
            return f"Give `{key}` in a smaller unit, times {factor}.", f"{key} times {factor}"
        if _is_near(after * factor, before):
            return f"Give `{key}` in a larger unit, divided by {factor}.", f"{key} over {factor}"
    return None


def lowered(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """A lower number where the error says that there is a limit, but not which."""
    before, after = _amount(old), _amount(new)
    is_lower = 0 < after < before and not isinstance(new, str)
    if not is_lower or _CHOSEN.isdisjoint(name_words(key)) or not re.search(_BOUND, case.line):
        return None
    return f"Give a lower `{key}`: {new} worked.", f"{key} lower"


def is_low(value: object, text: str) -> bool:
    """Whether a number is not above the one that worked, as the text of a fix names it."""
    match = re.search(rf": ({_NUMBER}) worked", text)
    return match is not None and 0 < _amount(value) <= float(match[1])


def is_in_unit(value: object, rule: str) -> bool:
    """Whether a number may be in the unit that the key of a fix asks for; True if unsure."""
    number = _amount(value)
    if rule.startswith("times "):
        return number.is_integer()
    return rule != "over 100" or number <= 1


def _amount(value: Any) -> float:
    """The number that a value is or begins with; 0 if it is none."""
    if isinstance(value, str):
        match = re.match(rf"{_NUMBER}(?![\w:/-])", value)
        return float(match[0]) if match else 0.0
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else 0.0


def _is_near(product: float, number: float) -> bool:
    return abs(product - number) <= _CLOSE * abs(number)
