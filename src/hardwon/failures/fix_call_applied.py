"""Whether a command does what a fix of the call says."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import tail
from hardwon.failures.commit_marks import SMALL, is_small, mark_form
from hardwon.failures.fix_call import plain_start
from hardwon.failures.fix_case import commands_of
from hardwon.failures.fix_flags import bare_flags
from hardwon.failures.fix_pair import query_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.shell import Command
    from hardwon.values.step import Step


def applies_call(key: str, step: Step) -> bool:
    """Whether a command does what the key of a fix says."""
    return all(_applies_change(change, commands_of(step)) for change in key.split("; "))


def _applies_change(change: str, parts: tuple[Command, ...]) -> bool:
    sort, _, details = change.partition(" ")
    words = set(details.split())
    if sort == "env":
        return words <= {e.split("=", 1)[0] for part in parts for e in part.env}
    return any(_part_applies(part, sort, details) for part in parts)


def _part_applies(part: Command, sort: str, details: str) -> bool:
    match sort:
        case "start":
            return details in {plain_start(part.call), part.call}
        case "folder":
            return tail(part.cwd) == details
        case "lines":
            return "\n" in part.script
        case "quotes":
            return bool(re.search(rf"[\"']{details}", part.text))
        case "mark":
            return any(_is_marked(text, details) for text in part.operands)
        case "ticket":
            return any(
                mark_form(word) == details for text in part.operands for word in text.split()
            )
        case "flags":
            return _has_flags(part, set(details.split()))
    return details in {*map(tail, part.operands), *re.findall(r"[\w.]+", query_of(part))}


def _is_marked(text: str, form: str) -> bool:
    return is_small(text) if form == SMALL else mark_form(text.split(" ", 1)[0]) == form


def _has_flags(part: Command, words: set[str]) -> bool:
    if not {word for word in words if word[0] != "-" and word[:3] != "no-"} <= set(
        part.does.split()
    ):
        return False
    wanted = {word for word in words if word.startswith("-")}
    dropped = {word[2:] for word in words if word.startswith("no-")}
    present = bare_flags(list(part.flags))
    return wanted <= present and not dropped & present
