"""The fix for a source file that the run's own edit broke."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import is_shell, tail, writings
from hardwon.failures.fix_case import Case, blamed, commands_of, is_gone, is_reader, word_set
from hardwon.failures.fix_tool import shown_file
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.values.step import Step

_BROKEN = r"(?:E +)?(?:IndentationError|TabError|SyntaxError)\b"
_INDENT = r"(?i:indent|TabError)"
_PLACE = r"File \"([^\"\n]{1,300})\", line \d+"
_NESTED = r"\bf(\"|')[^\n]{0,200}\{[^}\n]{0,200}\1"
_SHOWN = 400  # characters at the end of an output; they hold the line with the syntax error
_QUOTES = (
    "If the line is an f-string: before Python 3.12 the quotes inside its braces must differ from "
    "those around it. Use the other quotes, or pass the value as an argument of its own: "
    "`print('x', value)`."
)
_UNSEEN = "it was edited unseen"
_PRINTERS = word_set("sed nl cat head tail awk bat less")
_TEXT = (
    "If you have just edited the file, the edit left it with a wrong indentation. Print the lines "
    "around the place (`nl -ba FILE`, `sed -n '80,95p' FILE`), match the indentation of the "
    "neighbours, and edit again."
)


def edit_fix(case: Case) -> Fix | None:
    """How the run repaired a source file that its own edit had broken."""
    if not re.match(_BROKEN, case.line) or not is_gone(case) or not is_same_call(case):
        return None
    name = tail(next(reversed(re.findall(_PLACE, case.failed.output)), ""))
    if not name or not _is_mended(case, name):
        return None
    if re.search(_INDENT, case.line):
        is_seen = any(looks_at(step, name) for step in case.between)
        return Fix("lines", _TEXT, "lines indentation of an edit", "", _UNSEEN) if is_seen else None
    if re.search(_NESTED, case.failed.output[-_SHOWN:]):
        return Fix("lines", _QUOTES, "lines quotes within an f-string", "", "the same quotes twice")
    return None


def _is_mended(case: Case, name: str) -> bool:
    """Whether the run edited the file before the failure and again afterwards."""
    before = case.steps[: case.at]
    return all(any(_edits(step, name) for step in part) for part in (before, case.between))


def is_same_call(case: Case) -> bool:
    """Whether the last step repeats the call that failed."""
    at = blamed(case.failed, case.line)
    parts = commands_of(case.failed)
    return at >= 0 and any(part.text == parts[at].text for part in commands_of(case.last))


def _edits(step: Step, name: str) -> bool:
    """Whether a step changes a file of this name in place."""
    if name not in step.args or step.failed:
        return False
    return any(
        tail(writing.path) == name and not writing.text
        for writing in writings(step.tool, step.args)
    )


def looks_at(step: Step, name: str = "") -> bool:
    """Whether a step prints the file `name`, or any file if that is empty."""
    if not is_shell(step):
        return bool(shown_file(step)) and name in step.args
    parts = [part for part in commands_of(step) if is_reader(part) and part.name in _PRINTERS]
    return any(tail(word) == name or not name for part in parts for word in part.operands)
