"""The fix that changes the call: other flags, variables, directory, program or target."""

from __future__ import annotations

import posixpath

from hardwon._cold import re
from hardwon.failures.authored import is_coined, tail, writings
from hardwon.failures.commit_marks import SCOPED, SMALL, TYPED, mark_form
from hardwon.failures.fix_case import (
    Case,
    commands_of,
    has_run_tests,
    is_inside,
    is_own_check,
    is_personal,
    is_red,
    silenced,
    typed,
    word_set,
)
from hardwon.failures.fix_flags import flag_changes, is_about_output
from hardwon.failures.fix_pair import (
    CallChange,
    Pair,
    is_absent,
    marked,
    message_mark,
    pair_of,
    query_of,
    renamed,
    sets_what_lacks,
    swapped,
)
from hardwon.failures.fix_special_calls import (
    another_port,
    quoted_mark,
    removed_already,
    split_code,
)
from hardwon.failures.kind import kind_text
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.shell import Command

# The errors that each sort of change can explain, even if files were written in between.
_EXPLAINS = {
    "env": r"(?i:codec|encod|locale|no module|not (?:found|set|configured|defined)|must be set"
    r"|environment|credential|denied|connect|refused|auth|token|certificate|proxy"
    r"|shared librar|already in use|EADDRINUSE|EDITOR|compatible with)",
    "start": r"(?i:no module|not found|not recognized|no such file|requires|version|unsupported"
    r"|denied|file extension|exec format|missing script|no rule to make)",
    "folder": r"(?i:no such file|not found|no module|cannot find|can't (?:find|open)|not a git"
    r"|\broot\b|\b(?:folder|directory)\b|could not find)",
    "flags": r"(?i:unrecognized|unknown|usage|option|argument|flag|requires|specify|use -)",
    "target": r"",
    "mark": r"",
    "ticket": r"",
}
_NO_PROGRAM = r"not found\Z|command not found|is not recognized as|: Permission denied\Z"
_SEARCHED = (
    r"^PATH$|^(?:RBENV|PYENV|NVM|JAVA|CARGO|GO|CONDA|ANDROID|NODE)_?(?:\w+_)?(?:HOME|ROOT|DIR)?$"
)
_OWN_CODE = (
    r"(?:\w{1,60}\.){0,8}"
    r"(?:SyntaxError|IndentationError|NameError|AttributeError|TypeError|KeyError)\b"
)
_TIMERS = r"(?:timeout|time|nice|nohup|stdbuf)\b"
_LISTERS = word_set("ls find tree rg grep fd git")
_SHOWN = 160


def call_fix(case: Case) -> Fix | None:
    """How the last call differs from the failed one, if that explains why it worked."""
    if fix := removed_already(case):
        return fix
    pair = pair_of(case)
    if pair is None or _is_idle_test(case, pair):
        return None
    if fix := split_code(case, pair) or another_port(case, pair) or quoted_mark(case, pair):
        return fix
    changes = _changes(case, pair)
    if not changes:
        return None
    return _fix(case, pair, changes)


def _fix(case: Case, pair: Pair, changes: list[CallChange]) -> Fix | None:
    text = " ".join(change.words for change in changes)
    if is_personal(text):
        return None
    call = _call_of(pair)
    is_told = _tells_variables(pair, changes) and _tells_flags(pair, text)
    is_shown = is_told and _is_shown(case, pair) and not is_personal(call)
    example = f" For example: `{call}`" if is_shown and call not in text else ""
    sort = "tool" if _is_replaced(pair) else "call"
    key = f"{sort} {'; '.join(change.key for change in changes)}"
    mistake = f"`{pair.old.call}`" if pair.old.call != pair.new.call else ""
    return Fix(sort, text + example, key, call if is_shown else "", mistake)


def _call_of(pair: Pair) -> str:
    """The new call as an example; its folder is part of it only where that has changed."""
    return typed(pair.new) if _is_moved(pair) else silenced(pair.new.text)


def _is_replaced(pair: Pair) -> bool:
    """Whether the new call uses another program."""
    return tail(pair.old.program) != tail(pair.new.program) and pair.old.does != pair.new.does


def _is_shown(case: Case, pair: Pair) -> bool:
    """Whether the call can be shown unchanged to an agent with another task."""
    if not _is_one_short_line(pair.new) or pair.new.writes:
        return False
    changed = (rule(case, *pair) for rule in (marked, message_mark))
    if any(renamed(case, *pair)) or any(changed):
        return False  # the query, or the text beside the mark, belongs to the run
    if any(f" -o {tail(pair.new.program)}" in step.args for step in case.steps):
        return False  # a program that the run has built
    return not any(
        is_coined(word, case.steps) or _is_of_this_run(word, case) for word in pair.new.operands
    )


def _tells_variables(pair: Pair, changes: list[CallChange]) -> bool:
    """Whether the changes mention every variable that the new call sets."""
    is_told = any(change.key.startswith("env ") for change in changes)
    return is_told or set(pair.new.env) <= set(pair.old.env)


def _tells_flags(pair: Pair, text: str) -> bool:
    """Whether the text mentions each new flag of the same program."""
    return _is_replaced(pair) or all(
        flag in pair.old.flags or flag in text or is_about_output(flag, pair.new.does)
        for flag in pair.new.flags
    )


def _is_one_short_line(call: Command) -> bool:
    """Whether a call as typed is one short line without anything personal."""
    raw = silenced(call.text)
    if len(raw) > _SHOWN or "\n" in raw or "`" in raw or call.script or is_personal(raw):
        return False
    return all(setting in raw for setting in call.env)


def _is_of_this_run(word: str, case: Case) -> bool:
    """Whether the word is a name in the error that belongs to this run."""
    name = tail(word)
    return name in case.line and name not in kind_text(case.line)


def _changes(case: Case, pair: Pair) -> list[CallChange]:
    changes = [
        *_env_changes(case, pair),
        *_start_changes(case, pair),
        *_folder_changes(case, pair),
        *flag_changes(case, pair),
        *_target_changes(case, pair),
    ]
    causes = [change for change in changes if _is_cause(change, case, pair)]
    in_error = [change for change in causes if _is_named(change, case, pair)]
    return (in_error or [change for change in causes if _explains(change, case)] or causes)[:3]


def _is_named(change: CallChange, case: Case, pair: Pair) -> bool:
    """Whether the change sets a variable that the error names, whole or by a word of it."""
    sort, _, names = change.key.partition(" ")
    if sort != "env":
        return False
    is_whole = any(re.search(rf"\b{name}\b", case.line) for name in names.split())
    return is_whole or bool(sets_what_lacks(case, pair.old, pair.new))


def _is_cause(change: CallChange, case: Case, pair: Pair) -> bool:
    """Whether a change can explain the success: the error speaks of it, or nothing else changed."""
    if re.match(r"(?:E +)?AssertionError\b", case.line) or _is_unrelated(change, case, pair):
        return False
    if _explains(change, case) or _is_named(change, case, pair):
        return True
    # An agent may name the folder it is in, unless it starts the same file from another one.
    is_folder = change.key.startswith("folder") and not _is_moved(pair)
    is_own = _is_own(case) and not _is_set_alone(change, case)
    return not (is_folder or is_own or _is_edited(case) or _is_other_text(pair))


def _is_own(case: Case) -> bool:
    """Whether the failure is one of the code that was run, not of how it was run."""
    return is_own_check(case) or is_red(case.failed) or bool(re.match(_OWN_CODE, case.line))


def _is_set_alone(change: CallChange, case: Case) -> bool:
    """Whether red tests got a variable; with no edit, nothing else can have mended them."""
    return change.key.startswith("env ") and is_red(case.failed)


def _is_other_code(pair: Pair) -> bool:
    """Whether one interpreter was given other code; how it was started then explains nothing."""
    return pair.old.name == pair.new.name and bool(pair.old.script) and _is_other_text(pair)


def _is_other_text(pair: Pair) -> bool:
    """Whether the calls were given different texts, such as a query or code."""
    old, new = query_of(pair.old).strip(), query_of(pair.new).strip()
    return bool(old and new) and old != new


def _explains(change: CallChange, case: Case) -> bool:
    """Whether the error is one that this sort of change can explain."""
    return bool(re.search(_EXPLAINS[change.key.split(" ", 1)[0]], case.line))


def _is_unrelated(change: CallChange, case: Case, pair: Pair) -> bool:
    """Whether a program is missing, and the change does not say where to find one."""
    sort, _, names = change.key.partition(" ")
    if sort not in {"env", "folder"} or not re.search(_NO_PROGRAM, case.line):
        return False
    if sort == "folder":  # only a path is looked up from a folder
        return "/" not in pair.old.program
    return not any(re.search(_SEARCHED, name) for name in names.split())


def _env_changes(case: Case, pair: Pair) -> list[CallChange]:
    added = [setting for setting in pair.new.env if setting not in pair.old.env]
    if not added:
        return []
    names = sorted({setting.split("=", 1)[0] for setting in added})
    shown = " ".join(dict.fromkeys(added))
    is_named = any(name in case.line for name in names)
    if len(shown) > _SHOWN or (is_personal(shown) and is_named):  # the names alone say enough
        shown = "` and `".join(names)
    return [CallChange(f"Set `{shown}` for the call.", f"env {' '.join(names)}")]


def _start_changes(case: Case, pair: Pair) -> list[CallChange]:
    old, new = pair.old.call, pair.new.call
    if _is_moved(pair) or _untimed(pair.old) == _untimed(pair.new) or _is_other_code(pair):
        return []
    is_gone = is_absent(case, pair.old) and pair.old.name != pair.new.name
    missing = f"`{pair.old.name}` is not there. " if is_gone else ""
    plain = plain_start(new)
    start = plain if plain != plain_start(old) else new  # `python3` in the place of `python`
    return [CallChange(f"{missing}Use `{new}` instead of `{old}`.", f"start {start}")]


def _is_moved(pair: Pair) -> bool:
    """Whether a file is started from another folder: `t/run.sh`, then `cd t && ./run.sh`."""
    old, new = (posixpath.join(part.cwd, part.program) for part in pair)
    is_same = "/" in pair.old.program and posixpath.normpath(old) == posixpath.normpath(new)
    return is_same and is_inside(pair.new.cwd) and pair.old.cwd != pair.new.cwd


def _untimed(part: Command) -> str:
    """How a program is started, without `./` and a time limit."""
    starts = [start for start in part.via if not re.match(_TIMERS, start)]
    program = part.program.removeprefix("./") if "/" in part.program[2:] else part.program
    return " ".join((*starts, program, part.verb))


def plain_start(start: str) -> str:
    """How a program is started, without its version and directory."""
    words = [
        re.sub(r"(?<=^python)[\d.]+$|(?<=^pip)[\d.]+$|^\./", "", word) for word in start.split()
    ]
    return " ".join(word if not word.startswith("/") else tail(word) for word in words)


def _folder_changes(case: Case, pair: Pair) -> list[CallChange]:
    old, new = pair.old.cwd, pair.new.cwd
    if old == new or not new:
        return []
    if is_coined(new, case.steps):
        return [CallChange("Run it in the folder of its files.", "folder")]
    return [CallChange(f"Run it in `{tail(new)}` (`cd` there first).", f"folder {tail(new)}")]


def _target_changes(case: Case, pair: Pair) -> list[CallChange]:
    wrong, name = renamed(case, pair.old, pair.new)
    if name:
        return [CallChange(f"Write `{name}`, not `{wrong}`.", f"target {name}")]
    words = swapped(case, pair.old, pair.new)
    if mark := marked(case, pair.old, pair.new):
        advice = "Begin the text in the form that the error names."
        return [CallChange(advice, f"mark {mark_form(mark)}")]
    if mark := message_mark(case, pair.old, pair.new):
        return [_marking(mark)]
    if words is None:
        return []
    old_name, new_name = words
    listing = _listing(case, new_name)
    if listing:
        advice = f"Look up the name first (`{listing}`): it is `{new_name}`, not `{old_name}`."
        return [CallChange(advice, f"target {pair.new.does} listed")]
    return [CallChange(f"Name `{new_name}`, not `{old_name}`.", f"target {tail(new_name)}")]


def _marking(mark: str) -> CallChange:
    """The change that gives a commit message an area, small letters, or the number of a ticket."""
    form = mark_form(mark)
    advice = {
        TYPED: f"Begin the message with its area and a colon, such as `{mark}`.",
        SCOPED: "Begin the message with a type and a scope, as `type(scope): text`.",
        SMALL: "Begin the text of the message with a small letter.",
    }.get(form)
    if advice:
        return CallChange(advice, f"mark {form}")
    return CallChange(f"Name a ticket in the message, as `{form}`.", f"ticket {form}")


def _is_idle_test(case: Case, pair: Pair) -> bool:
    """Whether a test file was only loaded: no test ran, though the call looks successful."""
    old, new = pair
    is_test = new.name == "python" and any(tail(file).startswith("test_") for file in new.operands)
    is_other = (old.name, old.operands) != (new.name, new.operands)
    return is_test and is_other and not has_run_tests(case.last)


def _listing(case: Case, name: str) -> str:
    """The call in between that listed the right name; "" if there was none."""
    file_name = tail(name.split("::", 1)[0])
    for step in case.between:
        parts = commands_of(step)
        if not step.failed and file_name in step.output and parts and parts[0].program in _LISTERS:
            raw = parts[0].text
            return raw if len(raw) <= _SHOWN and "\n" not in raw and "`" not in raw else ""
    return ""


def _is_edited(case: Case) -> bool:
    """Whether the run wrote a file in between, so that more changed than the call."""
    return any(writings(step.tool, step.args) for step in case.between)
