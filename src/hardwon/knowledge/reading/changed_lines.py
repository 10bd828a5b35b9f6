"""The lines that made code work: two versions of what a call runs, compared."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import Fix
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
_PASSED = r"[(,]\s*([a-z_]\w*)=(?!=)"
_KEYWORD = r"\b([A-Za-z_]\w{2,})\s*=(?!=)"
_OWN_CODE = r"(?m)^\s*(?:(?:async )?(?:def|function|func|fn) |class \w+\()"
_DEFINED = r"(?m)^\s*(?:async\s+)?(?:def|class|function|func|fn|type|struct)\s+(\w+)"
_BUILT_IN = """
print str int len list dict set tuple open range type repr isinstance getattr setattr super sorted
format join append main run if for while with return def class and or not in zip map filter exec
eval any all bool float next iter function func async await exists remove unlink mkdir
"""
_USUAL = """
error errors exception warning fatal failed failure cannot could not found file files such directory
module modules named name names the for and with from has have was were are this that line open read
command unable can does doesn exist exists invalid unknown missing import value values type object
main true false none null exit code status you your must use using
"""
_PLAIN, _STOP = frozenset(_BUILT_IN.split()), frozenset(_USUAL.split())
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
    chosen = _choose(old, new, line=line, failing=failing)
    names = _key_names(chosen, old, new, line=line)
    names = [name for name in names if not is_coined(name, steps)][:4]
    code = _as_text(chosen)
    if not names or len(code) > _LIMIT or re.search(_OWN_CODE, code) or re.search(_PERSONAL, code):
        return None
    text = f"In the {'script' if new.name else 'code'}, with your own names:\n{code}"
    return Fix(LINES, text, f"{LINES} {' '.join(names)}", "", _removed_calls(chosen, old, new))


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


def _choose(old: Code, new: Code, *, line: str, failing: str) -> dict[int, str]:
    """The added lines that are about the error, by line number; of few added lines all."""
    lines, known = new.text.splitlines(), {each.strip() for each in old.text.splitlines()}
    at = next((k for k, each in enumerate(lines) if failing and each.strip() == failing), -1)
    end = _statement_end(lines, at) if at >= 0 else len(lines)  # what follows has not run
    added = [
        k
        for k, each in enumerate(lines[: end + 1])
        if each.strip() and each.strip() not in known and not re.match(_NOISE, each)
    ]
    names = _names_in(re.sub(r"^(?:[a-z_]\w*\.)+(?=[A-Z])", "", line))
    words = set(re.findall(r"\w+", old.text)) | _PLAIN
    code = [k for k in added if not re.match(_IMPORT, lines[k])]
    about = {
        k
        for k in code
        if _is_related(_names_in(lines[k]), names) or (at < 0 and _replaces(lines[k], failing))
    }
    fresh = {k for k in code if _brings(lines[k], words)}
    picked = [k for block in _groups(code, apart=2) for k in _telling(block, about, fresh)]
    if not picked and at >= 0 and len(fresh) <= _FEW and not missing_name(line):
        picked = sorted(fresh)
    chosen: dict[int, str] = {}
    for k in picked:
        start, stop = _head(lines, k, known), _statement_end(lines, k)
        whole = {n: lines[n] for n in (start, *range(k, stop + 1)) if lines[n].strip()}
        if len(chosen | whole) <= _SHOWN:
            chosen |= whole
    chosen = _whole_groups(_outside_calls(chosen, lines))
    used = set(re.findall(r"\w+", " ".join(chosen.values())))
    imports = (k for k in added if re.match(_IMPORT, lines[k]))
    needed = (k for k in imports if used & {*re.findall(r"\w+", lines[k].split("import")[-1])})
    return {k: lines[k] for k in needed} | chosen


def _telling(block: list[int], about: set[int], fresh: set[int]) -> list[int]:
    """The lines of a block to show: of a short one all, if one of them is about the error."""
    if about.isdisjoint(block):
        return []
    both = [k for k in block if k in about & fresh]
    return block if len(block) <= _SHORT else both or [k for k in block if k in about]


def _brings(line: str, known: set[str]) -> bool:
    """Whether a line has a function or keyword that the old code does not mention."""
    return any(
        word not in known
        for pair in re.findall(rf"{_CALL}|{_PASSED}", line)
        for word in pair
        if word
    )


def _outside_calls(chosen: dict[int, str], lines: list[str]) -> dict[int, str]:
    """The lines without those inside a call that is not shown, unless no line remains."""
    depth, inside = 0, set[int]()
    for at, line in enumerate(lines):
        if depth > 0 and at - 1 not in chosen:
            inside.add(at)
        depth += _open_brackets(line)
    return {at: line for at, line in chosen.items() if at not in inside} or chosen


def _whole_groups(chosen: dict[int, str]) -> dict[int, str]:
    """The lines without groups that close what they do not open, or leave it open."""
    whole: dict[int, str] = {}
    for group in _groups(chosen, apart=1):
        depths = list(accumulate(_open_brackets(chosen[at]) for at in group))
        if min(depths) >= 0 and depths[-1] == 0:
            whole |= {at: chosen[at] for at in group}
    return whole


def _groups(places: Iterable[int], *, apart: int) -> list[list[int]]:
    """Line numbers in groups that are at most so far apart."""
    groups: list[list[int]] = []
    for at in sorted(places):
        if not groups or at - groups[-1][-1] > apart:
            groups.append([])
        groups[-1].append(at)
    return groups


def _statement_end(lines: list[str], at: int) -> int:
    """The last line of the statement at a line: until its brackets are closed."""
    depth, end = _open_brackets(lines[at]), at
    while depth > 0 and end + 1 < len(lines) and end - at < _SHOWN:
        end += 1
        depth += _open_brackets(lines[end])
    if lines[end].rstrip().endswith((":", "{")) and end + 1 < len(lines):
        end += 1
    return end


def _head(lines: list[str], at: int, known: set[str]) -> int:
    """The line that opens the added block around a line; the line itself if none does."""
    margin = len(lines[at]) - len(lines[at].lstrip())
    for k in range(at - 1, -1, -1):
        width = len(lines[k]) - len(lines[k].lstrip())
        if lines[k].strip() and width < margin:
            is_added = lines[k].strip() not in known or re.match(r"\s+class ", lines[k])
            is_opening = lines[k].rstrip().endswith(":") and not re.match(_NOISE, lines[k])
            return k if is_added and is_opening else at
    return at


def _open_brackets(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    plain = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|#.*", "", line)
    return sum(plain.count(c) for c in "([{") - sum(plain.count(c) for c in ")]}")


def _names_in(text: str) -> set[str]:
    """The specific words of a text in lower case; compound names are split into parts."""
    words = re.findall(r"[A-Za-z][A-Za-z0-9]{2,}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))
    return {word.lower() for word in words} - _STOP


def _is_related(ours: set[str], theirs: set[str]) -> bool:
    return any(
        one == two or (min(len(one), len(two)) > 3 and (one in two or two in one))
        for one in ours
        for two in theirs
    )


def _replaces(line: str, failing: str) -> bool:
    """Whether a line has most words of the failing one, which is gone."""
    words = set(re.findall(r"\w{3,}", failing))
    return len(words & set(re.findall(r"\w{3,}", line))) * 2 > len(words)


def _key_names(chosen: dict[int, str], old: Code, new: Code, *, line: str) -> list[str]:
    """The names that the lines bring: new functions, else keywords."""
    text = "\n".join(each for each in chosen.values() if not re.match(_IMPORT, each))
    own = set(re.findall(_DEFINED, f"{new.text}\n{old.text}")) | _PLAIN
    before = set(re.findall(r"\w+", old.text))
    calls, keywords = set(re.findall(_CALL, text)) - own, set(re.findall(_KEYWORD, text)) - own
    told = {word for word in keywords if word in line}
    candidates = (calls - before, told | (keywords - before))
    return sorted(next(filter(None, candidates), set()))


def _as_text(chosen: dict[int, str]) -> str:
    """The lines as text, each group without its common indentation."""
    groups = [[chosen[at] for at in group] for group in _groups(chosen, apart=2)]
    margins = [min(len(each) - len(each.lstrip()) for each in group) for group in groups]
    return "\n".join(
        each[margin:].rstrip()
        for group, margin in zip(groups, margins, strict=True)
        for each in group
    )


def _removed_calls(chosen: dict[int, str], old: Code, new: Code) -> str:
    """The calls of the old code that most resemble the shown lines and are gone, in words."""
    now = {each.strip() for each in new.text.splitlines()}
    gone = [
        each.strip()
        for each in old.text.splitlines()
        if each.strip() not in now
        and "(" in each
        and not (re.match(_NOISE, each) or re.match(_IMPORT, each))
        if any(_replaces(shown, each) for shown in chosen.values())
    ]
    plain = [each for each in gone if len(each) <= 120 and "`" not in each]
    return "; ".join(f"`{each}`" for each in plain[:2] if not re.search(_PERSONAL, each))
