"""The error line: the line of an output that an engineer would read first."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from hardwon.knowledge.reading.bodies import body_message
from hardwon.knowledge.reading.reports import is_outer

if TYPE_CHECKING:
    from collections.abc import Sequence


_HEAD, _TAIL = 4_096, 16_384
_SHORT = 3  # an output of at most this many lines is taken literally

# Linear: every repetition is possessive (`++`, `*+`) or bounded.
ANSI = (
    r"\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)?"
    r"|\x1b[()][0-9A-B]|\x1b[@-Z\\-_=>]"
)
_STREAM = r"(?m)^(?:std(?:out|err)|Std(?:out|err)|STD(?:OUT|ERR)|Output): (?=\S)"  # by a harness
_WRAPPED = r"\s*+<(?:tool_use_)?error>([^\n<]{1,400})"  # how coding agents mark a refusal
_FRAMES = "│╷╵┃"  # how programs draw a box around an error
_CLASS = re.compile(  # an exception: `ValueError: x`, `pkg.NotFound`
    r"(?:\S{1,200}:\d{1,7}: |[A-Z][a-z]+(?: [a-z]+)?:? )?"
    r"(?:[\w$]{1,80}+[.:\\/]{1,2}){0,8}(?:[A-Za-z_]\w{0,80}?)?"
    r"(?:Error|Exception|Warning|Interrupt|Exit|Timeout|Failure|Failed|NotFound|DoesNotExist)\b"
    r"(?: \[\w{1,60}\])?(?P<message>: \S)?"
    r"|(?:[a-z_]\w{0,80}\.){1,8}[A-Z]\w{2,80}(?P<told>: \S)"
)
_LABEL = re.compile(  # what speaks, and that it is an error: `prog: a.c:3: error E12: x`
    r"(?:[^\s:][^:\n]{0,120}: ?(?:\d{1,7}: ?){0,2}){0,3}[\[(!*]{0,2}"
    r"(?i:fatal error|fatal|error|panic|exception|critical|err!)\b[^:\n]{0,40}?[:\]]\)? *\S"
)
_COMPLAINT = re.compile(
    r"(?i)\b(?:cannot|can't|could ?n[o']t|not|no such|unable to|denied|fail(?:ed|s|ure)?|refused"
    r"|reject(?:ed|s)|unknown|invalid|illegal|missing|must|unexpected|unrecognized|unauthori[sz]ed"
    r"|forbidden|timed out|exceeded|undefined|required?|requires|expected|killed|fault|already"
    r"|out of|without|neither|never|nothing|mismatch|conflict|errors?|panick?(?:ed)?)\b|: \*{3} "
)
_SIGNS = (  # one of them stands in every line that has the form of an error, but for `a.B: told`
    *(
        "error",
        "fail",
        "not",
        "exception",
        "cannot",
        "can't",
        "could",
        "no such",
        "unable",
        "denied",
    ),
    *("refused", "reject", "unknown", "invalid", "illegal", "missing", "must", "unexpected"),
    *("unrecognized", "unauthori", "forbidden", "timed out", "exceeded", "undefined", "require"),
    *(
        "expected",
        "killed",
        "fault",
        "already",
        "out of",
        "without",
        "neither",
        "never",
        "mismatch",
    ),
    *("conflict", "panic", ": *** ", "warning", "deprecat", "fatal", "critical", "err!", "timeout"),
    *("interrupt", "exit", "doesnotexist"),
)
_TOLD = re.compile(r"\.[A-Z]\w{2,80}: ")
_TALLY = 2  # numbers of a line that only counts
_RAISED, _LABELLED = 9, 7  # ranks of lines: an exception or a marked one, a labelled one
_SPEAKER = re.compile(r"[\w./<>-]{2,60}:(?:\d{1,7}:){0,2} ?\S")
_PLACED = re.compile(r"(?:[\w.-]{1,40}: )?(?!\d+:)[\w./\\-]{1,200}:\d{1,7}:(?:\d{1,7}:)? ?\S")
_SPOKEN = re.compile(r"[a-z][\w.-]{1,40}: (?:[^\s:]{1,200} )?[a-z]+ [a-z]+\b")  # `a: no link to b`
_COUNTED = re.compile(  # the words of a complaint that only say what is counted
    r"\d+ (?:of \d+ )?(?:[a-z]+ )?[a-z]+\b|(?i:\b(?:fatal|errors?|fail(?:ed|s|ures?)?)\b)"
)
_COUNTS = re.compile(  # what is counted, or the verdict on a part and its time
    r"(?:.{0,80}: |\w+ )?\d+ (?:\w+ ){0,2}errors?\b|[A-Z]+\s+\S+\s+[\d.]+s$"
)
_ADVICE = re.compile(
    r"\s*(?:Run|Try|Please|See|Use|To|You|For (?:more|details|further)|hint:|note:|help:|usage:)\s",
    re.I,
)
_LEVEL = re.compile(  # before each line: `[ERROR] what`, `prog error what`
    r"(?:[a-z]{2,12} )?(?:\[(?i:error)\]|(?i:error|err!)) +(?=[^\s:])"
)
_LINK = re.compile(r"\W{0,4}(?:\w{1,20}(?: \d+)?\W{1,3})?(?:https?://\S+)?")
_WARNING = re.compile(r"(?i)\W{0,3}(?:\S{1,80} ){0,2}(?:warning|deprecat\w+)\b")
_MARKED = re.compile(r"^[A-Z] {2,}(?=[^\s+?-])")  # how a test runner marks an exception


def error_line(output: str) -> str:
    """The line that best says what went wrong, else the last line; "" for an empty output."""
    return informative_line(output) or next((x.strip() for x in reversed(_lines(output))), "")


def informative_line(output: str) -> str:
    """The line that says what went wrong; "" if the output only says that something did."""
    is_long = len(output) > _HEAD + _TAIL  # too long to keep
    return _informative.__wrapped__(output) if is_long else _informative(output)


@lru_cache(maxsize=128)  # a failing step is read by several rules, and again as an earlier one
def _informative(output: str) -> str:
    if wrapped := re.match(_WRAPPED, output):
        return wrapped[1].strip()
    if (message := body_message(output)) and not is_outer(message):
        return message if "\n" not in message else _best_line(_lines(message))
    line = _best_line(_lines(output))
    inner = body_message(line) if line.startswith("{") else ""
    return line if is_outer(inner) else inner or line


def _best_line(lines: Sequence[str]) -> str:
    """The line that has most of the form of an error; of several the last one."""
    marked = [_MARKED.match(line) is not None for line in lines]
    # Of a marked block the first line is the message; below it stand the values
    heads = [is_marked and not (at and marked[at - 1]) for at, is_marked in enumerate(marked)]
    ranks = {
        at: rank
        for at, line in enumerate(lines)
        if (rank := max(_rank(line), _RAISED * heads[at]))
        if heads[at] or not marked[at] or rank >= _RAISED
    }
    best = max(ranks.values(), default=0)
    places = [at for at, rank in ranks.items() if rank == best]
    return _whole(lines, places[-1]) if places else _plain_line(lines)


def _plain_line(lines: Sequence[str]) -> str:
    """Of lines without the form of an error, the one that a program says, or the first of few."""
    said = [at for at, line in enumerate(lines) if not is_outer(line) and not _is_tally(line)]
    if len(lines) > _SHORT:
        spoken = [at for at in said if _SPOKEN.match(lines[at])]
        is_clear = len(spoken) == 1 or spoken[-1:] == [len(lines) - 1]
        return _whole(lines, spoken[-1]) if is_clear else ""
    worded = [at for at in said if len(re.findall(r"[^\W\d_]{2,}", lines[at])) > 1]
    coded = [at for at in said if re.match(r"\s*[A-Z]{1,6}-?\d{3}", lines[at])]  # a terse code
    return _whole(lines, (worded or coded)[0]) if worded or coded else ""


def _whole(lines: Sequence[str], at: int) -> str:
    """A line with the next one if that holds its message, or with its short heading."""
    line = _MARKED.sub("", lines[at]).strip().lstrip("-*>^ ")
    above, below = (lines[n].strip() if 0 <= n < len(lines) else "" for n in (at - 1, at + 1))
    if line.endswith(":") and below:
        is_row = re.match(r"\d{1,3}[).] ", below)  # a numbered list is no message
        return line if is_row else f"{line} {below}"
    is_below = lines[at][:1] in " \t" and at > 0 and lines[at - 1][:1] not in " \t"
    return f"{above}: {line}" if is_below and re.fullmatch(r"[\w.]{2,60}", above) else line


def _rank(line: str) -> int:
    """How much a line looks like an error; 0 if it says nothing."""
    text = _MARKED.sub("", line)
    bare, is_indented = text.strip(), text[:1] in " \t"
    lower = bare.lower()
    has_sign = any(map(lower.__contains__, _SIGNS)) or _TOLD.search(bare) is not None
    if not has_sign and not _PLACED.match(bare):
        return 0  # as most lines
    if re.match(r"([=*_!-])\1", bare) or is_outer(bare):
        return 0
    return _rank_by_form(bare, is_indented=is_indented) if has_sign else 2 - is_indented


def _rank_by_form(bare: str, *, is_indented: bool) -> int:
    """The rank of a line that has a sign of an error."""
    raised = _CLASS.match(bare)
    has_message = raised is not None and bool(raised["message"] or raised["told"])
    if raised and (has_message or raised.end() == len(bare.rstrip(":"))):
        is_warning = "Warning" in raised[0]
        if is_warning and "/" in raised[0]:
            return 0  # it went on
        return _RAISED - 3 * is_indented - 2 * is_warning - (not has_message)
    if _WARNING.match(bare):
        return 0
    if _is_tally(bare) and not _COMPLAINT.search(_COUNTED.sub("", bare)):
        return (2 - is_indented) * bool(_PLACED.match(bare))
    level = _LEVEL.match(bare)
    said = bare[level.end() :] if level else bare
    if level and (_ADVICE.match(said) or _LINK.fullmatch(said)):
        return 1
    if _LABEL.match(bare):
        return _LABELLED - 3 * is_indented
    if not _COMPLAINT.search(said):
        return int(level is not None) or (2 - is_indented) * bool(_PLACED.match(bare))
    if _ADVICE.match(bare):
        return 1
    return 3 + 2 * bool(_SPEAKER.match(bare)) - is_indented


def _is_tally(line: str) -> bool:
    """Whether a line counts what passed and failed: `3 passed; 1 failed; 0 ignored`."""
    plain = line.strip("=-* ")
    numbers = re.findall(r"(?:(?<=[\s=])|^)\(?\d+(?:\.\d+)?s?(?![\w.:/-])", plain)
    words = len(plain.split()) - len(numbers)
    is_dense = len(numbers) >= _TALLY and _TALLY * len(numbers) >= words
    return bool(_COUNTS.match(plain)) or (is_dense and not re.search(r"[\"`<]", plain))


def _lines(output: str) -> list[str]:
    if len(output) > _HEAD + _TAIL:
        output = f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    plain = re.sub(ANSI, "", output) if "\x1b" in output else output
    lines = [
        line.rstrip().lstrip(f"{_FRAMES} ") if line[:1] in _FRAMES else line.rstrip()
        for line in re.sub(_STREAM, "", plain).splitlines()
        if line.strip(" \t\0^~-=_*#+|│╷╵┃")
    ]
    return without_harness_lines(lines)


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
