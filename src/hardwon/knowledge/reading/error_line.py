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
_VALIDATION = (
    r"\b\d{1,4} validation errors? for [^\n]{1,200}\n *+([\w.]{1,100})\n +([^\n\[]{1,200})"
)


def error_line(output: str) -> str:
    """The line that best says what went wrong, else the last line; "" for an empty output."""
    return informative_line(output) or next((x.strip() for x in reversed(_lines(output))), "")


def informative_line(output: str) -> str:
    """The line that says what went wrong; "" if the output only says that something did."""
    return _informative(_ends(output))


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
    if " validation error" in text and (field := re.search(_VALIDATION, text)):
        yield f"{field[1]}: {field[2].strip()}"
    if "\nCaused by: " in text:  # the innermost cause is the last
        yield text.rpartition("\nCaused by: ")[2].split("\n", 1)[0]
    yield from _marked_lines(text)
    yield _summary_line(lines)
    yield "no tests ran" if re.search(r"\bno tests ran in [\d.]+s", "".join(lines[-1:])) else ""
    yield from _telling_lines(lines)
    yield _spoken_line(lines)
    if len(lines) <= _SHORT:
        yield from (line.strip() for line in lines if len(re.findall(r"[^\W\d_]{2,}", line)) > 1)
        yield from (line.strip() for line in lines if re.match(_CODED, line))


def _ends(output: str) -> str:
    is_long = len(output) > _HEAD + _TAIL
    return f"{output[:_HEAD]}\n{output[-_TAIL:]}" if is_long else output


def _lines(output: str) -> list[str]:
    output = _ends(output)
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
    return raised or _with_class("".join(block[:1]), lines[end : end + 2])


def _with_class(head: str, below: list[str]) -> str:
    """The first line of a block with its class, which pytest prints below: `a.py:3: KeyError`."""
    place = next(filter(None, (re.fullmatch(r"\S+:\d+: (\w+)", line) for line in below)), None)
    if not place or head.startswith(("assert ", place[1])):
        return head
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
            above, below = lines[at - 1][margin:], lines[at + 1 : at + 2]
            if line.endswith(":"):
                return " ".join([line, *(more.strip() for more in below)])
            is_bare = re.fullmatch(r"[\w.]+", line) and above.startswith("    ")
            return f"{line}: {above.strip()}" if is_bare else line
    return ""


_MARKS = (
    r"! \[(?:remote )?rejected\] |CONFLICT \(",
    r"npm (?:ERR!|error) (?!code |errno |syscall |path |A complete|\s)",
    r"(?:panic: |thread '.{0,80}'(?: \(\d{1,12}\))? panicked at |--- FAIL: |E: |\[ERROR\] )",
    r"(?:[^\s:][^:\n]{0,120}+(?::[\w./-]{1,80}+){0,2}(?: -|:) "
    r"|[^\s(]{1,200}+\(\d{1,9},\d{1,9}\): )?(?:[A-Z]{3,10} )?"
    r"(?i:(?:fatal |parse )?error|fatal|critical)"
    r"(?:\[\w{1,10}\]| [A-Z]{1,5}\d{1,6}| \d{1,5}[^:\n]{0,40}| (?:response|from)\b[^:\n]{0,60})?: ",
    rf"(?:Uncaught |Unhandled |Exception in thread .{{1,80}}? )?"
    rf"(?![^\s:]{{0,200}}Warning\b){_EXCEPTION}(?: \[\w{{1,60}}\])?(?:: \S|$)",
    r"[\w./\\-]{1,200}+:\d{1,9}:(?:\d{1,9}: \S|in [`'])",
    r"make(?:\[\d{1,3}\])?: \*\*\* ",
    r"expect\([^\n]{0,80}\)\.",
    r"Expected: \S",
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
    is_row = re.match(r"(?:\d{1,3}[).]|[>*-]) ", below)  # a list is no message
    return f"{line} {below}" if line.endswith(":") and below and not is_row else line


_TELLING = (
    r"command not found|No such file or directory|Permission denied|(?:Is|Not) a directory"
    r"|not recognized as|No module named|[Cc]annot |[Cc]an't |[Cc]ould ?n[o']t |[Uu]nable to "
    r"|[Uu]nknown |[Ii]nvalid |[Uu]nrecognized |[Nn]ot found|[Dd]enied|[Rr]efused|[Tt]imed out"
    r"|[Uu]nexpected |syntax error|[Mm]issing |does not exist|Segmentation fault|Killed"
    r"|[Oo]ut of memory|No space left|HTTP/\S{1,3} [45]\d\d"
    r"|[Uu]nauthori[sz]ed|[Ff]orbidden|no such |[Nn]o matching |undefined |: needs merge$"
)


_ALSO_TELLING = (  # about the environment; ordinary reports may use these words too
    r"\bnot (?:set|configured|installed|running|available)\b|\bmust (?:not )?(?:be|have)\b"
    r"| requires |\balready (?:in use|allocated)|[Dd]on't know how|nothing (?:added )?to commit"
)
_BULLET = r"\A\s*+[>*-] "
_ADVICE = r"\s*(?:Run|Try|Please|See|Use|To|You|hint:|note:|help:)\s"


def _telling_lines(lines: list[str]) -> Iterator[str]:
    """Lines that say in plain words that something failed: the last first, advice at the end."""
    for pattern in (_TELLING, _ALSO_TELLING):
        telling = [line for line in reversed(lines) if re.search(pattern, line)]
        advice = [line for line in telling if re.match(_ADVICE, line)]
        for line in (*(line for line in telling if line not in advice), *advice):
            yield re.sub(_BULLET, "", line).strip()


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
