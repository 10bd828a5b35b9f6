"""Two versions of a script: the one that failed and the one that works."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import Fix
from hardwon.knowledge.reading.authored import is_shell, tail, text_of, writings
from hardwon.knowledge.reading.fix_case import Case, blamed, commands_of, folded, line_of, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step
    from hardwon.knowledge.reading.shell import Command

_ALIKE = 0.3  # the share of lines that two versions of inline code must have in common
_SCRIPT = r"[\w.-]+\.(?:py|js|ts|mjs|cjs|sh|rb|pl|php|go|sql|r|R|jl|lua|exs?|tsx?|java|kt|rs)"
_WRITERS = word_set("cat tee rm touch mkdir cp mv sed")
_FRAME = r"File \"([^\"\n]{1,300})\", line (\d+)"
MOVED = "moved to a package"
DEFINED = r"(?m)^\s*(?:async\s+)?(?:def|class|function|func|fn|type|struct)\s+(\w+)"


class Scripts(NamedTuple):
    """Two versions of the code that a call runs, and the names of their files."""

    old: str
    new: str
    name: str  # of the file that works; "" for inline code
    old_name: str = ""  # of the file that failed


def scripts_of(case: Case) -> Scripts | None:
    """The code as it failed and as it works; None if the two calls run different code."""
    (old_name, old_code), (new_name, new_code) = (
        _run(case.failed, case.line),
        _run(case.last, ""),
    )
    if old_name != new_name and _program(case.failed) != _program(case.last):
        return None
    if old_code and new_code:
        is_next = _shared(old_code, new_code) >= _ALIKE and old_code.strip() != new_code.strip()
        return Scripts(old_code, new_code, "") if is_next else None
    return _versions(case, old_name, new_name) if old_name and new_name else None


def _versions(case: Case, old_name: str, new_name: str) -> Scripts | None:
    """Two versions of a file that the run wrote; None if they are unrelated or equal."""
    old, new = text_of(old_name, case.steps[: case.at + 1]), text_of(new_name, case.steps)
    if not old or not new or old.strip() == new.strip():
        return None
    versions = Scripts(old, new, new_name, old_name)
    is_next = old_name == new_name or _is_copy(case, old, new)
    return versions if is_next and not _is_later(case, versions) else None


def _program(step: Step) -> str:
    parts = commands_of(step)
    return parts[blamed(step, "")].name if parts else step.tool


def _is_copy(case: Case, old: str, new: str) -> bool:
    """Whether a script of another name is a version of the one that failed."""
    return len(case.between) <= 3 and _shared(old, new) >= 0.6


def code_run(steps: Sequence[Step]) -> str:
    """The code that the last step runs: inline, or a script that the run wrote; else ""."""
    name, code = _run(steps[-1], line_of(steps[-1]))
    return code or (text_of(name, steps) if name else "")


@lru_cache(maxsize=256)
def _run(step: Step, line: str) -> tuple[str, str]:
    """The file name of the script that a call runs, or its inline code; the other is ""."""
    if not is_shell(step):
        is_code = not step.args.startswith("{")
        return ("", step.args) if is_code else ("", "")
    parts = commands_of(step)
    at = blamed(step, line)
    if at < 0:
        return "", ""
    runs = (_run_by(part) for part in (parts[at], *reversed(parts)) if not part.writes)
    return next(filter(any, runs), ("", ""))


def _run_by(part: Command) -> tuple[str, str]:
    """The file name of the script that a command runs, or its inline code; both may be ""."""
    if part.script and part.program not in {"cat", "tee"}:
        return "", part.script
    words = (part.program, *part.operands)
    scripts = [word for word in words if re.fullmatch(_SCRIPT, tail(word))]
    is_run = scripts and part.program not in {"cat", "rm", "sed"}
    return (tail(scripts[0]), "") if is_run else ("", "")


def _shared(old: str, new: str) -> float:
    """The share of the shorter text's lines that the other text also has."""
    first, second = (
        {s for line in text.splitlines() if (s := line.strip())} for text in (old, new)
    )
    return len(first & second) / max(1, min(len(first), len(second)))


def _is_later(case: Case, scripts: Scripts) -> bool:
    """Whether the script ran in between without this failure: then an earlier version fixed it."""
    return bool(scripts.name) and any(
        _run(step, "")[0] == scripts.name and folded(line_of(step)) != folded(case.line)
        for step in case.between
        if scripts.name in step.args and not _only_writes(step)
    )


def _only_writes(step: Step) -> bool:
    return all(part.name in _WRITERS for part in commands_of(step)) or not is_shell(step)


def moved_fix(case: Case, scripts: Scripts) -> Fix | None:
    """The fix to move definitions into a package, for a script that was imported twice."""
    if not _is_reimported(case, scripts):
        return None
    still_there = set(re.findall(DEFINED, scripts.new))
    gone = [name for name in re.findall(DEFINED, scripts.old) if name not in still_there]
    files = [
        writing
        for step in (*case.between, case.last)
        for writing in writings(step.tool, step.args)
        if tail(writing.path) != scripts.name and "/" in writing.path
    ]
    moved = {
        name for name in gone for writing in files if name in re.findall(DEFINED, writing.text)
    }
    if not moved:
        return None
    text = (
        "If the traceback shows the script twice, it is imported a second time while it runs, for "
        "it names itself as a module to load. Move the definitions into a package of their own (a "
        "folder with an `__init__.py`), name that one instead, and import them from there."
    )
    return Fix("lines", text, f"lines {MOVED}", "", "they stood in the script itself")


def _is_reimported(case: Case, scripts: Scripts) -> bool:
    """Whether the traceback shows the top level of the script twice."""
    tops = re.findall(_FRAME + r", in <module>", case.failed.output)
    return sum(tail(path) == scripts.old_name for path, _ in tops) > 1


def failing_line(case: Case, scripts: Scripts) -> str:
    """The line of the script that the error points at; "" if there is none."""
    return next(reversed(lines_run(case, scripts)), "")


def lines_run(case: Case, scripts: Scripts) -> list[str]:
    """The lines of the script in the traceback, the outermost first."""
    lines = scripts.old.splitlines()
    running = frames(case.failed, scripts.old_name)
    return [lines[at].strip() for at in running if at < len(lines)]


def frames(step: Step, name: str) -> list[int]:
    """The line numbers (from 0) of a script in a traceback, the outermost first."""
    places = re.findall(_FRAME, step.output)
    path_start = name or "<st"  # <stdin>, <string>
    return [
        int(line) - 1 for path, line in places if tail(path).startswith(path_start) and int(line)
    ]


def place_of(new: str, failing: str) -> int:
    if not failing:
        return -1
    return next((at for at, line in enumerate(new.splitlines()) if line.strip() == failing), -1)
