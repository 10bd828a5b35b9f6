"""The lines that made code work: two versions of what a call runs, compared."""

from __future__ import annotations

import re
from itertools import accumulate
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import Fix
from hardwon.knowledge.evidence.advice import GENERAL
from hardwon.knowledge.reading.authored import edits_source, is_coined, is_shell, tail, text_of
from hardwon.knowledge.reading.error_line import informative_line
from hardwon.knowledge.reading.reading import missing_name
from hardwon.knowledge.reading.shell import parse
from hardwon.knowledge.reading.signature import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.run import Step

LINES = "lines"  # the sort of a fix that shows lines of code
_SHOWN, _LIMIT = 8, 460  # lines and characters of one fix
_LATE = 12  # after this many steps a script is another experiment
_SHORT = 5  # lines of a block that is shown whole
_FEW = 4  # so few lines are shown although none is about the error
_INLINE, _COPY = (
    0.3,
    0.6,
)  # shares of lines that versions of inline code and of files have in common
_SAYING = 12  # shorter error lines may stand in any output
_SLIP = (  # typing mistakes and failed checks of the script itself
    r"(?:E +)?(?:[\w.]+\.)?(?:NameError|IndentationError|TabError|UnboundLocalError|SyntaxError"
    r"|ReferenceError|Assertion\w*Error|Failed:|\w*DoesNotExist|\w*NotFound\b)|assert\b"
)
_NOISE = (  # lines that say nothing about a failure: comments, output, checks, lone brackets
    r"\s*(?:#|//|/\*|--|\*|\w{0,20}print\w*\b|console\.|echo |puts |log\w*\.|\"\"\"|'''|pass$"
    r"|else:?$|try:$|except\b[^:]*:$|[\])}]+[,;]?$|return$|(?:sys\.)?exit\b|assert\b|raise\b"
    r"|if __name__)"
)
_IMPORT = r"\s*(?:from\s+\S+\s+import\b|import\b|use\s|using\s|#include|const .* = require\()"
_CALL = r"(?<!\w)([A-Za-z_]\w*+)\s*+\("
_KEYWORD = r"\b([A-Za-z_]\w{2,})\s*=(?!=)"
_OWN_CODE = r"(?m)^\s*(?:(?:async )?(?:def|function|func|fn) |class \w+\()"
_DEFINED = r"(?m)^\s*(?:async\s+)?(?:def|class|function|func|fn|type|struct)\s+(\w+)"
_BUILT_IN = """
print str int len list dict set tuple open range type repr isinstance getattr setattr super sorted
format join append main run if for while with return def class and or not in zip map filter exec
eval any all bool float next iter function func async await exists remove unlink mkdir
"""
_PLAIN = frozenset(_BUILT_IN.split())
_PERSONAL = (
    r"[\w.+-]@[\w-]{1,200}\.\w|/home/\w|/Users/\w|/tmp/\w|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-"
    r"|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b|#\w*\d{4,}|[A-Za-z]_\d{4,}\b|\b\d{6,}\b"
    r"|\b(?:19|20)\d\d-\d\d-\d\d\b"
)


class Code(NamedTuple):
    """The code that a call runs; `name` is its file, "" for code in the call."""

    text: str
    name: str = ""


def lines_fix(steps: Sequence[Step], at: int) -> Fix | None:
    """The lines whose change got the last step past the failing step `at`."""
    line, between = line_of(steps[at]), steps[at + 1 : -1]
    if not line or len(between) > _LATE or re.match(_SLIP, line) or _shows(line, steps[-1]):
        return None
    old, new = code_run(steps[: at + 1]), code_run(steps)
    if not _is_next(old, new) or line in old.text:
        return None
    if _was_passed(line, new, between) or any(edits_source(step, steps) for step in between):
        return None  # an earlier version worked, or the code below the script was changed as well
    failing = _failing_line(steps[at], old)
    old = old._replace(text=_code_reached(old.text, failing))  # moved lines count as new
    code = _choose(old, new, line=line, failing=failing)
    names = [name for name in _key_names(code, old, new) if not is_coined(name, steps)][:4]
    if not names or len(code) > _LIMIT or re.search(_OWN_CODE, code) or re.search(_PERSONAL, code):
        return None
    text = f"In the {'script' if new.name else 'code'}, with your own names:\n{code}"
    return Fix(LINES, text, f"{LINES} {' '.join(names)}")


def has_lines(fix: Fix, code: str) -> bool:
    """Whether code holds the names that lines of a fix brought."""
    return all(name in code for name in fix.key.split()[1:])


def line_of(step: Step) -> str:
    """The error line of a step; "" if its output does not say what went wrong."""
    return step.failure.line if step.failure else informative_line(step.output)[:300]


def code_run(steps: Sequence[Step]) -> Code:
    """The code that the last step runs: in the call, or in a file that the run wrote."""
    step = steps[-1]
    if not is_shell(step):
        return Code("" if step.args.startswith("{") else step.args)
    for command in reversed(parse(step.args)):
        if command.writes or command.name in {"cat", "tee", "rm", "sed"}:
            continue
        if command.script:
            return Code(command.script)
        for word in (command.program, *command.operands):
            if "." in tail(word) and (text := text_of(tail(word), steps)):
                return Code(text, tail(word))
    return Code("")


def _shows(line: str, last: Step) -> bool:
    """Whether the last step still shows the failure."""
    is_same = last.failed and fold(line_of(last)) == fold(line)
    return is_same or (len(line) > _SAYING and line in last.output)


def _is_next(old: Code, new: Code) -> bool:
    """Whether one code is a version of the other, and not the same."""
    if not old.text or not new.text or old.text.strip() == new.text.strip():
        return False
    if old.name and old.name == new.name:
        return True
    ours, theirs = ({*filter(None, map(str.strip, c.text.splitlines()))} for c in (old, new))
    shared = len(ours & theirs) / max(1, min(len(ours), len(theirs)))
    return shared >= (_COPY if old.name or new.name else _INLINE)


def _was_passed(line: str, new: Code, between: Sequence[Step]) -> bool:
    """Whether the script ran in between without this failure."""
    runs = (step for step in between if new.name and new.name in step.args and is_shell(step))
    return any(
        fold(line_of(step)) != fold(line)
        for step in runs
        if any(not part.writes and new.name in part.text for part in parse(step.args))
    )


def _failing_line(step: Step, code: Code) -> str:
    """The line of the code that the output points at last; "" if it points at none."""
    name = re.escape(code.name) if code.name else r"<st\w+>"
    places = re.findall(rf"{name}\"?(?:, line |:)(\d{{1,6}})", step.output)
    lines = code.text.splitlines()
    at = int(places[-1]) - 1 if places else -1
    return lines[at].strip() if 0 <= at < len(lines) else ""


def _code_reached(text: str, failing: str) -> str:
    """The code up to the failing line, and what it defines."""
    lines = text.splitlines()
    at = next((k for k, line in enumerate(lines) if failing and line.strip() == failing), -1)
    end = _statement_end(lines, at) + 1 if at >= 0 else len(lines)
    return "\n".join(lines[:end])


def _choose(old: Code, new: Code, *, line: str, failing: str) -> str:
    """The added statements that are about the error, with their imports; of few all."""
    lines, known = new.text.splitlines(), {each.strip() for each in old.text.splitlines()}
    at = next((k for k, each in enumerate(lines) if failing and each.strip() == failing), -1)
    end = _statement_end(lines, at) if at >= 0 else len(lines)  # what follows has not run
    added = [
        k
        for k, each in enumerate(lines[: end + 1])
        if each.strip() and each.strip() not in known and not re.match(_NOISE, each)
    ]
    depths = [0, *accumulate(map(_open_brackets, lines))]  # a part of a call is shown with it
    code = [k for k in added if not (re.match(_IMPORT, lines[k]) or depths[k] > 0)]
    names = _names_in(re.sub(r"^(?:[a-z_]\w*\.)+(?=[A-Z])", "", line))
    about = {k for k in code if _is_related(_names_in(lines[k]), names)}
    picked = list[int]()
    for block in _blocks(code):
        telling = [k for k in block if k in about]
        picked += block if telling and len(block) <= _SHORT else telling
    if not picked and at >= 0 and not missing_name(line):
        calls = [k for k in code if re.search(_CALL, lines[k])]
        picked = calls if len(calls) <= _FEW else []
    chosen = set[int]()
    for k in picked:
        whole = {n for n in range(k, _statement_end(lines, k) + 1) if lines[n].strip()}
        chosen |= whole if len(chosen | whole) <= _SHOWN else set()
    used = {word for k in chosen for word in re.findall(r"\w+", lines[k])}
    imports = (k for k in added if re.match(_IMPORT, lines[k]))
    needed = (k for k in imports if used & {*re.findall(r"\w+", lines[k].split("import")[-1])})
    shown = [
        [lines[k].rstrip() for k in block] for block in (list(needed), *_blocks(sorted(chosen)))
    ]
    return "\n".join(dedent("\n".join(block)) for block in shown if block)


def _blocks(places: Iterable[int]) -> list[list[int]]:
    """Line numbers in blocks, with at most one other line between two."""
    blocks: list[list[int]] = []
    for at in places:
        if not blocks or at - blocks[-1][-1] > 2:
            blocks.append([])
        blocks[-1].append(at)
    return blocks


def _statement_end(lines: list[str], at: int) -> int:
    """The last line of the statement at a line: until its brackets are closed."""
    depth, end = _open_brackets(lines[at]), at
    while depth > 0 and end + 1 < len(lines) and end - at < _SHOWN:
        end += 1
        depth += _open_brackets(lines[end])
    is_head = lines[end].rstrip().endswith((":", "{")) and end + 1 < len(lines)
    return end + is_head


def _open_brackets(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    plain = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|#.*", "", line)
    return sum(plain.count(c) for c in "([{") - sum(plain.count(c) for c in ")]}")


def _names_in(text: str) -> set[str]:
    """The specific words of a text in lower case; compound names are split into parts."""
    words = re.findall(r"[A-Za-z][A-Za-z0-9]{2,}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))
    return {word.lower() for word in words} - GENERAL


def _is_related(ours: set[str], theirs: set[str]) -> bool:
    return any(
        one == two or (min(len(one), len(two)) > 3 and (one in two or two in one))
        for one in ours
        for two in theirs
    )


def _key_names(code: str, old: Code, new: Code) -> list[str]:
    """The names that the lines bring: new functions, else keywords."""
    text = "\n".join(each for each in code.splitlines() if not re.match(_IMPORT, each))
    own = set(re.findall(_DEFINED, f"{new.text}\n{old.text}")) | _PLAIN
    own |= set(re.findall(r"\w+", old.text))
    return sorted(set(re.findall(_CALL, text)) - own or set(re.findall(_KEYWORD, text)) - own)
