"""Whether a call has failed, judged by its output, when the caller does not say.

Precision comes first: an error that a call only displays (in a file, a log) is no failure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.knowledge.evidence.calls import READERS
from hardwon.knowledge.reading.bodies import (
    enclosed_status,
    is_failed_body,
    is_failed_json,
    is_failed_xml,
    is_refusal,
)
from hardwon.knowledge.reading.error_line import traceback_line, without_harness_lines
from hardwon.knowledge.reading.reports import ends_red
from hardwon.knowledge.reading.shell import (
    INTERPRETERS,
    SHELL,
    deciding_commands,
    parse,
    program_name,
    unquote,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon.core.values.run import Step
    from hardwon.knowledge.reading.shell import Command


_HEAD = 600
_MARK = "ERR:"  # how tools of the published loop detector begin a failure

# The exit status as shells and harnesses print it
_STATUS = (
    r"(?im)^\W{0,3}(?:(?:<\w{1,20}>)?<(?:returncode|exit_?code)>\s{0,3}|(?:the )?"
    r"(?:command|process|program|script|shell|task|execution)?\W{0,2}"
    r"(?:(?:has )?(?:exited|finished|completed|failed|returned|terminated)(?: with)?(?: a)?"
    r"(?: non-?zero)? ?)?(?:exit ?(?:code|status)|return ?code|code|status)[ :=]{1,3})"
    r"(-?\d{1,5})(?:\s{0,3}</(?:returncode|exit_?code)>|\W{0,3}(?:$|\n))"
)
_TESTER = r"(?i:(?:\b|_)(?:py)?tests?(?:\b|_))|[a-z]Tests?(?![a-z])"
_FAILS_WITHIN = r"\b(?:failed|error|exception): \S|\b(?:failed|error) with (?:code|status)\b"
_SHORT = 300
_ANSWER = 3  # lines of an output that may be nothing but a refusal
# Markdown of a server: a heading for the error, or the error as the result
_HEADED = r"#{2,4} (?:(?:Error|Failure)[ \t]*+\n|(?:Result|Output)[ \t]*+\n\w{0,40}Error: )"
# How tools, programs and simulated worlds refuse an action
_CANNOT = (
    r"(?:Sorry, )?[Yy]ou (?:can(?:no|')t|can not|can only|must|need to|have to|are not allowed)\b"
    r"|Nothing happens\b|I (?:don't|do not) understand\b|Unknown (?:action|command|tool|object)\b"
    r"|(?:Action|Move|Command) (?:is )?(?:not |in|il|un)\w+"
    r"|No \w{1,40} (?:was|were) (?:performed|made|applied)\b"
)


def has_failed(tool: str, output: object, args: str = "", before: Sequence[Step] = ()) -> bool:
    """Whether a call has failed.

    `args` is the call as text, for a shell the command as typed; `before` are the earlier steps
    of the run. Both make the verdict more exact: output that a script prints on purpose is fine.
    """
    if isinstance(output, BaseException):
        return True
    if isinstance(output, dict | list):
        return is_failed_body(output)
    text = output if isinstance(output, str) else str(output or "")
    if not text.strip():
        return False
    if text.startswith(_MARK):
        return True
    is_shell = args or re.search(r"(?i:bash|shell|terminal|console|command|exec|\bsh\b)", tool)
    if args.startswith("{") or not is_shell:
        return _has_tool_failed(tool, text)
    if has_timed_out(text):
        return True
    status = _status(text)
    return status != 0 if status is not None else has_command_failed(text, args, before)


def _status(text: str) -> int | None:
    """The exit status printed at the beginning or the end of the text; None without one."""
    if text.startswith("{"):
        return enclosed_status(text)
    for part in (text[:_HEAD], text[-_HEAD:]):
        if match := re.search(_STATUS, part):
            return int(match[1])
    return None


def _has_tool_failed(tool: str, text: str) -> bool:
    """Whether a tool with named arguments has failed."""
    bare = text.strip()
    if re.search(_TESTER, tool) and ends_red(bare):
        return True
    if bare[0] in "{[":
        return is_failed_json(bare)
    if is_refusal(bare) or is_failed_xml(bare) or re.match(_HEADED, bare):
        return True
    is_short = bare.count("\n") < _ANSWER and len(bare) <= _SHORT
    first, _, more = bare.partition("\n")
    return is_short and bool(
        re.search(_FAILS_WITHIN, first) or (not more and re.match(_CANNOT, first))
    )


_TAIL = 12_000
_VIEWERS = READERS | {"egrep", "strings", ":"}  # they print what is there, or nothing
_SHOWING = frozenset(
    ["diff", "log", "show", "status", "blame", "grep", "ls-files", "logs", "cat-file", "describe"]
)
_COMPLAINT = (
    r"(?:cannot|can't|[Cc]ould not|[Cc]ouldn't|unable to|timed out|refused|requires|No such"
    r"|not found|[Pp]ermission denied"
    r"|Is a directory|Not a directory|invalid|unrecognized|illegal|unknown|missing|unterminated"
    r"|expected|[Ff]ailed|not empty|File exists|syntax error|error|fatal|No match|Unmatched"
    r"|ambiguous|too many|extra|bad|unexpected|No module named|not recognized)"
)
_QUOTED = r"['\"`\u2018][\w./~-]{2,}['\"\u2019]"
_SHELL_SAYS = (
    rf"(?m)^(?:/(?:usr/)?bin/)?{SHELL}: (?:-c: )?(?:line \d+: |\d+: )[^\n]{{1,200}}"
    r"(?:not found|No such file or directory|syntax error|Permission denied|unexpected)[^\n]{0,80}"
    rf"(?:\n{SHELL}: [^\n]*)?\Z"
)
_USAGE = r"(?m)^([\w./-]{1,80}+)(?: [\w./-]{1,80}+){0,3}: error: [^\n]+\Z"
_SAYS = (
    r"(?m)^(?:fatal|error|Error|ERROR|panic|FATAL): [^\n]+"
    r"|^thread '[^\n]{0,80}'(?: \(\d+\))? panicked at "
    r"|^[\w./\\-]{1,200}:\d+:(?:\d+:)? (?:fatal )?error: |^error(?:\[E\d+\])?: "
    r"|^[\w.-]{1,40}: (?:error|fatal): |^\W{0,3}Error: |\A[\w.]{0,80}(?:Error|Exception): "
    r"|^Error(?: \w{1,20}){1,3}[^\n:]{0,200} ?: \S"
    r"|^[\w/-][\w./-]{0,200}?\.\w{1,4}:\d+:\d+: (?!warning|note)\S"
)
_GREEN = (
    r"(?m)^(?:OK|test result: ok|PASS|BUILD SUCCESS\w*)\b"
    r"|^=+ (?![^\n]*\b(?:failed|errors?)\b)[^\n]*\b\d+ passed\b"
)
_HANDLED = (
    r"(?i)\b(?:caught|crashed|reproduced|as expected|expected (?:error|exception)|success"
    r"|pass(?:ed)?)\b"
    r"|(?m:^[^\n]{0,60}\b(?:error|failed|exception|failure)(?: \w+){0,4}: \S)"
)
_FRAME = r'  File "[^"\n]+", line \d+, in (\S+)\n([^\n]*)'
_TRACEBACK = "Traceback (most recent call last):"
_PRINTS = r"print_exc\(|format_exc\(|traceback\.print|console\.error\("
_SYNTAX = (
    r"(?m)^ *File \"[^\n]+\", line \d+\n(?:[^\n]*\n){1,3}"
    r"(?:\w*SyntaxError|IndentationError|TabError): "
)


def has_command_failed(text: str, args: str, before: Sequence[Step]) -> bool:
    """Whether the commands that decide the exit status of the whole line have failed."""
    head, tail = (
        text[:_HEAD],
        "\n".join(without_harness_lines(text[-_TAIL:].rstrip().split("\n"))).rstrip(),
    )
    chain = deciding_commands(parse(args))
    if re.search(_SHELL_SAYS, tail):
        return True
    if any(_complains(command, head) or _complains(command, tail) for command in chain):
        return True
    runs = [command for command in chain if not _only_shows(command)]
    if chain and not runs:
        return False
    return _has_run_failed(tail, runs) or _has_raised(tail, lambda: _scripts(runs, args, before))


def _only_shows(command: Command) -> bool:
    """Whether a command only prints existing text, or normally prints nothing."""
    if command.name == "git":
        return command.verb.split(" ", 1)[0] in _SHOWING
    return command.builtin in _VIEWERS or command.verb in _SHOWING


def _complains(command: Command, text: str) -> bool:
    """Whether the text has an error message of this program: `rm: cannot remove 'x'`."""
    if command.name == "git" and text.startswith(("fatal: ", "error: ")):
        return True
    names = {command.name, *(program_name(via.split(" ", 1)[0]) for via in command.via)}
    lines = (line for line in text.splitlines() if ": " in line)
    return any(_is_complaint(line, names, command) for line in lines)


def _is_complaint(line: str, names: set[str], command: Command) -> bool:
    speaker, _, message = line.partition(": ")
    if program_name(speaker) not in names or not re.search(_COMPLAINT, message):
        return False
    if message.startswith("error "):
        return True
    if line.endswith("matches"):
        return False  # grep on a binary file
    targets = [unquote(word) for word in command.targets]
    is_named = any(target in line for target in targets) or command.name in message
    return is_named or "*" in command.text or not re.search(_QUOTED, message)


def _scripts(runs: Sequence[Command], args: str, before: Sequence[Step]) -> str:
    """The commands and the earlier calls that may have written the scripts they run."""
    names = [unquote(word).rsplit("/", 1)[-1] for run in runs for word in run.targets[:1]]
    written = [step.args for step in before if any(name and name in step.args for name in names)]
    return "\n".join((args, *written))


def _has_run_failed(tail: str, runs: Sequence[Command]) -> bool:
    """Whether the output says that a program has failed."""
    if ends_red(tail) or re.search(_SYNTAX, tail) or _is_misused(tail, runs):
        return True
    if _TRACEBACK in tail or all(run.name in INTERPRETERS for run in runs):
        return False  # a script may print whatever it likes
    text = tail.strip()
    is_short = bool(text) and text.count("\n") < _ANSWER
    is_cannot = "\n" not in text and bool(re.match(_CANNOT, text))
    is_error = re.search(_SAYS, tail) or (is_short and (is_refusal(text) or is_cannot))
    return bool(is_error) and not re.search(_GREEN, tail)


def _is_misused(tail: str, runs: Sequence[Command]) -> bool:
    """Whether the output ends with a usage error of one of the programs."""
    usage = re.search(_USAGE, tail)
    if not usage:
        return False
    names = {
        unquote(word).rsplit("/", 1)[-1] for run in runs for word in (run.name, *run.targets[:1])
    }
    return not runs or usage[1].rsplit("/", 1)[-1] in names


def _has_raised(tail: str, scripts: Callable[[], str]) -> bool:
    """Whether the last traceback ended the program, rather than being caught and printed."""
    start = tail.rfind(_TRACEBACK)
    block = tail[start:] if start >= 0 else ""
    line = traceback_line(block.splitlines())
    if not line or _is_caught(block, scripts()):
        return False
    after = block[block.find(line) + len(line) :]
    message = line.partition(": ")[2][:80]
    is_printed_again = len(message) > 4 and message in after
    return not (is_printed_again or re.search(_HANDLED, after) or re.search(_GREEN, after))


def _is_caught(block: str, scripts: str) -> bool:
    """Whether the traceback starts inside a `try` or a function, so that it was caught."""
    first = re.search(_FRAME, block)
    if not first or first[1] != "<module>":
        return not (first and first[1].startswith("<")) and "<frozen" not in block[:200]
    source, lines = first[2].strip(), scripts.splitlines()
    places = [at for at, line in enumerate(lines) if line.strip() == source] if source else []
    if not places:
        return bool(re.search(_PRINTS, scripts))
    line = lines[places[-1]]
    return _is_within_try(lines[: places[-1]], len(line) - len(line.lstrip()))


def _is_within_try(above: list[str], indent: int) -> bool:
    """Whether a line with this indent, below the lines `above`, stands in a `try` block."""
    for line in reversed(above):
        width = len(line) - len(line.lstrip())
        if line.strip() and width < indent:
            if line.strip() == "try:":
                return True
            indent = width
        if not indent:
            break
    return False


TIMED_OUT = ": command timed out"  # how the kind of such a failure ends
_TIMED_OUT = (
    r"(?i)\W{0,3}(?:<error>)?(?:error: )?(?:the )?(?:bash |shell |tool )?"
    r"(?:command|process|execution|script|tool call)?(?: ['\"`][^\n]{1,300}['\"`])? ?"
    r"(?:(?:has |was )?timed out (?:after|because)\b"
    r"|was (?:cancelled|canceled|killed|stopped|terminated) because it (?:took|exceeded|ran)\b"
    r"|exceeded (?:the |its )?(?:time ?out|time limit)\b)"
)


def says_timeout(line: str) -> bool:
    """Whether a line says that a command timed out."""
    return bool(re.match(_TIMED_OUT, line))


def has_timed_out(text: str) -> bool:
    """Whether the first or the last line of an output says that the command timed out."""
    lines = text.strip().splitlines()
    return any(says_timeout(line) for line in (*lines[:1], *lines[-1:]))
