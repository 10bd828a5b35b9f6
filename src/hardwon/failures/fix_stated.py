"""The fix that an error states itself: an argument is missing, unknown or of the wrong form.

The error must name the argument, or only one argument of the call can be meant.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.argument_blame import flat
from hardwon.failures.argument_forms import template_of_format, time_template
from hardwon.failures.argument_numbers import whole
from hardwon.failures.argument_offers import options
from hardwon.failures.authored import fields
from hardwon.failures.fix_argument import as_time
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
    """The fix that the error of a call states about its arguments; no run has tried it yet."""
    arguments, line = fields(step.args), line_of(step)
    if not step.args.startswith("{") or not line:
        return None
    for state in _STATEMENTS:
        if statement := state(line, flat(arguments)):
            words, key = statement
            text = f"`{step.tool}`: {words}"
            return Fix("argument", text, f"argument {step.tool} {key}", worked=0)
    return None


def _lacked(line: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The advice to pass missing arguments."""
    match = re.search(_LACKED, line)
    names = [name for name in _named(match) if arguments.get(name) is None] if match else []
    if not 0 < len(names) <= _MOST:
        return None
    listed = " and ".join(f"`{name}`" for name in names)
    return f"Pass {listed} too.", " ".join(f"+{name}" for name in names)


def _unknown(line: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The advice to leave out an argument that the tool does not have."""
    match = re.search(_UNKNOWN, line)
    names = [name for name in _named(match) if name in arguments] if match else []
    return (f"Leave out `{names[0]}`.", f"-{names[0]}") if names else None


def _named(match: re.Match[str]) -> list[str]:
    """The names in a match: one, or all of a row of quoted names."""
    text = next(filter(None, match.groups()))
    return [text] if re.fullmatch(_NAME, text) else re.findall(rf"'({_NAME})'", text)


def _whole(line: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The advice to give a whole number, if the call has only one fraction."""
    numbers = [key for key in arguments if isinstance(arguments[key], float)]
    return whole(numbers[0]) if len(numbers) == 1 and re.search(_WHOLE, line) else None


def _timed(line: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The advice to write a date or time in the format that the error names."""
    match = re.search(_FORMAT, line)
    template = template_of_format(match[2]) if match else ""
    names = [key for key in arguments if template and match and arguments[key] == match[1]]
    return as_time(names, template) if names else None


def _clipped(line: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The advice to write dates and times without the ending that the error rejects."""
    match = re.search(_REMAINDER, line)
    suffix = match[1] if match else ""
    texts = {
        key: arguments[key]
        for key in sorted(arguments)
        if suffix and isinstance(arguments[key], str)
    }
    ended = {key: text.removesuffix(suffix) for key, text in texts.items() if text.endswith(suffix)}
    templates = {key: time_template(text) for key, text in ended.items() if time_template(text)}
    if len(set(templates.values())) != 1:
        return None
    return as_time(list(templates), next(iter(templates.values())))


def _typed(line: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The advice to give an argument of another type."""
    match = re.match(_SHOULD_BE, line)
    kind = _TYPES.get(match[2]) if match else None
    if match is None or kind is None or match[1] not in arguments:
        return None
    return f"Give `{match[1]}` as {kind}.", f"{match[1]} {kind}"


def _chosen(line: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The advice to give an argument one of the values that the error lists."""
    match = re.match(rf"({_NAME}): ", line)
    words = options(line[match.end() :]) if match and match[1] in arguments else ()
    if match is None or not words or arguments[match[1]] in words:
        return None
    listed = ", ".join(f"`{word}`" for word in words)
    return f"Give `{match[1]}` as one of {listed}.", f"{match[1]} one of {'|'.join(words)}"


_STATEMENTS: tuple[Callable[[str, dict[str, Any]], tuple[str, str] | None], ...] = (
    *(_lacked, _unknown, _whole, _timed, _clipped, _typed, _chosen),
)
