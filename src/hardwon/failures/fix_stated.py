"""The fix that an error states by itself: an argument that is missing, unknown or of another form.

The error has to name the argument, or the failing call has to have only one that it can mean.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.argument_forms import template_of_format, time_template
from hardwon.failures.argument_offers import options
from hardwon.failures.authored import fields
from hardwon.failures.fix_argument import as_time, flat, whole
from hardwon.failures.fix_case import line_of
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hardwon.values.step import Step

_NAME = r"[A-Za-z_][\w-]{0,40}"
_MOST = 3  # arguments that one error names
_LACKED = (
    r"\bmissing \d{1,2} required (?:positional|keyword-only) arguments?: (?P<python>.{1,200})"
    rf"|^(?P<field>{_NAME}): (?:This )?[Ff]ield (?:is )?required\b"
    rf"|[\"'`](?P<quoted>{_NAME})[\"'`] is a required (?:property|parameter|argument|field)\b"
    r"|(?i:\bmissing (?:a )?required (?:parameter|argument|field|property))s?:? "
    rf"[\"'`]?(?P<named>{_NAME})[\"'`]?(?=[\s.,;]|\Z)"
)
_UNKNOWN = (
    rf"\bgot an unexpected keyword argument [\"'](?P<python>{_NAME})[\"']"
    rf"|^(?P<field>{_NAME}): Extra inputs are not permitted"
    rf"|\([\"'](?P<schema>{_NAME})[\"'] was unexpected\)"
    r"|(?i:\b(?:unknown|unexpected|unrecognized) (?:parameter|argument|field|property)):? "
    rf"[\"'`](?P<quoted>{_NAME})[\"'`]"
)
_WHOLE = (
    r"indices must be integers|'float' object cannot be interpreted as an integer"
    r"|(?i:\bmust be an? (?:integer|whole number)\b|\bvalid integer\b)"
)
_FORMAT = r"time data '([^']{1,60})' does not match format '([^']{1,40})'"
_REMAINDER = r"unconverted data remains: (\S{1,20})"
_SHOULD_BE = rf"^({_NAME}): Input should be a valid (\w{{3,12}})"
_TYPES = {
    "string": "text",
    "number": "a number",
    "integer": "a number",
    "list": "a list",
    "dictionary": "an object",
    "boolean": "true or false",
}


def stated_fix(step: Step) -> Fix | None:
    """What the error of a failing call says of its arguments; not yet seen to work in any run."""
    given, line = fields(step.args), line_of(step)
    if not step.args.startswith("{") or not line:
        return None
    for state in _STATEMENTS:
        if told := state(line, flat(given)):
            words, key = told
            text = f"`{step.tool}`: {words}"
            return Fix("argument", text, f"argument {step.tool} {key}", worked=0)
    return None


def _lacked(line: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """Arguments that have to be passed."""
    found = re.search(_LACKED, line)
    names = [one for one in _named(found) if given.get(one) is None] if found else []
    if not 0 < len(names) <= _MOST:
        return None
    listed = " and ".join(f"`{name}`" for name in names)
    return f"Pass {listed} too.", " ".join(f"+{name}" for name in names)


def _unknown(line: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """An argument that the tool does not have."""
    found = re.search(_UNKNOWN, line)
    names = [one for one in _named(found) if one in given] if found else []
    return (f"Leave out `{names[0]}`.", f"-{names[0]}") if names else None


def _named(found: re.Match[str]) -> list[str]:
    """The names that a match has caught; of a row of quoted ones all."""
    text = next(filter(None, found.groups()))
    return [text] if re.fullmatch(_NAME, text) else re.findall(rf"'({_NAME})'", text)


def _whole(line: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """The only number with a fraction, where a whole one is wanted."""
    numbers = [key for key in given if isinstance(given[key], float)]
    return whole(numbers[0]) if len(numbers) == 1 and re.search(_WHOLE, line) else None


def _timed(line: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """A date or time that has to follow the format which the error names."""
    found = re.search(_FORMAT, line)
    template = template_of_format(found[2]) if found else ""
    named = [key for key in given if template and found and given[key] == found[1]]
    return as_time(named, template) if named else None


def _clipped(line: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """Dates and times that end in something which the error says is too much."""
    found = re.search(_REMAINDER, line)
    rest = found[1] if found else ""
    texts = {key: given[key] for key in sorted(given) if rest and isinstance(given[key], str)}
    ended = {key: one.removesuffix(rest) for key, one in texts.items() if one.endswith(rest)}
    templates = {key: time_template(one) for key, one in ended.items() if time_template(one)}
    if len(set(templates.values())) != 1:
        return None
    return as_time(list(templates), next(iter(templates.values())))


def _typed(line: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """An argument that has to be of another type."""
    found = re.match(_SHOULD_BE, line)
    kind = _TYPES.get(found[2]) if found else None
    if found is None or kind is None or found[1] not in given:
        return None
    return f"Give `{found[1]}` as {kind}.", f"{found[1]} {kind}"


def _chosen(line: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """An argument that has to be one of the words which the error lists."""
    found = re.match(rf"({_NAME}): ", line)
    words = options(line[found.end() :]) if found and found[1] in given else ()
    if found is None or not words or given[found[1]] in words:
        return None
    named = ", ".join(f"`{word}`" for word in words)
    return f"Give `{found[1]}` as one of {named}.", f"{found[1]} one of {'|'.join(words)}"


_STATEMENTS: tuple[Callable[[str, dict[str, Any]], tuple[str, str] | None], ...] = (
    *(_lacked, _unknown, _whole, _timed, _clipped, _typed, _chosen),
)
