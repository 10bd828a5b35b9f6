"""Whether a call already follows the advice of a fix, so that it need not be shown."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.argument_blame import flat
from hardwon.failures.argument_forms import has_form, time_template
from hardwon.failures.argument_notation import has_notation
from hardwon.failures.argument_numbers import is_in_unit, is_low
from hardwon.failures.argument_rules import is_kind
from hardwon.failures.argument_spans import is_short
from hardwon.failures.authored import fields
from hardwon.failures.file_refusals import text_key
from hardwon.failures.fix_prior_call import has_called
from hardwon.failures.results import leaves, scalars
from hardwon.failures.routes import routed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hardwon.failures.results import Leaf
    from hardwon.values.fix import Fix
    from hardwon.values.step import Step

_READ = 65_536
_NAMED = r"\bthe (?:number|`[^`]+`) that the error names"


def is_worth_showing(fix: Fix, step: Step, before: Sequence[Step]) -> bool:
    """Whether a fix is worth showing before a call: the call does not follow it yet.

    False also for a fix that refers to its error ("the number that the error names").
    """
    if fix.key.startswith("lines proposed-") or re.search(_NAMED, fix.text):
        return False
    return not is_followed(fix, step, before)


def not_followed(fixes: Sequence[Fix], step: Step) -> tuple[Fix, ...]:
    """The fixes that a failed call does not follow yet, judged by its arguments alone.

    Earlier steps do not count: a preparation or a lookup may have to be repeated.
    """
    return tuple(fix for fix in fixes if not is_followed(fix, step, ()))


def is_followed(fix: Fix, step: Step, before: Sequence[Step]) -> bool:
    """Whether a call follows a fix about arguments or an earlier call; False when unsure."""
    sort, _, key = fix.key.partition(" ")
    if sort == "preparation" and key.startswith("tool "):
        return has_called(key, step, before)
    tool, _, advice = key.partition(" ")
    if sort != "argument" or tool != step.tool:
        return False
    arguments = flat(fields(step.args))
    if advice == "fewer lines":
        return "\n" not in str(arguments.get(text_key(step), "\n"))
    if advice.endswith((" lower", " shorter")):
        return _is_within(advice, fix.text, arguments)
    if has_only_names(advice):
        return all(
            (argument[1:] in arguments) == (argument[0] == "+") for argument in advice.split()
        )
    return _obeys_rule(advice, arguments, before)


def _is_within(advice: str, text: str, arguments: dict[str, Any]) -> bool:
    """Whether a number or a time is not above the one that worked, as a fix names it."""
    name, _, rule = advice.rpartition(" ")
    return is_low(arguments.get(name), text) if rule == "lower" else is_short(arguments, name, text)


def _obeys_rule(advice: str, arguments: dict[str, Any], before: Sequence[Step]) -> bool:
    """Whether arguments obey a rule `name rule`, as the key of a fix states it."""
    name, _, rule = advice.partition(" ")
    if rule.startswith("renamed "):
        return rule.removeprefix("renamed ") in arguments and name not in arguments
    if name == "*":
        times = [value for value in scalars(arguments) if time_template(value)]
        return bool(times) and all(has_form(value, rule) for value in times)
    return name in arguments and _fits(arguments, name, rule, before)


def has_only_names(advice: str) -> bool:
    """Whether a fix only says which arguments to pass (`+name`) and to leave out (`-name`)."""
    return bool(advice) and all(argument[0] in "+-" for argument in advice.split())


def _fits(arguments: dict[str, Any], name: str, rule: str, before: Sequence[Step]) -> bool:
    """Whether an argument obeys the rule of a fix: one of a list, from a source, in a form."""
    value = arguments[name]
    if match := re.fullmatch(r"from (\S+) ?(\S*)", rule):
        return _is_from(match[1], _path(match[2]), value, before)
    if match := re.fullmatch(r"of entry (\S+) (\S+) (\S*)", rule):
        entry = str(arguments.get(match[1]))
        leaves_of_tool = _latest(before, lambda step: routed(step).tool == match[2])
        return any(_is_at(leaf, _path(match[3]), value, entry) for leaf in leaves_of_tool)
    return _has_value(value, rule)


def _has_value(value: object, rule: str) -> bool:
    """Whether a value obeys a rule that needs no other argument and no earlier step."""
    if rule.startswith("one of "):
        return value in rule.removeprefix("one of ").split("|")
    if rule == "fewer":
        return len(str(value).split()) == 1
    if match := re.fullmatch(r"(?:name|with|word) (\S+)", rule):
        return match[1] in str(value)
    if re.fullmatch(r"(?:times|over) \d+", rule):
        return is_in_unit(value, rule)
    return is_kind(value, rule) or has_form(value, rule) or has_notation(str(value), rule)


def _path(text: str) -> tuple[str, ...]:
    return tuple(text.split(".")) if text else ()


def _is_at(leaf: Leaf, path: tuple[str, ...], value: object, entry: str) -> bool:
    return leaf.path == path and leaf.value == value and entry in dict(leaf.beside).values()


def _is_from(tool: str, path: tuple[str, ...], value: object, before: Sequence[Step]) -> bool:
    """Whether a value is at `path` in the tool's latest result, or in any tool's latest with it.

    A result in plain words has no paths: the value has to occur in it.
    """
    if not path:
        results = (
            step.output
            for step in reversed(before)
            if routed(step).tool == tool and not step.failed
        )
        return str(value) in next(results, "")
    wanted = set(scalars(value))
    sources = (
        _latest(before, lambda step: routed(step).tool == tool),
        _latest(before, lambda step: any(leaf.path == path for leaf in _leaves(step))),
    )
    return any(
        {leaf.value for leaf in source_leaves if leaf.path == path} >= wanted > set()
        for source_leaves in sources
    )


def _latest(before: Sequence[Step], is_wanted: Callable[[Step], bool]) -> tuple[Leaf, ...]:
    """The leaves of the result of the latest wanted step that worked."""
    matches = (step for step in reversed(before) if not step.failed and is_wanted(step))
    return next((_leaves(step) for step in matches), ())


def _leaves(step: Step) -> tuple[Leaf, ...]:
    return leaves(step.output[:_READ])
