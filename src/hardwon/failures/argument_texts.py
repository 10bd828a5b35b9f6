"""Changes of a text argument: more exact, in quotes, or with a name that the error is about.

Advice repeats only words of the error and names in a query, never a value of one run.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.code_names import is_query
from hardwon.failures.fix_case import Case, is_personal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SEVERAL = (
    r"(?i:strict mode violation|resolved to \d+ elements|\b(?:several|multiple|more than one"
    r"|too many) (?:\w+ )?(?:match|element|result|candidate)|\bambiguous|\bnot unique)"
)
_QUOTES = r"[\"'`]"
_LONGEST = 4_000  # characters of a query that are compared
_TOKEN = r"[A-Za-z_][\w.]*|\S"
_NAME = r"[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){0,2}"
_NAMED_PART = r"(?i:\b(?:column|field|property|attribute|function|table|relation|type|method)\b)"
_CONDITION = rf"(?i:(?<![\w'.])({_NAME})\s*(?:[<>=!]{{1,2}}|(?:not\s+)?(?:between|in|like|is)\b))"
_TOO_MUCH = r"(?i:\bscan|\bpartition|\bfilter)"
_JOINTS = "._:/-#"  # between a name and the word added to it


def reworded(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """How to write the text, in words and as a key; None if no rule explains the change."""
    if not (isinstance(old, str) and isinstance(new, str)):
        return None
    return (
        _renamed(key, old, new, case)
        or _narrowed(key, old, new, case)
        or _quoted(key, old, new)
        or _extended(key, old, new, case)
        or _filtered(key, old, new, case)
    )


def _renamed(key: str, old: str, new: str, case: Case) -> tuple[str, str] | None:
    """A query in which the name that the error calls wrong was replaced."""
    wrong, name = changed_name(old, new, case)
    if not name:
        return None
    if name.endswith(f".{wrong}"):
        return f"In `{key}`, write the table before the name, as in `{name}`.", f"{key} qualified"
    if re.search(r"\bfunction\b", case.line):  # the other function may return something else
        text = f"In `{key}`, there is no function `{wrong}`; `{name}` worked in its place."
    else:
        text = f"In `{key}`, write `{name}`, not `{wrong}`."
    return text, f"{key} name {name}"


def changed_name(old: str, new: str, case: Case) -> tuple[str, str]:
    """The one name of the error that was replaced in a query, old and new; else two ""."""
    is_about_name = is_query(old) and re.search(_NAMED_PART, case.line)
    if not is_about_name or max(len(old), len(new)) > _LONGEST:
        return "", ""
    before, after = re.findall(_TOKEN, old), re.findall(_TOKEN, new)
    if len(before) != len(after):
        return "", ""
    changes = {pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]}
    in_error = set(re.findall(_NAME, case.line))
    names = [pair for pair in changes if pair[0] in in_error and re.fullmatch(_NAME, pair[1])]
    wrong, name = names[0] if len(names) == 1 else ("", "")
    if is_personal(name) or re.search(r"\d", name) or sorted(wrong) == sorted(name):
        return "", ""  # a value of one run, or a typing mistake: the same letters in another order
    return wrong, name


def _narrowed(key: str, old: str, new: str, case: Case) -> tuple[str, str] | None:
    """A text that matched several things and has to match one."""
    if not re.search(_SEVERAL, case.line) or old not in case.failed.output:
        return None
    return f"Make `{key}` more exact: it must name one thing only.", f"{key} exact"


def _quoted(key: str, old: str, new: str) -> tuple[str, str] | None:
    """The same text with quotes around a part of it."""
    is_same = new != old and re.sub(_QUOTES, "", new) == old and " " in old
    return (
        (f"In `{key}`, put quotes around a name with blanks.", f"{key} quotes") if is_same else None
    )


def _filtered(key: str, old: str, new: str, case: Case) -> tuple[str, str] | None:
    """A query with a condition on one more column, where the service refused to read so much."""
    if not (is_query(old) and is_query(new) and re.search(_TOO_MUCH, case.line)):
        return None
    before, after = (re.findall(_CONDITION, _conditions(query)) for query in (old, new))
    added = [name for name in after if name.lower() not in {other.lower() for other in before}]
    if not added or is_personal(added[0]):
        return None
    return f"In `{key}`, add a condition on `{added[0]}`.", f"{key} with {added[0]}"


def _conditions(query: str) -> str:
    """The part of a query behind its first `where`."""
    return (*re.split(r"(?i:\bwhere\b)", query[:_LONGEST], maxsplit=1), "")[1]


def _extended(key: str, old: str, new: str, case: Case) -> tuple[str, str] | None:
    """The same text with a word of the error added at its start or end."""
    added = new.removeprefix(old) if new.startswith(old) else new.removesuffix(old)
    word = added.strip(_JOINTS)
    is_word = added not in {new, word} and bool(re.fullmatch(r"[A-Za-z]{3,20}", word))
    if not old or not is_word or word.lower() not in case.failed.output.lower():
        return None
    place = "behind" if new.startswith(old) else "before"
    return f"Write `{added}` {place} the name in `{key}`.", f"{key} with {word}"
