"""The fix that changes arguments of a tool, described by role, source and form.

A value is told only where the service defines it, or where it is a limit that worked.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.argument_blame import explaining, flat, united_objects
from hardwon.failures.argument_forms import changed_time
from hardwon.failures.argument_rules import ABSENT, NOTHING, changed
from hardwon.failures.argument_spans import narrowed
from hardwon.failures.authored import fields
from hardwon.failures.fix_case import Case, is_gone, names_in, word_set
from hardwon.failures.fix_source import is_id_name, source_in_words
from hardwon.failures.fix_tool import has_changed, name_words
from hardwon.failures.routes import route, routed
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


_ASKS = (  # an error that something was left out
    r"(?i:\b(?:required|requires|needed|needs|missing|mandatory|without|lacks|not (?:given|set"
    r"|provided))\b|\bmust (?:be (?:set|given|provided)|have)\b)"
)
_UNWANTED = (  # an error that an argument must not be there, or not with such a value
    r"(?i:\b(?:unknown|unexpected|unrecognized|unsupported|undefined|invalid|extra|conflict\w*|exceed\w*"
    r"|mutually|limit\w*|maximum|too|must|only|greater|larger|bounds?|range)\b"
    r"|\bat most\b|\bdoes not (?:exist|take|accept|support)\b|\bno such\b|<="
    r"|\bnot (?:a |an )?(?:allowed|permitted|supported|defined|accepted|valid|known|recognized"
    r"|possible)\b"
    r"|\bcannot be (?:used|combined|set|given)\b)"
)
_CONSENT = r"(?i:accept|confirm|consent|agree|approve|acknowledg|force|overrid|overwrit)"
_FREE = word_set(
    "note notes comment comments remark remarks description message title summary text"
)
_PAGES = word_set("cursor page offset page_token pageToken next starting_after after before skip")
_TELLING = 4  # characters of a value that can be recognised in a result
_HEADERS = " in `headers`"
# Headers whose values a service defines; any other may hold a secret or a person
_DEFINED_HEADERS = word_set(
    "accept encoding format language market mode prefer region role scope type version"
)
_PRIVATE_HEADERS = word_set("auth authorization cookie key password secret session token user")
_HEADER_WORD = r"[A-Za-z]{1,20}(?:[/+.-][A-Za-z]{1,20}){0,5}"
_CHANGES = 2  # at most, arguments that one fix changes
_OPERATIONS = ("method", "url", "uri", "endpoint", "route")  # of a tool that sends requests


def argument_fix(case: Case) -> Fix | None:
    """How the arguments of the working call differ from those of the failed one."""
    if case.failed.tool != case.last.tool or case.last.failed or not is_gone(case):
        return None
    old, new = map(flat, united_objects(fields(case.failed.args), fields(case.last.args)))
    if not old or not new or not _is_same_object(old, new, case):
        return None
    changes = _changes(*explaining(old, new, case), case)
    return _fix(case.last.tool, changes) if 0 < len(changes) <= _CHANGES else None


def _changes(old: dict[str, Any], new: dict[str, Any], case: Case) -> list[tuple[str, str]]:
    """What has to be done with the arguments, in words and as keys."""
    return (
        _counted(old, new, case)
        or _retimed(old, new)
        or narrowed(old, new, case)
        or _renamed(old, new)
        or _differing(old, new, case)
    )


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
    gone = [key for key in changes if key not in new]
    come = [key for key in changes if key not in old] or _alike(gone, old, new)
    if len(gone) != 1 or len(come) != 1 or changes.keys() - {*gone, *come}:
        return []
    words, key = _in_place_of(gone[0], come[0], new[come[0]])
    source = changes.get(come[0], ("",))[0].partition(", from ")[2]
    return [(f"{words[:-1]}, from {source}" if source else words, key)]


def _alike(gone: Sequence[str], old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The new arguments with a name or value like that of one that is gone."""
    names = {name for key in gone for name in _name_parts(key)}
    values = [value for key in gone for value in (old[key], [old[key]])]
    come = [key for key in new if key not in old]
    return [key for key in come if new[key] in values or names & _name_parts(key)]


def _name_parts(key: str) -> set[str]:
    """The words in the name of an argument, in the singular."""
    return {word.rstrip("s") for word in name_words(key)}


def _in_place_of(before: str, after: str, value: Any) -> tuple[str, str]:
    form = _as(value) if isinstance(value, tuple) else ""
    return f"Pass `{after}`{form} in place of `{before}`.", f"{before} renamed {after}"


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
    return [_in_place_of(before, after, new[after])]


def _is_same_object(old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether both calls are about one object: they share a value, have one, or are close."""
    if not _is_same_operation(old, new) or _is_other_id(old, new, case):
        return False
    kept_keys = [key for key in old if key in new and old[key] == new[key]]
    return bool(kept_keys) or len(new) == 1 or len(case.between) <= 2


def _is_other_id(old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether the later call changes another object: its id differs and was not wrong."""
    own = names_in(case.failed.tool)  # `update_order` changes what `order_id` names
    ids = [key for key in old if is_id_name(key) and names_in(key) & own]
    changed = [key for key in ids if new.get(key) not in (None, old[key])]
    return not re.search(ABSENT, case.line) and any(
        str(old[key]) not in case.line and not names_in(key) & case.names for key in changed
    )


def _is_same_operation(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether two calls ask the same of a service; one may have corrected the address alone."""
    paths = ("path",) if "method" in old else ()  # else it is the path of a file
    moved = [
        key
        for key in (*_OPERATIONS, *paths)
        if isinstance(old.get(key), str) and isinstance(new.get(key), str)
        if route(old[key]) != route(new[key])
    ]
    return not moved or all(old.get(key) == new.get(key) for key in {*old, *new} - {*moved})


def _change_of(
    key: str, old: dict[str, Any], new: dict[str, Any], case: Case
) -> tuple[str, str] | None:
    """How one argument must be given; None if it did not change or explains nothing."""
    if key in old and key in new:
        return changed(key, old[key], new[key], case) if old[key] != new[key] else None
    if not (_is_named(key, case) or _may_explain(key, old, new, case)):
        return None
    if key in new:
        return _passed_too(key, new[key], case)
    is_unwanted = re.search(rf"{_UNWANTED}|{NOTHING}", case.line)
    return (f"Leave out `{key}`.", f"-{key}") if is_unwanted else None


def _is_named(key: str, case: Case) -> bool:
    return key.lower() in case.line.lower() or bool(names_in(key) & case.names)


def _may_explain(key: str, old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether an argument that came or went may explain the success, though no error names it."""
    return (
        _is_only(key, old, new, case)
        or _is_asked_for(key, old, new, case)
        or _is_from_between(key, old, new, case)
    )


def _passed_too(key: str, value: Any, case: Case) -> tuple[str, str]:
    """The advice to pass an argument too; what a person has to agree to depends on them."""
    where = source_in_words(key, value, case)
    giver = "" if where else _giver(value, case)
    source = f", from {where}" if where else f", from the result of `{giver}`" if giver else ""
    wish = ", if that is wanted" if value is True and re.search(_CONSENT, key) else ""
    place = _within(key, case)
    header = f": {value}" if place == _HEADERS and _is_defined(key, value) else ""
    return f"Pass `{key}{header}`{place}{_as(value)} too{source}{wish}.", f"+{key}"


def _is_defined(header: str, value: Any) -> bool:
    """Whether a header's value is a word of the service, such as a media type: no id, no key."""
    words = set(name_words(header))
    if _DEFINED_HEADERS.isdisjoint(words) or not _PRIVATE_HEADERS.isdisjoint(words):
        return False
    return isinstance(value, str) and bool(re.fullmatch(_HEADER_WORD, value))


def _is_only(key: str, old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether nothing else changed, and the argument does not only ask for another page."""
    is_alone = set(old) ^ set(new) == {key} and all(old[k] == new[k] for k in old if k in new)
    return is_alone and key not in _PAGES and not has_changed(case)


def _is_asked_for(key: str, old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether the error misses something, and only this argument came, beside free texts."""
    come, gone = (new.keys() - old.keys()) - _FREE, old.keys() - new.keys()
    return come == {key} and not gone and bool(re.search(_ASKS, case.line))


def _is_from_between(key: str, old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether only this argument came, with a value that a call in between returned."""
    if new.keys() - old.keys() != {key} or old.keys() - new.keys():
        return False
    return bool(_giver(new[key], case))


def _giver(value: Any, case: Case) -> str:
    """The tool in between that returned a value with a number in it; "" if there is none."""
    text = str(value)
    if len(text) < _TELLING or not re.search(r"\d", text) or text in case.failed.output:
        return ""
    givers = (routed(step).tool for step in case.between if not step.failed and text in step.output)
    return next(givers, "")


def _as(value: Any) -> str:
    """The value of a switch, or the fields of an object, in words; "" for other values."""
    if isinstance(value, tuple):
        listed = " and ".join(f"`{field}`" for field in value)
        return f" as an object with {listed}"
    return f" as {str(value).lower()}" if isinstance(value, bool) else ""


def _within(key: str, case: Case) -> str:
    """The nested object that holds an argument, in words; "" at the top level."""
    arguments = fields(case.last.args)
    objects = [
        name for name, value in arguments.items() if isinstance(value, dict) and key in value
    ]
    return f" in `{objects[0]}`" if objects and key not in arguments else ""
