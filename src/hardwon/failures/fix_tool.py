"""The fix that uses another tool."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import fields, path_in
from hardwon.failures.fix_case import Case, word_set
from hardwon.failures.results import scalars
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hardwon.values.step import Step

_LOOKS = word_set(
    "get list find search read view show fetch lookup look query describe ls cat retrieve browse "
    "open forecast predict estimate"
)
_CHECKS = word_set("check validate verify")  # they may leave a mark on what they check
_SEARCHES = word_set("find search lookup look query")
# Tools that return no object
_REASONS = word_set("count calculate check compare validate verify think")
_SMALL = word_set("by for from in of on to with all id name info detail")
_UNKNOWN_ACTION = r"(?i:\b(?:action|operation|command|method|unknown|unsupported|no such)\b)"
_NEAR = 3  # calls between a failing tool and the one in its place
_BROKEN = 3  # calls that all failed
_ALIKE = 3  # words that two names begin with
_SAME = 2  # arguments that two changing calls must share
_TELLING = 4  # shorter values are too common to be compared


def tool_fix(case: Case) -> Fix | None:
    """The other tool that the run used next for the same purpose."""
    failed, last = case.failed, case.last
    if last.failed or failed.tool == last.tool or len(case.between) > _NEAR:
        return None
    old, new = fields(failed.args), fields(last.args)
    if not old or not new or not _is_instead(case, old, new):
        return None
    return Fix("tool", _text(case, old, new), f"tool {last.tool}", last.tool, f"`{failed.tool}`")


def _text(case: Case, old: dict[str, Any], new: dict[str, Any]) -> str:
    failed, last = case.failed.tool, case.last.tool
    if _is_broken(case):
        return f"`{failed}` fails whatever it is given. Use `{last}` instead."
    if len(_shared(old, new)) == len(new) > 1:
        return f"Use `{last}` with the same arguments."
    listed = ", ".join(f"`{key}`" for key in list(new)[:4])
    return f"Use `{last}` instead ({listed})."


def _is_broken(case: Case) -> bool:
    """Whether the tool failed every time, with different arguments."""
    calls = [step for step in case.steps if step.tool == case.failed.tool]
    return (
        len(calls) >= _BROKEN
        and all(step.failed for step in calls)
        and len({step.args for step in calls}) > 1
    )


def _is_instead(case: Case, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether the other tool serves the same goal, rather than the next task."""
    first, second = (name_words(step.tool) for step in (case.failed, case.last))
    is_reading = is_look(case.failed.tool)
    if is_reading != is_look(case.last.tool) or second[0] in _REASONS - {first[0]}:
        return False
    if not is_reading:
        return _acts_alike(case, old, new)
    return _stem(first, second) >= _ALIKE or _looks_elsewhere(case, old, new)


def _acts_alike(case: Case, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether two changing tools were given the same arguments or values."""
    shared = _shared(old, new)
    if len(shared) < _SAME or _is_other_action(case):
        return False
    is_same = set(old) == set(new) or (set(old) <= set(new) and len(shared) > _SAME)
    is_next = all(step.failed and step.tool == case.last.tool for step in case.between)
    return is_same or (is_next and sorted(scalars(old)) == sorted(scalars(new)))


def _is_other_action(case: Case) -> bool:
    """Whether the tool did something else next, without an error about the first action."""
    first, second = (step.tool.rpartition(".") for step in (case.failed, case.last))
    is_one_tool = bool(first[0]) and first[0] == second[0]
    is_action = len(name_words(first[2])) == 1  # a longer name is that of a tool of its own
    return is_one_tool and is_action and not re.search(_UNKNOWN_ACTION, case.line)


def _looks_elsewhere(case: Case, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether the other tool was asked next for the same object and found it."""
    if any(step.output.strip() for step in case.between):  # a thinking tool prints nothing
        return False
    shared = _shared(old, new)
    if shared and len(old) <= len(shared) + 1:
        return True
    failed, last = case.failed.tool, case.last.tool
    if name_words(last)[0] not in _SEARCHES and _speaks_of(failed).isdisjoint(_speaks_of(last)):
        return False
    shared_values = {value for value in scalars(old) if len(value) >= _TELLING} & set(scalars(new))
    return any(value in case.last.output for value in shared_values)


def _speaks_of(tool: str) -> set[str]:
    """The nouns in a tool's name: its words without the verb, in the singular."""
    return {word.removesuffix("s") for word in name_words(tool)[1:]} - _SMALL


def _shared(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The arguments that are equal in both calls."""
    return [key for key in old if key in new and old[key] == new[key]]


def has_changed(case: Case) -> bool:
    """Whether another tool changed something between the failure and the last step."""
    return any(
        not (step.failed or is_look(step.tool))
        for step in case.between
        if step.tool != case.failed.tool
    )


def is_look(tool: str) -> bool:
    """Whether the tool only reads, by its name."""
    return name_words(tool)[0] in _LOOKS | _REASONS


def is_check(tool: str) -> bool:
    """Whether the tool checks something, by its name."""
    return name_words(tool)[0] in _CHECKS


def shown_file(step: Step) -> str:
    """The path of the file that a call with named arguments only reads; "" for other calls."""
    arguments = fields(step.args)
    return path_in(arguments) if is_look(str(arguments.get("command", step.tool))) else ""


def _stem(first: list[str], second: list[str]) -> int:
    """How many words two names share at their start."""
    alike = 0
    for word, other in zip(first, second, strict=False):
        if word != other:
            break
        alike += 1
    return alike


def name_words(tool: str) -> list[str]:
    """The words in the name of a tool or an argument, in small letters."""
    own = tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", own).lower()
    return [word for word in re.split(r"[_\W]+", words) if word] or [tool.lower()]
