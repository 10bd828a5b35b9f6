"""When a mined lesson holds: its failure as it is printed, or the program that failed.

Of tool output only the failure kind is quoted.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.bodies import body_code
from hardwon.failures.call_keys import blamed_command
from hardwon.failures.file_refusals import REASONS
from hardwon.failures.kind import printed_text
from hardwon.failures.reading import INLINE
from hardwon.failures.shell import parse
from hardwon.failures.timeouts import TIMED_OUT
from hardwon.text.clean import clip, one_line
from hardwon.text.quoting import quotable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.values.step import Step

_QUOTE = 160  # characters of a failure kind
# An environment variable; one with a value is a hint (`run with RUST_BACKTRACE=1`)
_VARIABLE = r"\b[A-Z][A-Z\d]{1,20}(?:_[A-Z\d]{1,20}){1,4}\b(?!=)"
_TEST = r"(?:AssertionError|Failed|test failed) in (\S.*)"  # a kind that only its test names


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
    if quote := quotable(printed_text(text, line)):
        speaker = f"`{step.tool}` says" if quote.startswith(prefix) else "you see"
        words, inline, _ = quote.removeprefix(prefix).partition(INLINE)
        return f"When {speaker} “{clip(words, _QUOTE)}”{inline}"
    if code := body_code(step.output):
        return f"When {program(step)} fails with `{code}`"
    names = [] if step.args.startswith("{") else re.findall(_VARIABLE, line)
    over = f" over `{names[0]}`" if names else ""
    return f"When {program(step)} fails{over}"


def program(step: Step) -> str:
    """The tool, or the blamed program of a command line, in backticks."""
    commands = () if step.args.startswith("{") else parse(step.args)
    command = blamed_command(commands, step.failure.line if step.failure else "")
    return f"`{clip(one_line(command.does if command else step.tool), 60)}`"
