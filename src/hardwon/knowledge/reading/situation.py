"""When a mined lesson holds: its failure as it is printed, or the program that failed.

Of tool output only the failure kind is quoted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.quoting import quotable
from hardwon.knowledge.reading.authored import fields, scalars
from hardwon.knowledge.reading.bodies import body_code
from hardwon.knowledge.reading.call_keys import blamed_command
from hardwon.knowledge.reading.file_refusals import REASONS
from hardwon.knowledge.reading.kind import NAME, QUOTES, folded_names, printed_text
from hardwon.knowledge.reading.reading import INLINE
from hardwon.knowledge.reading.shell import parse
from hardwon.knowledge.reading.timeouts import TIMED_OUT

if TYPE_CHECKING:
    from hardwon.core.values.run import Step

_QUOTE = 160  # characters of a failure kind
# An environment variable; one with a value is a hint (`run with RUST_BACKTRACE=1`)
_VARIABLE = r"\b[A-Z][A-Z\d]{1,20}(?:_[A-Z\d]{1,20}){1,4}\b(?!=)"
_FLAG = r"--?[a-z][a-z\d]{0,15}(?:-[a-z\d]{1,15}){0,2}"
_REASON = (
    r"\b(?:Bad Request|Forbidden|Conflict|Precondition Failed|Unprocessable (?:Entity|Content))\b"
)
_COMPOUND = r"[a-z][_-][a-z]|[a-z][A-Z]"  # a name that is no plain word
_DEEPEST = 4  # levels of named arguments that are looked at
_TEST = r"(?:AssertionError|Failed|test failed) in (\S.*)"  # a kind that only its test names


def agreed(situation_before: str, text: str, step: Step) -> str:
    """The situation of a lesson that one more run met: without names, if that run saw others."""
    if NAME not in text or situation_before == situation(with_names(text, step), step):
        return situation_before
    general = situation(text, step)
    return general if _is_form_of(general, situation_before) else situation_before


def _is_form_of(general: str, text: str) -> bool:
    """Whether a text is the general one with names in their places: a person may have edited it."""
    head, *rest = general.split(NAME)
    at = len(head)
    for words in rest:
        start = text.find(words, at)
        if start < 0:
            return False
        at = start + len(words)
    return text.startswith(head)


def with_names(text: str, step: Step) -> str:
    """A failure kind with the names that belong to the call: arguments, flags, variables."""
    line = step.failure.line if step.failure else ""
    prefix = f"{step.tool}: " if text.startswith(f"{step.tool}: ") else ""
    parts = text[len(prefix) :].split(NAME)
    names = folded_names(text[len(prefix) :], line) if len(parts) > 1 else []
    if not names:
        return text
    kept = [name if _is_of_call(name.strip(f"{QUOTES}`"), step) else NAME for name in names]
    return prefix + "".join(part for pair in zip(parts, (*kept, ""), strict=True) for part in pair)


def _is_of_call(name: str, step: Step) -> bool:
    """Whether a name is one of the tool and never a value: an argument, a flag, a variable."""
    if not step.args.startswith("{"):
        is_plain = not re.search(r"\d{3}", name)
        return is_plain and re.fullmatch(rf"{_FLAG}|{_VARIABLE}", name) is not None
    arguments = fields(step.args)
    return name in {step.tool, *_argument_names(arguments)} - {*scalars(arguments)}


def _argument_names(value: Any, depth: int = _DEEPEST) -> set[str]:
    """The names of arguments, nested ones too."""
    if isinstance(value, list):
        return set().union(*(_argument_names(item, depth - 1) for item in value if depth))
    if not isinstance(value, dict) or not depth:
        return set()
    return set(value).union(*(_argument_names(item, depth - 1) for item in value.values()))


def situation(text: str, step: Step) -> str:
    """When the lesson holds: the failure as it is printed, or else the failing program."""
    prefix = f"{step.tool}: "  # begins the kind of a call with named arguments
    if (reason := text.removeprefix(prefix)) in REASONS:
        return f"When `{step.tool}` fails because {reason}"
    if text.endswith(TIMED_OUT):
        return f"When `{text.removesuffix(TIMED_OUT)}` does not end in time"
    if test := re.fullmatch(_TEST, text):
        return f"When the test `{test[1]}` fails"
    line = step.failure.line if step.failure else ""
    is_body = text.removeprefix(prefix).startswith("{")  # only its fields are known
    if not is_body and (quote := quotable(printed_text(text, line))):
        speaker = f"`{step.tool}` says" if quote.startswith(prefix) else "you see"
        words, inline, _ = quote.removeprefix(prefix).partition(INLINE)
        return f"When {speaker} “{clip(words, _QUOTE)}”{inline}"
    return _unquoted(line, step, is_body=is_body)


def _unquoted(line: str, step: Step, *, is_body: bool) -> str:
    """When the lesson holds, of a failure whose words may not be quoted."""
    if code := body_code(step.output):
        return f"When {program(step)} fails with `{code}`"
    if is_body and (phrase := re.search(_REASON, step.output)):
        return f"When {program(step)} fails with “{phrase[0]}”"
    name = _named_in(line, step)
    over = f" over `{name}`" if name else ""
    return f"When {program(step)} fails{over}"


def _named_in(line: str, step: Step) -> str:
    """The first argument of the call, or for a command the first variable, in the line; or ""."""
    if not step.args.startswith("{"):
        return next(iter(re.findall(_VARIABLE, line)), "")
    words = re.findall(r"[\w-]+", line)
    known = _argument_names(fields(step.args))
    return next((word for word in words if word in known and re.search(_COMPOUND, word)), "")


def program(step: Step) -> str:
    """The tool, or the blamed program of a command line, in backticks."""
    commands = () if step.args.startswith("{") else parse(step.args)
    command = blamed_command(commands, step.failure.line if step.failure else "")
    return f"`{clip(one_line(command.does if command else step.tool), 60)}`"
