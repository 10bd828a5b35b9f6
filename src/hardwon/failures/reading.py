"""What a failing step is called: exactly, and by its kind."""

from __future__ import annotations

from hardwon._cold import re
from hardwon._cold.hashing import blake2b
from hardwon.failures.authored import fields
from hardwon.failures.call_keys import blamed_command
from hardwon.failures.coined import is_own_module, is_target, is_written
from hardwon.failures.error_line import failing_test, informative_line
from hardwon.failures.file_refusals import refusal
from hardwon.failures.kind import NAME, kind_text, missing_fixture, missing_name
from hardwon.failures.limits import is_limit
from hardwon.failures.results import scalars
from hardwon.failures.shell import parse
from hardwon.failures.signature import line_signature
from hardwon.failures.timeouts import says_timeout
from hardwon.text.clean import one_line
from hardwon.values.failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.values.step import Step

_LINE = 300
_OWN = 4  # characters of an argument that is found again in a line
_UNPARSED = r"SyntaxError: (?:invalid syntax|unexpected EOF while parsing)"
_GENERAL = rf"[A-Z]\w*|{_UNPARSED}"
_FIELD = r"[a-z][A-Za-z_.-]{1,40}: (?=\S)"
_ARGUMENT = (  # how Python says of a function what schemas say of a field
    r"(?:TypeError: )?[\w.<>]{1,120}\(\) (?:missing \d{1,2} required (?:positional|keyword-only)"
    r" arguments?: '(?P<lacked>\w{1,60})'"
    r"|got an unexpected keyword argument '(?P<unknown>\w{1,60})')"
)
_TESTED = r"AssertionError|Failed|(?:FAILED|ERROR) .*"  # says only that a test has failed


_RED = {"FAILED": "test failed", "ERROR": "test failed"}


def read_failure(step: Step, before: Sequence[Step]) -> Failure | None:
    """The failure of a failing step; None when its output tells nothing of what went wrong.

    `before` are the earlier steps of the run. Names that the run itself coined are folded.
    """
    line = informative_line(step.output)
    if not line:
        return None
    text = _named(one_line(line), step) or _kind(one_line(line), step, before)
    if re.fullmatch(_TESTED, text) and (test := failing_test(step.output)):
        said = text.split(" ", 1)[0]
        text = f"{_RED.get(said, said)} in {test}"
        exact = line_signature(step.tool, text).digest
    else:
        exact = "" if re.fullmatch(_GENERAL, text) else line_signature(step.tool, line).digest
    if re.fullmatch(_UNPARSED, text) and 'File "<string>"' in step.output:
        text = f"{text} in code given with the call"
    if step.args.startswith("{") and not is_limit(line):
        text = f"{step.tool}: {text}"
    return Failure(exact, _digest(text), text, one_line(line, _LINE))


def _named(line: str, step: Step) -> str:
    """The kind where it is known in other words: a refusal of a file tool, a time that was up."""
    if reason := refusal(step.tool, step.args, step.output):
        return reason
    command = blamed_command(parse(step.args), line) if says_timeout(line) else None
    return f"{command.does}: command timed out" if command else ""


def _kind(line: str, step: Step, before: Sequence[Step]) -> str:
    """The kind of a line; the field that a tool complains of belongs to the tool, not to a run."""
    if not step.args.startswith("{"):
        return _kind_of(line, step, before)
    if found := re.match(_ARGUMENT, line):
        lacked = found["lacked"]
        return f"{lacked}: Field required" if lacked else f"{found['unknown']}: unexpected argument"
    line = _without_values(line, step)
    field = re.match(_FIELD, line)
    if field and field[0][:-2] not in scalars(fields(step.args)):
        return f"{field[0]}{_kind_of(line[field.end() :], step, before)}"
    return _kind_of(line, step, before)


def _without_values(line: str, step: Step) -> str:
    """The line without the values of arguments that it repeats, as far as they are no words."""
    for value in scalars(fields(step.args)):
        if len(value) >= _OWN and not re.fullmatch(r"[A-Za-z]+", value):
            line = line.replace(value, NAME)
    return line


def _kind_of(line: str, step: Step, before: Sequence[Step]) -> str:
    if fixture := missing_fixture(line):
        return kind_text(line, is_coined=is_written(fixture, step, before))
    name = missing_name(line)
    if not name or is_own_module(name, step, before):
        return kind_text(line, is_coined=bool(name))
    if is_target(name, step):
        return f"{kind_text(line, is_coined=True)} that the call names"
    return kind_text(line)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
