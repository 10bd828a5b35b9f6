"""The fix that changes arguments of a tool, described by role and source and never by value."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.argument_forms import changed_form, changed_time
from hardwon.failures.argument_notation import changed_notation
from hardwon.failures.argument_offers import offered
from hardwon.failures.argument_texts import reworded
from hardwon.failures.authored import fields
from hardwon.failures.fix_case import Case, folded, is_gone, is_personal, line_of, names_in
from hardwon.failures.fix_source import source_change, source_in_words
from hardwon.failures.fix_tool import has_changed
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


_DEPTH = 4  # objects within objects
_NONE = object()
_MARKS = "'\"`.,:;()"  # around a quoted value
_QUOTED = 3  # characters of a value that an error quotes
_CHANGES = 2  # at most, arguments that one fix changes
_WHOLE = r"(?i:\binteger|whole number|\bint\b)"
_NOTHING = r"(?i:\b(?:no|nothing|0|not any)\b(?: \w+){0,2} (?:were |was )?(?:found|match))"
_ADDRESS = r"https?://|/[a-z]"
_ABSENT = r"(?i:\b(?:404|405|410)\b|not found|no route|unknown|does not exist|not allowed|moved)"


def argument_fix(case: Case) -> Fix | None:
    """How the arguments of the working call differ from those of the failed one."""
    if case.failed.tool != case.last.tool or case.last.failed or not is_gone(case):
        return None
    old, new = flat(fields(case.failed.args)), flat(fields(case.last.args))
    if not old or not new or not _is_same_object(old, new, case):
        return None
    old, new = _explaining(old, new, case)
    changes = (
        _counted(old, new, case)
        or _retimed(old, new)
        or _renamed(old, new)
        or _differing(old, new, case)
    )
    return _fix(case.last.tool, changes) if 0 < len(changes) <= _CHANGES else None


def _fix(tool: str, changes: Sequence[tuple[str, str]]) -> Fix:
    text = f"`{tool}`: {' '.join(words for words, _ in changes)}"
    key = " ".join(("argument", tool, *(key for _, key in changes)))
    return Fix("argument", text, key, "", "")


def _differing(old: dict[str, Any], new: dict[str, Any], case: Case) -> list[tuple[str, str]]:
    """How each changed argument has to be given, in words and as a key."""
    changes = [(key, _change_of(key, old, new, case)) for key in sorted({*old, *new})]
    explained = {key: change for key, change in changes if change}
    return _replaced(explained, old, new) or list(explained.values())


def _replaced(
    changes: dict[str, tuple[str, str]], old: dict[str, Any], new: dict[str, Any]
) -> list[tuple[str, str]]:
    """One argument that is left out for another one, as one change; else empty."""
    gone, come = ([key for key in changes if key not in call] for call in (new, old))
    if len(changes) != 2 or len(gone) != 1 or len(come) != 1:
        return []
    words, key = _in_place_of(gone[0], come[0])
    source = changes[come[0]][0].partition(", from ")[2]
    return [(f"{words[:-1]}, from {source}" if source else words, key)]


def _in_place_of(before: str, after: str) -> tuple[str, str]:
    return f"Pass `{after}` in place of `{before}`.", f"{before} renamed {after}"


def _explaining(
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


def flat(arguments: dict[str, Any], depth: int = _DEPTH) -> dict[str, Any]:
    """The arguments with those of nested objects; if a name occurs twice, the outer one counts."""
    inner: dict[str, Any] = {}
    for value in arguments.values() if depth else ():
        inner |= flat(value, depth - 1) if isinstance(value, dict) else {}
    return inner | {key: value for key, value in arguments.items() if not isinstance(value, dict)}


def _counted(old: dict[str, Any], new: dict[str, Any], case: Case) -> list[tuple[str, str]]:
    """Lists that must have the same length."""
    if not re.search(r"(?i:number|count|length|match|same size|as many)", case.line):
        return []
    lists = [key for key in new if isinstance(new[key], list) and isinstance(old.get(key), list)]
    if len({len(new[key]) for key in lists}) != 1 or len({len(old[key]) for key in lists}) < 2:
        return []
    listed = " and ".join(f"`{key}`" for key in sorted(lists))
    return [(f"Give {listed} the same number of entries, one for each.", f"{listed} same length")]


def _retimed(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str]]:
    """Dates and times that must be written in another way, all in the same one."""
    both = [key for key in sorted(new) if isinstance(new[key], str)]
    both = [key for key in both if isinstance(old.get(key), str)]
    changed = {key: template for key in both if (template := changed_time(old[key], new[key]))}
    templates = set(changed.values())
    return [as_time(list(changed), templates.pop())] if len(templates) == 1 else []


def as_time(arguments: Sequence[str], template: str) -> tuple[str, str]:
    """How dates and times are to be written, in words and as a key."""
    keys = " and ".join(f"`{key}`" for key in arguments)
    return f"Give {keys} as {template}.", f"* as {template}"


def _renamed(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str]]:
    """One argument that must have another name, if nothing else changed."""
    gone, come = sorted(set(old) - set(new)), sorted(set(new) - set(old))
    if len(gone) != 1 or len(come) != 1:
        return []
    before, after = gone[0], come[0]
    if {after if key == before else key: value for key, value in old.items()} != new:
        return []
    return [_in_place_of(before, after)]


def _is_same_object(old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether both calls are about one object: they share a value, have one, or are close."""
    kept_keys = [key for key in old if key in new and old[key] == new[key]]
    return bool(kept_keys) or len(new) == 1 or len(case.between) <= 2


def _change_of(
    key: str, old: dict[str, Any], new: dict[str, Any], case: Case
) -> tuple[str, str] | None:
    """How one argument must be given; None if it did not change or explains nothing."""
    if key in old and key in new:
        return _changed(key, old[key], new[key], case) if old[key] != new[key] else None
    is_named = key.lower() in case.line.lower() or bool(names_in(key) & case.names)
    is_only = set(old) ^ set(new) == {key} and all(old[k] == new[k] for k in old if k in new)
    is_only = is_only and not has_changed(case)
    if not (is_named or is_only):
        return None
    if key in new:
        where = source_in_words(key, new[key], case)
        source = f", from {where}" if where else ""
        switch = f" as {str(new[key]).lower()}" if isinstance(new[key], bool) else ""
        return f"Pass `{key}`{_within(key, case)}{switch} too{source}.", f"+{key}"
    return f"Leave out `{key}`.", f"-{key}"


def _within(key: str, case: Case) -> str:
    """The nested object that holds an argument, in words; "" at the top level."""
    arguments = fields(case.last.args)
    objects = [
        name for name, value in arguments.items() if isinstance(value, dict) and key in value
    ]
    return f" in `{objects[0]}`" if objects and key not in arguments else ""


def _changed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
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


def whole(key: str) -> tuple[str, str]:
    """The advice to give a whole number, in words and as a key."""
    return f"Give `{key}` as a whole number.", f"{key} whole"


def _summed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """A number that the error names, or amounts that must add up to it."""
    numbers_in_error = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", case.line)}
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
    if not (isinstance(old, str) and isinstance(new, str) and re.search(_NOTHING, case.line)):
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
    before, after = _route(old), _route(new)
    if before == after or is_personal(after) or not re.search(_ABSENT, case.line):
        return None
    return f"Give `{key}` as `{after}`, not `{before}`.", f"{key} {after}"


def _route(address: str) -> str:
    """The path of an address, without host and query, with ids as `<id>`."""
    path = re.sub(r"^https?://[^/]*|[?#].*$", "", address)
    return "/".join("<id>" if re.search(r"\d{2,}", part) else part for part in path.split("/"))


_RULES: tuple[Callable[[str, Any, Any, Case], tuple[str, str] | None], ...] = (
    *(_retyped, _summed, _listed, _shortened, _renoted, source_change, _respelt, reworded),
    _readdressed,
)
