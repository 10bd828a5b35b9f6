"""Whether a call already follows the advice of a fix, so that it need not be shown."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.argument_forms import has_form, time_template
from hardwon.failures.authored import fields
from hardwon.failures.fix_argument import flat, is_kind
from hardwon.failures.fix_prior_call import has_called
from hardwon.failures.results import leaves, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hardwon.failures.results import Leaf
    from hardwon.values.fix import Fix
    from hardwon.values.step import Step

_READ = 65_536
_NAMED = r"\bthe (?:number|`[^`]+`) that the error names"


def is_news(fix: Fix, step: Step, before: Sequence[Step]) -> bool:
    """Whether a fix says something before a call: it is not heeded, and needs no error beside it.

    An error names values of this run, or proposes one: nobody can write them before.
    """
    if fix.key.startswith("lines proposed-") or re.search(_NAMED, fix.text):
        return False
    return not is_heeded(fix, step, before)


def left(fixes: Sequence[Fix], step: Step) -> tuple[Fix, ...]:
    """The fixes that a call which failed does not heed yet, by the form of its arguments.

    What was done or looked up before may have to be once more, so earlier steps do not count.
    """
    return tuple(fix for fix in fixes if not is_heeded(fix, step, ()))


def is_heeded(fix: Fix, step: Step, before: Sequence[Step]) -> bool:
    """Whether a call heeds a fix about arguments or an earlier call; False where it is not sure."""
    sort, _, key = fix.key.partition(" ")
    if sort == "preparation" and key.startswith("tool "):
        return has_called(key, step, before)
    tool, _, advice = key.partition(" ")
    if sort != "argument" or tool != step.tool:
        return False
    given = flat(fields(step.args))
    if has_only_names(advice):
        return all((one[1:] in given) == (one[0] == "+") for one in advice.split())
    return _heeds_rule(advice, given, before)


def _heeds_rule(advice: str, given: dict[str, Any], before: Sequence[Step]) -> bool:
    """Whether the arguments of a call keep to `name rule`, the key of a fix."""
    name, _, rule = advice.partition(" ")
    if rule.startswith("renamed "):
        return rule.removeprefix("renamed ") in given and name not in given
    if name == "*":
        times = [value for value in scalars(given) if time_template(value)]
        return bool(times) and all(has_form(value, rule) for value in times)
    return name in given and _fits(given, name, rule, before)


def has_only_names(advice: str) -> bool:
    """Whether the key of a fix says which arguments to pass and to leave out, and no more."""
    return bool(advice) and all(one[0] in "+-" for one in advice.split())


def _fits(given: dict[str, Any], name: str, rule: str, before: Sequence[Step]) -> bool:
    """Whether an argument is as the key of a fix wants it: one of some, of a source, of a form."""
    value = given[name]
    if rule.startswith("one of "):
        return value in rule.removeprefix("one of ").split("|")
    if rule == "fewer":
        return len(str(value).split()) == 1
    if found := re.fullmatch(r"(?:name|with) (\S+)", rule):
        return found[1] in str(value)
    if found := re.fullmatch(r"from (\S+) (\S*)", rule):
        return _is_from(found[1], _path(found[2]), value, before)
    if found := re.fullmatch(r"of entry (\S+) (\S+) (\S*)", rule):
        entry = str(given.get(found[1]))
        there = _latest(before, lambda one: one.tool == found[2])
        return any(_is_at(leaf, _path(found[3]), value, entry) for leaf in there)
    return is_kind(value, rule) or has_form(value, rule)


def _path(text: str) -> tuple[str, ...]:
    return tuple(text.split(".")) if text else ()


def _is_at(leaf: Leaf, path: tuple[str, ...], value: object, entry: str) -> bool:
    return leaf.path == path and leaf.value == value and entry in dict(leaf.beside).values()


def _is_from(tool: str, path: tuple[str, ...], value: object, before: Sequence[Step]) -> bool:
    """Whether the latest result of the tool, or the latest of any that has the place, has it."""
    wanted = set(scalars(value))
    results = (
        _latest(before, lambda one: one.tool == tool),
        _latest(before, lambda one: any(leaf.path == path for leaf in _leaves(one))),
    )
    return any(
        {leaf.value for leaf in one if leaf.path == path} >= wanted > set() for one in results
    )


def _latest(before: Sequence[Step], is_meant: Callable[[Step], bool]) -> tuple[Leaf, ...]:
    """What the latest working step of some has given."""
    found = (one for one in reversed(before) if not one.failed and is_meant(one))
    return next((_leaves(one) for one in found), ())


def _leaves(step: Step) -> tuple[Leaf, ...]:
    return leaves(step.output[:_READ])
