"""The error line: the line of an output that an engineer would read first."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from hardwon.knowledge.reading.bodies import body_message
from hardwon.knowledge.reading.reports import is_outer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_HEAD, _TAIL = 4_096, 16_384
_SHORT = 3  # an output of at most this many lines is taken literally

# Patterns are kept as text: `re` compiles and caches them on first use, so an import stays cheap.
# Linear: every repetition is possessive (`++`, `*+`) or bounded.
ANSI = (
    r"\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)?"
    r"|\x1b[()][0-9A-B]|\x1b[@-Z\\-_=>]"
)
_EXCEPTION = (
    r"(?:[A-Za-z_$][\w$]{0,80}+[.:\\/]{1,2}){0,8}[A-Za-z_]\w{0,80}?"
    r"(?:Error|Exception|Warning|Interrupt|Exit|Timeout|Failure|Failed|NotFound|DoesNotExist)\b"
)
_STREAM = r"(?m)^(?:std(?:out|err)|Std(?:out|err)|STD(?:OUT|ERR)|Output): (?=\S)"  # by a harness
_WRAPPED = r"\s*+<(?:tool_use_)?error>([^\n<]{1,400})"  # how coding agents mark a refusal
_CODED = r"[A-Z]{1,6}-?\d{3,6}[A-Z]?(?::|\s|$)"  # a terse line: an error code and a word
_REFUSED = (  # the field without its place in a list
    r"Validation (?:failed|error) for [^\n]{1,120}\n *+- ([A-Za-z_]\w{0,60})[\w.\[\]]{0,60}: "
    r"([^\n]{1,200})"
)
_VALIDATION = (
    r"\b\d{1,4} validation errors? for [^\n]{1,200}\n *+([\w.]{1,100})\n +([^\n\[]{1,200})"
)


def error_line(output: str) -> str:
    """The line that best says what went wrong, else the last line; "" for an empty output."""
    return informative_line(output) or next((x.strip() for x in reversed(_lines(output))), "")


def informative_line(output: str) -> str:
    """The line that says what went wrong; "" if the output only says that something did."""
    is_long = len(output) > _HEAD + _TAIL  # too long to keep
    return _informative.__wrapped__(output) if is_long else _informative(output)


@lru_cache(maxsize=128)  # a failing step is read by several rules, and again as an earlier one
def _informative(output: str) -> str:
    line = next((line for line in _candidates(output) if line and not is_outer(line)), "")
    message = body_message(line) if line.startswith("{") else ""
    return line if is_outer(message) else message or line


def _candidates(output: str) -> Iterator[str]:
    """Candidates for the error line, the likeliest first."""
    if wrapped := re.match(_WRAPPED, output):
        yield wrapped[1].strip()
    message = body_message(output)
    if message:
        yield from _candidates(message) if "\n" in message else (message,)
    lines = _lines(output)
    text = "\n".join(lines)
    yield _pytest_line(lines) if "\nE   " in f"\n{text}" else ""
    yield traceback_line(lines) if 'File "' in text else ""
    yield _invalid_field(text)
    yield _waited_for(text)
    yield _caused_by(text)
    yield from _marked_lines(text)
    yield _summary_line(lines)
    yield "no tests ran" if re.search(r"\bno tests ran in [\d.]+s", "".join(lines[-1:])) else ""
    yield from _telling_lines(lines)
    yield _spoken_line(lines)
    if len(lines) <= _SHORT:
        yield from (line.strip() for line in lines if len(re.findall(r"[^\W\d_]{2,}", line)) > 1)
        yield from (line.strip() for line in lines if re.match(_CODED, line))


def _lines(output: str) -> list[str]:
    if len(output) > _HEAD + _TAIL:
        output = f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    plain = re.sub(ANSI, "", output) if "\x1b" in output else output
    lines = [
        line.rstrip().lstrip("│╷╵┃ ") if line[:1] in "│╷╵┃" else line.rstrip()
        for line in re.sub(_STREAM, "", plain).splitlines()
        if line.strip(" \t\0^~-=_*#+|│╷╵┃")
    ]
    return without_harness_lines(lines)


def _pytest_line(lines: list[str]) -> str:
    """The exception of the last block of `E   …` lines."""
    block: list[str] = []
    end = 0
    for at, line in enumerate(lines):
        if re.match(r"E   +\S", line):
            if end != at:
                block = []
            block.append(line[1:].strip())
            end = at + 1
    raised = next((line for line in block if re.match(_EXCEPTION, line)), "")
    head = "".join(block[:1])
    # Below the block, pytest prints the class: `a.py:3: KeyError`
    below = (re.fullmatch(r"\S+:\d+: (\w+)", line) for line in lines[end : end + 2])
    place = next(filter(None, below), None)
    if raised or not place or head.startswith(("assert ", place[1])):
        return raised or head
    return place[1] if place[1] == "AssertionError" else f"{place[1]}: {head}"


def _summary_line(lines: list[str]) -> str:
    """The message of `FAILED a.py::test - ValueError: x`; without a message, the test."""
    for line in reversed(lines):
        if summary := re.match(r"(?:FAILED|ERROR) (\S+::\S.*|\S+\.py\b.*)", line):
            name, _, message = summary[1].partition(" - ")
            is_cut = message.endswith("...") and ": " not in message
            return f"FAILED {name}" if is_cut else message.removesuffix("...") or line
    return ""


def traceback_line(lines: list[str]) -> str:
    """The exception below the last `File "…", line 3`; without a message, with its source line."""
    frames = [at for at, line in enumerate(lines) if re.search(r'  File ".*", line \d', line)]
    if not frames:
        return ""
    margin = lines[frames[-1]].index('  File "')
    for at in range(frames[-1] + 1, len(lines)):
        line = lines[at][margin:]
        if line and not line[0].isspace():
            return _explain(line, above=lines[at - 1][margin:], below=lines[at + 1 : at + 2])
    return ""


def _explain(line: str, *, above: str, below: list[str]) -> str:
    if line.endswith(":"):
        return " ".join([line, *(more.strip() for more in below)])
    if re.fullmatch(r"[\w.]+", line) and above.startswith("    "):
        return f"{line}: {above.strip()}"
    return line


def _invalid_field(text: str) -> str:
    """The first field that pydantic or a schema rejects, and why."""
    if listed := re.match(_REFUSED, text):
        return f"{listed[1]}: {listed[2].strip()}"
    match = re.search(_VALIDATION, text) if " validation error" in text else None
    return f"{match[1]}: {match[2].strip()}" if match else ""


_WAITED = (
    r"(?m)^[ \t]*+- {1,8}(?:<[^\n]{0,300}> )?(element is (?:not|outside) [^\n]{1,60}"
    r"|element was detached [^\n]{1,60}|intercepts pointer events|did not find some options)"
)


def _waited_for(text: str) -> str:
    """Why a browser waited until its timeout, from its call log."""
    if "\nCall log:" not in text or not (ended := re.search(r"(?m)^\w*Error: .{1,200}", text)):
        return ""
    reasons: list[str] = re.findall(_WAITED, text)
    return f"{ended[0].rstrip('.')}: {reasons[-1]}" if reasons else ""


def _caused_by(text: str) -> str:
    """The innermost cause, as Java, linkers and Gradle print it."""
    at = text.rfind("\nCaused by: ")
    if at >= 0:
        return text[at + 12 :].split("\n", 1)[0]
    at = text.find(": undefined reference to ")
    if at >= 0:
        return text[at + 2 :].split("\n", 1)[0]
    task = re.search(r"(?m)^fatal: \[[^\]\n]{1,80}\]: \w{1,20}! => (\{[^\n]{1,4000}\})", text)
    if task and (message := body_message(task[1])):
        return message
    gradle = re.search(r"(?m)^\* What went wrong:\n[^\n]*((?:\n[^\n*]{1,400}){1,20})", text)
    causes = re.findall(r"(?m)^ *> ([^\n]{1,300})", gradle[1]) if gradle else []
    return causes[-1] if causes else ""


_MARKS = (
    r"! \[(?:remote )?rejected\] |CONFLICT \(|Failure/Error: ",
    r"npm (?:ERR!|error) (?!code |errno |syscall |path |A complete|\s)",
    r"(?:Exception in thread .{1,80}? |Uncaught |Unhandled |Caused by: )[\w.($]",
    r"(?:panic: |thread '.{0,80}'(?: \(\d{1,12}\))? panicked at "
    r"|--- FAIL: |\* What went wrong:|E: |\[ERROR\] "
    r"|Error response |Error from server |PHP (?:Fatal|Parse) error: )",
    r"(?:psql:[^\s:]{1,120}+:\d{1,9}: |[^\s:][^:\n]{0,120}+(?::\d{1,9}){0,2}(?: -|:) "
    r"|[^\s(]{1,200}+\(\d{1,9},\d{1,9}\): )?"
    r"(?:fatal error|fatal|error|ERROR|Error|FATAL|FATAL ERROR|CRITICAL)"
    r"(?:\[\w{1,10}\]| [A-Z]{1,5}\d{1,6}| \d{1,5}[^:\n]{0,40})?: ",
    rf"(?![^\s:]{{0,200}}Warning\b){_EXCEPTION}(?: \[\w{{1,60}}\])?(?:: \S|$)",
    r"[\w./\\-]{1,200}+:\d{1,9}:(?:\d{1,9}: \S|in [`'])",
    r"\d{1,6}:\d{1,6}\s{1,4}error\s|\^-{0,120}+\^? SC\d{4} \(",
    r"expect\([^\n]{0,80}\)\.",
    r"Expected: \S",
    r"[^\s:][^\n]{0,200}?: Assertion [`'][^\n]{1,200} failed\.",
    r"make(?:\[\d{1,3}\])?: \*\*\* |[^\s:]{1,120}+:\d{1,9}: \*\*\* ",
    r"[^\s#][^\n]{2,200}? at (?=[\w./-]{1,200}\.(?:p[lm]|t) )[\w./-]{1,200}+ line \d",  # Perl dies
)


def _marked_lines(text: str) -> Iterator[str]:
    """Lines that begin the way compilers, package managers and servers begin an error."""
    for mark in _MARKS:
        for match in re.finditer(rf"(?m)^[ \t]*+{mark}", text):
            end = text.find("\n", match.end())
            line = text[match.start() : end if end >= 0 else len(text)].strip()
            if not re.search(r"(?i:\bwarning\b)", line[:80]):
                below = text[end + 1 :].split("\n", 1)[0].strip() if end >= 0 else ""
                yield _complete(line, below)


def _complete(line: str, below: str) -> str:
    """The line, joined with the next one if that holds its message."""
    if is_outer(line):
        return ""
    if below and line.startswith("--- FAIL: "):
        return below
    if below and re.match(r"thread '.*:\d{1,9}:$", line):  # the name and the place of a panic
        return f"panicked: {below}"
    if "[ERR_ASSERTION]: " in line:  # below stand the values that differ
        return line.rstrip(":")
    is_row = re.match(r"\d{1,3}[).] ", below)  # a numbered list is no message
    return f"{line} {below}" if line.endswith(":") and below and not is_row else line


_TELLING = (
    r"command not found|No such file or directory|Permission denied|(?:Is|Not) a directory"
    r"|not recognized as|No module named|[Cc]annot |[Cc]an't |[Cc]ould ?n[o']t |[Uu]nable to "
    r"|[Uu]nknown |[Ii]nvalid |[Uu]nrecognized |[Nn]ot found|[Dd]enied|[Rr]efused|[Tt]imed out"
    r"|[Uu]nexpected |syntax error|[Mm]issing |does not exist|Segmentation fault|Killed"
    r"|[Oo]ut of memory|No space left|HTTP/\S{1,3} [45]\d\d"
    r"|[Uu]nauthori[sz]ed|[Ff]orbidden|no such |: needs merge$"
)


_ALSO_TELLING = (  # about the environment; ordinary reports may use these words too
    r"\bnot (?:set|configured|installed|running|available)\b|must be (?:set|given)|not in GOROOT"
    r"|already in use|already allocated|[Dd]on't know how|nothing (?:added )?to commit| requires "
)
_ADVICE = r"\s*(?:Run|Try|Please|See|Use|To|You|hint:|note:|help:)\s"


def _telling_lines(lines: list[str]) -> Iterator[str]:
    """Lines that say in plain words that something failed: the last first, advice at the end."""
    for pattern in (_TELLING, _ALSO_TELLING):
        telling = [line for line in reversed(lines) if re.search(pattern, line)]
        advice = [line for line in telling if re.match(_ADVICE, line)]
        yield from (line.strip() for line in (*(x for x in telling if x not in advice), *advice))


def _spoken_line(lines: list[str]) -> str:
    """The line that begins with a program's name, if it is the only one or the last line."""
    spoken = [line.strip() for line in lines if re.match(_SPOKEN, line) and not is_outer(line)]
    is_last = bool(spoken) and spoken[-1] == lines[-1].strip()
    return spoken[-1] if is_last or len(spoken) == 1 else ""


_SPOKEN = r"[a-z][a-z\d_.-]{1,40}+: [^\s:]++ \S"  # `check: no link to a.md`


_AROUND = 8  # lines that are checked at each end
_LINE = (
    r"(?:OBSERVATION:|Command executed\.|(?:Command )?Output:|```\w{0,10}|bash-[\d.]{0,6}[$#]"
    r"|(?i:exit|return) ?(?i:code|status):? -?\d{1,5}|Wall time: [\d.]{1,12} seconds"
    r"|Chunk ID: \w{1,40}|Original token count: \d{1,9}|Process exited with code -?\d{1,5}"
    r"|EXECUTION FAILED with exit code -?\d{1,5}|<exited with exit code -?\d{1,5}>"
    r"|\[(?:The command|Command) (?:completed|finished) with exit code -?\d{1,5}\.?\]"
    r"|\[(?:Current working directory|Python [Ii]nterpreter): [^\n]{0,300}\]"
    r"|\((?:Open file|Current directory): [^\n]{0,300}\)"
    r"|(?:Command|Directory): [^\n]{0,300}|(?:Stdout|Stderr): \(empty\)|(?:Error|Signal): \(none\)"
    r"|(?:Signal|Background PIDs|Process Group PGID): [^\n]{0,80})\s*"
)


def without_harness_lines(lines: Sequence[str]) -> list[str]:
    """The lines without those that a harness added at both ends."""
    first, last = 0, len(lines)
    while first < min(last, _AROUND) and re.fullmatch(_LINE, lines[first]):
        first += 1
    while last > max(first, len(lines) - _AROUND) and re.fullmatch(_LINE, lines[last - 1]):
        last -= 1
    return list(lines[first:last])
