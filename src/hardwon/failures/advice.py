"""Whether a call already does what a fix advises, so that nobody needs to hear it."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import fields
from hardwon.failures.fix_argument import FORMS, flat
from hardwon.failures.fix_prior_call import has_called
from hardwon.failures.results import leaves, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.values.fix import Fix
    from hardwon.values.step import Step

_READ = 65_536


def is_heeded(fix: Fix, step: Step, before: Sequence[Step]) -> bool:
    """Whether a call heeds a fix about arguments or an earlier call; False where it is not sure."""
    sort, _, key = fix.key.partition(" ")
    if sort == "preparation" and key.startswith("tool "):
        return has_called(key, step, before)
    tool, _, advice = key.partition(" ")
    if sort != "argument" or tool != step.tool:
        return False
    given = flat(fields(step.args))
    if found := re.fullmatch(r"([+-])(\S+)", advice):
        return (found[2] in given) == (found[1] == "+")
    name, _, rule = advice.partition(" ")
    return name in given and _fits(given[name], rule, before)


def _fits(value: object, rule: str, before: Sequence[Step]) -> bool:
    """Whether an argument is as the key of a fix wants it: one of some, of a form, of a source."""
    if rule.startswith("one of "):
        return value in rule.removeprefix("one of ").split("|")
    if found := re.fullmatch(r"from (\S+) (\S*)", rule):
        return _is_from(found[1], tuple(found[2].split(".")), value, before)
    pattern = next((pattern for pattern, words in FORMS if words == rule), "")
    return bool(pattern and isinstance(value, str) and re.fullmatch(pattern, value))


def _is_from(tool: str, path: tuple[str, ...], value: object, before: Sequence[Step]) -> bool:
    """Whether the latest result of a tool has all of a value at a place."""
    latest = next((one for one in reversed(before) if one.tool == tool and not one.failed), None)
    there = leaves(latest.output[:_READ]) if latest else ()
    return {leaf.value for leaf in there if leaf.path == path} >= set(scalars(value)) > set()
