"""The kind of a failing step, from its error line, its call and the earlier steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.knowledge.reading import own_names
from hardwon.knowledge.reading.authored import fields, scalars
from hardwon.knowledge.reading.call_keys import blamed_command
from hardwon.knowledge.reading.file_refusals import refusal
from hardwon.knowledge.reading.kind import NAME, kind_text, missing_fixture, missing_name
from hardwon.knowledge.reading.shell import parse
from hardwon.knowledge.reading.timeouts import TIMED_OUT, says_timeout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step

_OWN = 4  # shorter argument values are not looked for in an error line
_FIELD = r"[a-z][A-Za-z_.-]{1,40}: (?=\S)"
_ARGUMENT = (  # a missing or unknown argument in the words of Python
    r"(?:TypeError: )?[\w.<>]{1,120}\(\) (?:missing \d{1,2} required (?:positional|keyword-only)"
    r" arguments?: '(?P<lacked>\w{1,60})'"
    r"|got an unexpected keyword argument '(?P<unknown>\w{1,60})')"
)
_REJECTED = r" (?:is (?:not|no|unknown|invalid)|isn't|does not|doesn't|was not|could not|cannot)\b"
_PROPER = r"[A-Z][a-z]{2,}"


def step_kind(line: str, step: Step, before: Sequence[Step]) -> str:
    """The kind of failure of a step, as text; equal texts are one kind.

    `before` are the earlier steps of the run. Names that the run invented are folded.
    """
    return _named(line, step) or _line_kind(line, step, before)


def _named(line: str, step: Step) -> str:
    """A kind with a fixed text: a refusal of a file tool or a time-out; "" for any other."""
    if reason := refusal(step.tool, step.args, step.output):
        return reason
    command = blamed_command(parse(step.args), line) if says_timeout(line) else None
    return f"{command.does}{TIMED_OUT}" if command else ""


def _line_kind(line: str, step: Step, before: Sequence[Step]) -> str:
    """The kind of an error line; the name of a rejected field is kept, it belongs to the tool."""
    if not step.args.startswith("{"):
        return _text_kind(line, step, before)
    if argument := re.match(_ARGUMENT, line):
        lacked, unknown = argument["lacked"], argument["unknown"]
        return f"{lacked}: Field required" if lacked else f"{unknown}: unexpected argument"
    line = _without_values(line, step)
    field = re.match(_FIELD, line)
    if field and field[0][:-2] not in scalars(fields(step.args)):
        return f"{field[0]}{_text_kind(line[field.end() :], step, before)}"
    return _text_kind(line, step, before)


def _without_values(line: str, step: Step) -> str:
    """The line without the values of arguments that it repeats.

    Plain words stay, as they may be the tool's own. A capital within a sentence marks a name, and
    so does a line that begins with the word and rejects it, or ends with it behind a mark.
    """
    for value in scalars(fields(step.args)):
        if value and line.endswith((f"? {value}", f": {value}", f"= {value}")):
            line = f"{line.removesuffix(value)}{NAME}"
        elif len(value) >= _OWN and not re.fullmatch(r"[A-Za-z]+", value):
            line = line.replace(value, NAME)
        elif value and line.startswith(value) and re.match(_REJECTED, line[len(value) :]):
            line = f"{NAME}{line[len(value) :]}"
        elif re.fullmatch(_PROPER, value) and value in line:
            line = re.sub(rf"(?<=[a-z,] ){value}\b", NAME, line)
    return line


def _text_kind(line: str, step: Step, before: Sequence[Step]) -> str:
    if fixture := missing_fixture(line):
        return kind_text(line, is_coined=own_names.is_written(fixture, step, before))
    name = missing_name(line)
    if not name or own_names.is_own_module(name, step, before):
        return kind_text(line, is_coined=bool(name))
    if own_names.is_target(name, step):
        return f"{kind_text(line, is_coined=True)} that the call names"
    return kind_text(line)
