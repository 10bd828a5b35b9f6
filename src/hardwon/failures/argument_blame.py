"""Which of the arguments that changed between two calls may explain the success of the second."""

from __future__ import annotations

from hardwon.failures.authored import fields
from hardwon.failures.fix_case import Case, folded, line_of, names_in
from hardwon.failures.routes import parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEPTH = 4  # objects within objects
_NONE = object()
_OBJECT = "an object"  # stands for an object whose fields are listed beside it
_MARKS = "'\"`.,:;()"  # around a quoted value
_QUOTED = 3  # characters of a value that an error quotes


def flat(arguments: dict[str, Any], depth: int = _DEPTH) -> dict[str, Any]:
    """The arguments with those of nested objects and addresses; of two equal names, the outer."""
    inner: dict[str, Any] = dict(parameters(arguments))
    for value in arguments.values() if depth else ():
        inner |= flat(value, depth - 1) if isinstance(value, dict) else {}
    plain = {k: _OBJECT if isinstance(v, dict) else v for k, v in arguments.items()}
    return inner | plain


def united_objects(
    old: dict[str, Any], new: dict[str, Any], depth: int = _DEPTH
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both calls; an object that only one of them has is replaced by the names of its fields."""
    before, after = dict(old), dict(new)
    for key in {*old, *new}:
        first, second = old.get(key), new.get(key)
        if isinstance(first, dict) and isinstance(second, dict) and depth:
            before[key], after[key] = united_objects(first, second, depth - 1)
        elif isinstance(first, dict):
            before[key] = tuple(sorted(first))
        elif isinstance(second, dict):
            after[key] = tuple(sorted(second))
    return before, after


def explaining(
    old: dict[str, Any], new: dict[str, Any], case: Case
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments of both calls, without those whose change cured another failure."""
    other_tries, all_keys = _other_failures(case), {*old, *new}
    unrelated = {key for key in all_keys if _was_enough(key, old, other_tries)}
    unrelated |= _not_meant(all_keys, case) | _not_quoted(old, new, case)
    before = {key: value for key, value in old.items() if key not in unrelated}
    return before, {key: value for key, value in new.items() if key not in unrelated}


def _not_meant(all_keys: set[str], case: Case) -> set[str]:
    """All other arguments if the error begins with the name of one; else the empty set."""
    field = case.line.partition(": ")[0]
    return all_keys - {field} if field in all_keys else set()


def _not_quoted(old: dict[str, Any], new: dict[str, Any], case: Case) -> set[str]:
    """The changed arguments that the error does not mean, if it quotes another changed value."""
    changed = [key for key in old if key in new and old[key] != new[key]]
    quoted = {key for key in changed if _is_quoted(old[key], case.line)}
    return {key for key in changed if not names_in(key) & case.names} - quoted if quoted else set()


def _is_quoted(value: Any, line: str) -> bool:
    text = str(value)
    return len(text) >= _QUOTED and text in {word.strip(_MARKS) for word in line.split()}


def _other_failures(case: Case) -> list[dict[str, Any]]:
    """The arguments of calls in between that got further: they failed with another error."""
    return [
        flat(fields(step.args))
        for step in case.between
        if step.failed and step.tool == case.failed.tool
        if folded(line_of(step)) != folded(case.line)
    ]


def _was_enough(key: str, old: dict[str, Any], other_tries: list[dict[str, Any]]) -> bool:
    """Whether a call got further with the argument unchanged, so that its change cures nothing."""
    return any(arguments.get(key, _NONE) == old.get(key, _NONE) for arguments in other_tries)
