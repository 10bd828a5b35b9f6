"""The fix that calls another tool first."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import fields, writings
from hardwon.failures.fix_case import Case, is_gone, names_in, word_set
from hardwon.failures.fix_tool import is_check, is_look, name_words
from hardwon.failures.rate_limits import is_limit
from hardwon.failures.results import leaves, scalars
from hardwon.failures.routes import is_route, routed, routed_case
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hardwon.values.step import Step

_CALLED = 4  # at most, tools called between two tries
_SHORT = 3  # verbs of so few letters are too general: use, get, set
_WAITS = word_set("wait sleep pause delay")
_SMALL = word_set("all and any are can for has new not one out the was with you")
_STEM = 5  # letters that two forms of one word have in common at their start
_TOLD = 2  # at most, arguments that a fix mentions
_STATES, _RIGHTS = {"status", "state", "mode"}, {"role", "scope"}
_STATE = r"[A-Za-z_-]{1,20}"
_COVERED = r"intercepts pointer events|would receive the click|is obscured"
_TIMED_OUT = r"(?i:\btime(?:d )?-?out\b|\bno healthy\b|\bnot answering\b|\boverloaded\b)"
_OWN = 4  # a value of at least this many characters may name one object


def prior_call_fix(case: Case) -> Fix | None:
    """The fix to call first the tool that the error names, or the one called between two tries."""
    case = routed_case(case)
    failed, last = case.failed, case.last
    if _is_named(case):
        return _fix(case, last)
    if re.search(_COVERED, case.line) and _is_uncovered(case):
        return _uncovering(failed.tool)
    if re.search(_TIMED_OUT, case.line):  # the same call may work later, whatever comes first
        return None
    is_equal = failed.args == last.args
    if failed.tool != last.tool or not (is_equal or _is_nearly_equal(case)) or not is_gone(case):
        return None
    tools = _called_between(case, is_equal=is_equal)
    if len(tools) != 1:
        return None
    return _fix(case, next(step for step in reversed(case.between) if step.tool in tools))


def waiting_fix(case: Case) -> Fix | None:
    """The fix to wait before the same call; None if the run did not wait."""
    if case.failed.tool != case.last.tool or case.last.failed:
        return None
    waits = [
        step
        for step in case.between
        if not (step.failed or _WAITS.isdisjoint(name_words(step.tool)))
    ]
    return _fix(case, waits[-1]) if waits else None


def _uncovering(tool: str) -> Fix:
    text = (
        "Something lies over the element. Close it first, a banner or a dialog, with another "
        f"`{tool}`, then make the same call again."
    )
    return Fix("preparation", text, f"preparation tool {tool}", "", "")


def _is_uncovered(case: Case) -> bool:
    """Whether the same call worked after the same tool was used on another element."""
    failed, last = case.failed, case.last
    if failed.tool != last.tool or last.failed or not (own_objects := set(_objects(failed))):
        return False
    other_calls = [call for call in case.between if call.tool == failed.tool and not call.failed]
    return bool(own_objects & set(_objects(last))) and any(
        own_objects.isdisjoint(_objects(call)) for call in other_calls
    )


def _called_between(case: Case, *, is_equal: bool) -> set[str]:
    """The tools called between two tries that may have helped: named by the error, or left over."""
    failed = case.failed
    called = [step for step in case.between if not step.failed and step.tool != failed.tool]
    if len({step.tool for step in called}) > _CALLED:
        return set()
    line = case.line.replace(failed.tool, "")
    telling = {step.tool for step in called if _names_tool(line, step.tool, failed.tool)}
    return _left_over(case, called) if len(telling) != 1 and is_equal else telling


def has_called(key: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether the run has already made the call that a fix of this module puts first."""
    tool, step = key.removeprefix("tool "), routed(step)
    before = [routed(earlier) for earlier in before]
    arguments, own_objects = fields(step.args), set(_objects(step))
    if tool == step.tool:  # closing a dialog needs no shared object
        return any(earlier.tool == tool and not earlier.failed for earlier in before)
    return any(
        own_objects & set(_objects(earlier)) or arguments.keys().isdisjoint(fields(earlier.args))
        for earlier in before
        if earlier.tool == tool and not earlier.failed
    )


def called_first(first: str, then: str, details: str = "") -> Fix:
    """The fix to call the tool `first`, and `then` the other; `details` describe the arguments."""
    text = f"Call `{first}` first{details}, then {then} again."
    return Fix("preparation", text, f"preparation tool {first}", "", "")


def _fix(case: Case, first: Step) -> Fix:
    details = "".join(f", {words}" for words in (_given(case, first), _taken(case, first)) if words)
    is_any = is_limit(case.line) or is_route(case.failed.tool)  # it may fail on every route
    then = "the same call" if is_any else f"`{case.failed.tool}`"
    return called_first(first.tool, then, details)


def _given(case: Case, first: Step) -> str:
    """The arguments of the call that comes first, in words, without values of one run."""
    failed_arguments, arguments = fields(case.failed.args), fields(first.args)
    shared = [
        f"`{key}`"
        for key in arguments
        if key in failed_arguments and arguments[key] == failed_arguments[key]
    ]
    with_what = [f"the same {' and '.join(shared)}"] if shared else []
    with_what += [
        f"this `{role}` as `{key}`"
        for key, role in _roles(arguments, failed_arguments)
        if not shared
    ]
    with_what += _constants(arguments, case)
    if is_limit(case.line):
        numbers = re.findall(r"\d+", case.failed.output)
        with_what += [
            f"the `{key}` that the error names"
            for key in arguments
            if str(arguments[key]) in numbers
        ]
    return f"with {' and '.join(with_what[:_TOLD])}" if with_what else ""


def _constants(arguments: dict[str, Any], case: Case) -> list[str]:
    """The arguments that do not belong to one run, with their values: switches, states, roles."""
    switches = [key for key in arguments if _is_switch(key, arguments, case)]
    rights = [key for key in arguments if key in _RIGHTS and _is_state(arguments[key])]
    return [
        *(f"`{key}` {_shown(arguments[key])}" for key in switches),
        *(f"a `{key}` such as {arguments[key]}" for key in rights),  # runs may need others
    ]


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _roles(arguments: dict[str, Any], own: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Arguments whose value the failing call has under another name, with that name."""
    values = {str(value): key for key, value in own.items() if len(str(value)) >= _OWN}
    return ((key, values[str(value)]) for key, value in arguments.items() if str(value) in values)


def _is_switch(key: str, arguments: dict[str, Any], case: Case) -> bool:
    """Whether an argument is a flag that the error is about, or the name of a state."""
    value = arguments[key]
    if isinstance(value, bool):
        return bool(names_in(key) & case.names)
    return key in _STATES and _is_state(value)


def _is_state(value: Any) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(_STATE, value))


def _taken(case: Case, first: Step) -> str:
    """Words about the argument whose new value is in the result of the first call; else ""."""
    if case.failed.tool != case.last.tool:
        return ""
    old, new = fields(case.failed.args), fields(case.last.args)
    results = {leaf.value for leaf in leaves(first.output)}
    fresh = [key for key in new if new[key] != old.get(key) and str(new[key]) in results]
    return f"take `{fresh[0]}` from its result" if fresh else ""


def _is_named(case: Case) -> bool:
    """Whether the very next call worked and is of a tool that the error names."""
    failed, last = case.failed, case.last
    if case.between or last.failed or failed.tool == last.tool:
        return False
    if not re.search(r"[a-z][_A-Z-]", last.tool):  # a plain word may not mean the tool
        return False
    return last.tool in re.findall(r"[\w-]+", failed.output)


def _is_nearly_equal(case: Case) -> bool:
    """Whether only one argument changed: it is new, or its value is in a result in between."""
    old, new = fields(case.failed.args), fields(case.last.args)
    differing = [key for key in new if key not in old or old[key] != new[key]]
    if not old.keys() <= new.keys() or len(differing) != 1:
        return False
    value = str(new[differing[0]])
    is_in_result = any(value in step.output for step in case.between if not step.failed)
    return is_in_result or differing[0] not in old


def _left_over(case: Case, called: Sequence[Step]) -> set[str]:
    """The tools that changed something between two equal calls; of several, on the same object.

    Edits of files do not count: they do not say what was wrong. Without a change, a check of the
    same object counts. Calls that only gave others their arguments do not.
    """
    own_objects = set(_objects(case.failed))
    changes = [
        step for step in called if not is_look(step.tool) and not writings(step.tool, step.args)
    ] or [step for step in called if is_check(step.tool) and own_objects & set(_objects(step))]
    ends = [step for step in changes if not _is_means(step, changes)]
    tools = {step.tool for step in ends}
    if len(tools) <= 1:
        return tools
    return {step.tool for step in ends if own_objects & set(_objects(step))}


def _is_means(step: Step, changes: Sequence[Step]) -> bool:
    """Whether a later call of another tool was given a value of the step's result."""
    values = {leaf.value for leaf in leaves(step.output) if len(leaf.value) >= _OWN}
    values -= set(_objects(step))
    later = changes[changes.index(step) + 1 :]
    return any(values & set(_objects(call)) for call in later if call.tool != step.tool)


def _objects(step: Step) -> list[str]:
    return [value for value in scalars(fields(step.args)) if len(value) >= _OWN]


def _names_tool(line: str, tool: str, failed: str) -> bool:
    """Whether an error names a tool or its action: “has not been read yet”, “call login”."""
    verb, *objects = words = re.split(r"[^a-z]+", tool.lower())
    tool_words = set(words if len(verb) > _SHORT else objects)
    failed_words, line_words = (set(re.split(r"[^a-z]+", text.lower())) for text in (failed, line))
    return any(
        _is_form(word, line_word)
        for word in tool_words - failed_words
        for line_word in line_words - failed_words
    )


def _is_form(word: str, other: str) -> bool:
    """Whether two words are equal or forms of one word: assign and assignee."""
    is_telling = len(word) >= _SHORT and word not in _SMALL
    return is_telling and (word == other or (len(word) >= _STEM and word[:_STEM] == other[:_STEM]))
