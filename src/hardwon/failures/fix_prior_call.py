"""The tool that has to be called first, so that a call of another one works."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import fields, writings
from hardwon.failures.fix_case import Case, is_gone, names_in, word_set
from hardwon.failures.fix_tool import is_look
from hardwon.failures.limits import is_limit
from hardwon.failures.results import leaves, scalars
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hardwon.values.step import Step

_CALLED = 4  # tools between two tries of a call
_SHORT = 3  # letters of a verb that tells nothing: use, get, set
_SMALL = word_set("all and any are can for has new not one out the was with you")
_STEM = 5  # letters that two forms of one word begin with
_TOLD = 2  # things that are said of what a call is given
_STATES, _STATE = {"status", "state", "mode"}, r"[A-Za-z_-]{2,20}"
_COVERED = r"intercepts pointer events|would receive the click|is obscured"
_OWN = 4  # characters from which on a value is taken for the name of one object


def prior_call_fix(case: Case) -> Fix | None:
    """The tool that the error names, or that was called between two tries of the same call."""
    failed, last = case.failed, case.last
    if _is_named(case):
        return _fix(case, last)
    if re.search(_COVERED, case.line) and _is_uncovered(case):
        text = (
            "Something lies over the element. Close it first, a banner or a dialog, with another "
            f"`{failed.tool}`, then make the same call again."
        )
        return Fix("preparation", text, f"preparation tool {failed.tool}", "", "")
    is_equal = failed.args == last.args
    if failed.tool != last.tool or not (is_equal or _is_nearly_equal(case)) or not is_gone(case):
        return None
    tools = _called_between(case, is_equal=is_equal)
    if len(tools) != 1:
        return None
    return _fix(case, next(step for step in reversed(case.between) if step.tool in tools))


def _is_uncovered(case: Case) -> bool:
    """Whether the same call worked after one of the same tool on something else."""
    failed, last = case.failed, case.last
    if failed.tool != last.tool or last.failed or not (own := set(_objects(failed))):
        return False
    others = [call for call in case.between if call.tool == failed.tool and not call.failed]
    return bool(own & set(_objects(last))) and any(
        own.isdisjoint(_objects(call)) for call in others
    )


def _called_between(case: Case, *, is_equal: bool) -> set[str]:
    """The tools between two tries that the error names; of equal tries else those left over."""
    failed = case.failed
    called = [step for step in case.between if not step.failed and step.tool != failed.tool]
    if len({step.tool for step in called}) > _CALLED:
        return set()
    line = case.line.replace(failed.tool, "")
    telling = {step.tool for step in called if _names_tool(line, step.tool, failed.tool)}
    return _left_over(case, called) if len(telling) != 1 and is_equal else telling


def has_called(key: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether a run has made the call that a fix of this module puts first, for the same object."""
    tool = key.removeprefix("tool ")
    arguments, own = fields(step.args), set(_objects(step))
    if tool == step.tool:  # what lay over the element was closed by a call on something else
        return any(earlier.tool == tool and not earlier.failed for earlier in before)
    return any(
        own & set(_objects(earlier)) or arguments.keys().isdisjoint(fields(earlier.args))
        for earlier in before
        if earlier.tool == tool and not earlier.failed
    )


def called_first(first: str, then: str, details: str = "") -> Fix:
    """The fix that one tool has to be called before another; `details`: with what."""
    text = f"Call `{first}` first{details}, then {then} again."
    return Fix("preparation", text, f"preparation tool {first}", "", "")


def _fix(case: Case, first: Step) -> Fix:
    details = "".join(f", {words}" for words in (_given(case, first), _taken(case, first)) if words)
    then = "the same call" if is_limit(case.line) else f"`{case.failed.tool}`"
    return called_first(first.tool, then, details)


def _given(case: Case, first: Step) -> str:
    """What the call that comes first is given, as far as that is no value of one run."""
    own, arguments = fields(case.failed.args), fields(first.args)
    same = [f"`{key}`" for key in arguments if key in own and arguments[key] == own[key]]
    with_what = [f"the same {' and '.join(same)}"] if same else []
    with_what += [f"this `{role}` as `{key}`" for key, role in _roles(arguments, own) if not same]
    switches = [key for key in arguments if _is_switch(key, arguments, case)]
    with_what += [
        f"`{key}` {str(arguments[key]).replace('True', 'true').replace('False', 'false')}"
        for key in switches
    ]
    if is_limit(case.line):
        numbers = re.findall(r"\d+", case.failed.output)
        with_what += [
            f"the `{key}` that the error names"
            for key in arguments
            if str(arguments[key]) in numbers
        ]
    return f"with {' and '.join(with_what[:_TOLD])}" if with_what else ""


def _roles(arguments: dict[str, Any], own: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The arguments that have the value of another one in the failing call, with its name."""
    values = {str(value): key for key, value in own.items() if len(str(value)) >= _OWN}
    return ((key, values[str(value)]) for key, value in arguments.items() if str(value) in values)


def _is_switch(key: str, arguments: dict[str, Any], case: Case) -> bool:
    """Whether an argument turns something that the error speaks of, or names a state."""
    value = arguments[key]
    if isinstance(value, bool):
        return bool(names_in(key) & case.names)
    return key in _STATES and isinstance(value, str) and bool(re.fullmatch(_STATE, value))


def _taken(case: Case, first: Step) -> str:
    """The argument that the result of the call that comes first gives anew."""
    if case.failed.tool != case.last.tool:
        return ""
    old, new = fields(case.failed.args), fields(case.last.args)
    results = {leaf.value for leaf in leaves(first.output)}
    anew = [key for key in new if new[key] != old.get(key) and str(new[key]) in results]
    return f"take `{anew[0]}` from its result" if anew else ""


def _is_named(case: Case) -> bool:
    """Whether the error names the tool that was called next, and that worked."""
    failed, last = case.failed, case.last
    if case.between or last.failed or failed.tool == last.tool:
        return False
    if not re.search(r"[a-z][_A-Z-]", last.tool):  # a plain word may stand for itself
        return False
    return last.tool in re.findall(r"[\w-]+", failed.output)


def _is_nearly_equal(case: Case) -> bool:
    """Whether one argument is new, or was given anew by a result between, as a version is."""
    old, new = fields(case.failed.args), fields(case.last.args)
    differing = [key for key in new if key not in old or old[key] != new[key]]
    if not old.keys() <= new.keys() or len(differing) != 1:
        return False
    value = str(new[differing[0]])
    is_in_result = any(value in step.output for step in case.between if not step.failed)
    return is_in_result or differing[0] not in old


def _left_over(case: Case, called: Sequence[Step]) -> set[str]:
    """The only change between two equal calls, or the only one on the same object.

    An edit of a file is none: what was mended is told nowhere in it.
    """
    changes = [
        step for step in called if not is_look(step.tool) and not writings(step.tool, step.args)
    ]
    tools = {step.tool for step in changes}
    if len(tools) <= 1:
        return tools
    own = set(_objects(case.failed))
    return {step.tool for step in changes if own & set(_objects(step))}


def _objects(step: Step) -> list[str]:
    return [value for value in scalars(fields(step.args)) if len(value) >= _OWN]


def _names_tool(line: str, tool: str, failed: str) -> bool:
    """Whether an error names a tool, or what it does: “has not been read yet”, “call login”."""
    verb, *objects = words = re.split(r"[^a-z]+", tool.lower())
    own = set(words if len(verb) > _SHORT else objects)
    other, in_line = (set(re.split(r"[^a-z]+", text.lower())) for text in (failed, line))
    return any(_is_form(word, other_word) for word in own - other for other_word in in_line - other)


def _is_form(word: str, other: str) -> bool:
    """Whether two words are one, or forms of one: assign and assignee."""
    is_telling = len(word) >= _SHORT and word not in _SMALL
    return is_telling and (word == other or (len(word) >= _STEM and word[:_STEM] == other[:_STEM]))
