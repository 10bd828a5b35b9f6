"""Read a failure: its exact digest, its kind and the line of the error."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.reading.authored import fields, scalars
from hardwon.knowledge.reading.call_keys import blamed_command
from hardwon.knowledge.reading.error_line import informative_line
from hardwon.knowledge.reading.kind import NAME, kind_text, missing_fixture, missing_name
from hardwon.knowledge.reading.reports import failing_test
from hardwon.knowledge.reading.shell import parse, unquoted
from hardwon.knowledge.reading.signature import line_signature
from hardwon.knowledge.reading.verdict import TIMED_OUT, says_timeout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.run import Step
    from hardwon.knowledge.reading.shell import Command


INLINE = " in code given with the call"  # of a kind: no file holds what failed
_LINE = 300
_UNPARSED = r"SyntaxError: (?:invalid syntax|unexpected EOF while parsing)"
_GENERAL = rf"[A-Z]\w*|{_UNPARSED}"
_TESTED = r"AssertionError|Failed|(?:FAILED|ERROR) .*"  # only says that a test has failed
_RED = {"FAILED": "test failed", "ERROR": "test failed"}


def read_failure(step: Step, before: Sequence[Step]) -> Failure | None:
    """The failure of a failing step; None if its output does not say what went wrong.

    `before` are the earlier steps of the run. Names that the run invented are folded.
    """
    line = informative_line(step.output)
    if not line:
        return None
    text = step_kind(one_line(line), step, before)
    if re.fullmatch(_TESTED, text) and (test := failing_test(step.output)):
        word = text.split(" ", 1)[0]
        text = f"{_RED.get(word, word)} in {test}"
        exact = line_signature(step.tool, text).digest
    else:
        exact = "" if re.fullmatch(_GENERAL, text) else line_signature(step.tool, line).digest
    if re.fullmatch(_UNPARSED, text) and 'File "<string>"' in step.output:
        text += INLINE
    if step.args.startswith("{") and not is_limit(line):
        text = f"{step.tool}: {text}"
    return Failure(exact, _digest(text), text, one_line(line, _LINE))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


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
    """The kind of a time-out; "" for any other failure."""
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
        return kind_text(line, is_coined=is_written(fixture, step, before))
    name = missing_name(line)
    if not name or is_own_module(name, step, before):
        return kind_text(line, is_coined=bool(name))
    if is_target(name, step):
        return f"{kind_text(line, is_coined=True)} that the call names"
    return kind_text(line)


_LOOKED_BACK, _PLACES = 60, 40  # steps; places in a text
_INSTALLED = r"(?:site-packages|dist-packages|node_modules|lib/python[\d.]*)/$"
_IMPORTS = r"(?:import_module|require|importorskip|find_spec|__import__|install|import)\W*['\"]$"
_MAKES = r"(?:mkdir|touch)(?: -\w{1,20}){0,4} (?:[\w./-]{1,200} ){0,4}(?:[\w.-]{1,80}/){0,4}$"


def is_own_module(name: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether the run made a module of this name, or has it in its project."""
    steps = (step, *before[-_LOOKED_BACK:])
    is_written = any(_names(name, each.args) for each in steps)
    return is_written or any(_holds(name, each.output) for each in steps)


def is_target(name: str, step: Step) -> bool:
    """Whether the name is a target of the call, such as a test or an app."""
    return any(name in map(unquoted, command.targets) for command in _using(step))


def is_written(name: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether a call of the run contains the name: the run may have invented it."""
    calls = (each.args for each in (step, *before[-_LOOKED_BACK:]) if name in each.args)
    return any(name in re.findall(r"\w+", args) for args in calls)


def _using(step: Step) -> list[Command]:
    """The commands of a call, without those that install something."""
    return [each for each in parse(step.args) if each.verb not in {"install", "add", "get"}]


def _names(root: str, text: str) -> bool:
    """Whether a call makes the module or uses it as its own: a file, a folder, a quoted label."""
    return any(
        _is_own(text[max(0, at - 40) : at], text[at + len(root) : at + len(root) + 4])
        for at in _places(root, text)
    )


def _places(part: str, text: str) -> Iterator[int]:
    """The positions of the part in a text, at most `_PLACES`."""
    at = text.find(part)
    for _ in range(_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(part, at + len(part))


def _is_own(before: str, after: str) -> bool:
    if before[-1:].isalnum() or before[-1:] in {"_", "."} or re.search(_INSTALLED, before):
        return False
    if re.match(r"\.py\b|/", after):
        return before[-1:] != "/" or bool(re.search(r"(?:^|[\s'\"=])(?:\.|/\w+|\w+)/$", before))
    if before[-1:] in {"'", '"'} and after[:1] in {"'", '"', "."}:
        return not re.search(_IMPORTS, before)
    is_whole = not after[:1].isalnum() and after[:1] != "_"
    return is_whole and bool(re.search(_MAKES, before))


def _holds(root: str, text: str) -> bool:
    """Whether an output shows a folder of this name at the root of a project."""
    return any(
        re.search(r"(?:^|[\s'\"])(?:\./|/\w+/)?$", text[max(0, at - 60) : at])
        for at in _places(f"{root}/", text)
    )


_LIMIT = (
    r"(?i:\brate.?limit|\btoo many requests\b|\bthrottl(?:ed|ing)\b"
    r"|\b(?:HTTP|status|code|error)\W{1,3}429\b|\b429 too many\b"
    r"|\brequests per (?:second|minute|hour|day)\b|\brate exceeded\b"
    r"|\blimited to \d+ (?:\w+ )?(?:per|every|in|each) (?:\d+ ?)?(?:s|sec|m|min|h|hour|day|minute)"
    r"(?:ond)?s?\b)"
)


def is_limit(line: str) -> bool:
    """Whether an error line reports a rate limit."""
    return bool(re.search(_LIMIT, line))
