"""A text that is given in another way: more exact, in quotes, or with a name that the error means.

Only words that the error itself has, or the names in a query, are repeated: no value of one run.
"""

from __future__ import annotations

from hardwon._cold import re
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
_JOINTS = "._:/-#"  # between a name and what it is completed with
_QUERY = r"[{}();=]|(?i:\bselect\b)"


def reworded(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """How a text has to be written, in words and as a key; None where no rule explains it."""
    if not (isinstance(old, str) and isinstance(new, str)):
        return None
    return (
        _renamed(key, old, new, case)
        or _narrowed(key, old, new, case)
        or _quoted(key, old, new)
        or _extended(key, old, new, case)
    )


def _renamed(key: str, old: str, new: str, case: Case) -> tuple[str, str] | None:
    """A name within a query that the error says is wrong, and the one in its place."""
    gone, come = _changed_name(old, new, case)
    if not come or is_personal(come) or re.search(r"\d", come):
        return None
    if sorted(gone) == sorted(come):
        return None  # letters that were swapped once
    if come.endswith(f".{gone}"):
        return f"In `{key}`, write the table before the name, as in `{come}`.", f"{key} qualified"
    if re.search(r"\bfunction\b", case.line):  # what the other one gives may be something else
        text = f"In `{key}`, there is no function `{gone}`; `{come}` worked in its place."
    else:
        text = f"In `{key}`, write `{come}`, not `{gone}`."
    return text, f"{key} name {come}"


def _changed_name(old: str, new: str, case: Case) -> tuple[str, str]:
    """The only name of the error that another one replaced in a query; two "" without any."""
    is_query = re.search(_QUERY, old) and re.search(_NAMED_PART, case.line)
    if not is_query or max(len(old), len(new)) > _LONGEST:
        return "", ""
    before, after = re.findall(_TOKEN, old), re.findall(_TOKEN, new)
    if len(before) != len(after):
        return "", ""
    changes = {pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]}
    in_error = set(re.findall(_NAME, case.line))
    names = [pair for pair in changes if pair[0] in in_error and re.fullmatch(_NAME, pair[1])]
    return names[0] if len(names) == 1 else ("", "")


def _narrowed(key: str, old: str, new: str, case: Case) -> tuple[str, str] | None:
    """A text that has to name one thing, where it named several."""
    if not re.search(_SEVERAL, case.line) or old not in case.failed.output:
        return None
    return f"Make `{key}` more exact: it must name one thing only.", f"{key} exact"


def _quoted(key: str, old: str, new: str) -> tuple[str, str] | None:
    """The same text with a part of it in quotes."""
    is_same = new != old and re.sub(_QUOTES, "", new) == old and " " in old
    return (
        (f"In `{key}`, put quotes around a name with blanks.", f"{key} quotes") if is_same else None
    )


def _extended(key: str, old: str, new: str, case: Case) -> tuple[str, str] | None:
    """The same text with a word behind or before it that the error itself has."""
    added = new.removeprefix(old) if new.startswith(old) else new.removesuffix(old)
    word = added.strip(_JOINTS)
    is_word = added not in {new, word} and bool(re.fullmatch(r"[A-Za-z]{3,20}", word))
    if not old or not is_word or word.lower() not in case.failed.output.lower():
        return None
    place = "behind" if new.startswith(old) else "before"
    return f"Write `{added}` {place} the name in `{key}`.", f"{key} with {word}"
