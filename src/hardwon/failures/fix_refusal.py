"""The fix for a tool that refused to read or edit a file."""

from __future__ import annotations

from hardwon.failures.authored import fields, is_shell, path_in, tail, writings
from hardwon.failures.file_refusals import (
    ABSENT,
    EXISTS,
    LONG,
    MISSING,
    RELATIVE,
    SEVERAL,
    STALE,
    UNFIT,
    UNREAD,
    refusal,
    text_key,
)
from hardwon.failures.fix_argument import argument_fix
from hardwon.failures.fix_case import commands_of, is_reader, word_set
from hardwon.failures.fix_edit import looks_at
from hardwon.failures.fix_prior_call import called_first
from hardwon.failures.fix_tool import shown_file
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.failures.fix_case import Case
    from hardwon.values.step import Step


def is_refused(step: Step) -> bool:
    """Whether a step is a refusal to read or edit a file."""
    return bool(refusal(step.tool, step.args, step.output))


def refusal_fix(case: Case) -> Fix | None:
    """What the run did so that the tool accepted the edit or found the file."""
    failed = case.failed
    find = _WAYS.get(refusal(failed.tool, failed.args, failed.output))
    return find(case) if find and not case.last.failed else None


def _exact_text(case: Case) -> Fix | None:
    """The fix to copy the text to replace, or the context of a patch, from the file."""
    tool = case.last.tool
    old, new = _old_texts(case.failed), _old_texts(case.last)
    if not _is_same_file(case) or not new or new == old:
        return None
    is_patch = not text_key(case.failed)
    passage = "the context of the patch" if is_patch else f"`{text_key(case.failed)}`"
    if look := _look(case):
        text = f"Look at the lines first (`{look}`) and copy {passage} from there, spaces included."
        return Fix("argument", text, f"argument {tool} text as it is")
    if is_patch or len("".join(new)) >= len("".join(old)):
        return None
    text = f"Give fewer lines as {passage}: each must be in the file exactly as it is."
    return Fix("argument", text, f"argument {tool} fewer lines")


def _unique_text(case: Case) -> Fix | None:
    """The fix to give a longer, unique text, or a flag to replace all matches."""
    old, new = "".join(_old_texts(case.failed)), "".join(_old_texts(case.last))
    if not old or not _is_same_file(case) or case.failed.tool != case.last.tool:
        return None
    if old == new:
        return argument_fix(case)
    if old.strip() not in new:
        return None
    key = text_key(case.failed)
    text = f"Make `{key}` unique: add the lines before or after it."
    return Fix("argument", text, f"argument {case.last.tool} {key} unique")


def _read_first(case: Case) -> Fix | None:
    """The fix to read the file first, with the tool that did so between two tries."""
    looks = [step.tool for step in case.between if not step.failed and shown_file(step)]
    if not looks or case.failed.tool != case.last.tool or not _is_same_file(case):
        return None
    return called_first(looks[-1], f"`{case.last.tool}`")


def _changed_instead(case: Case) -> Fix | None:
    """The fix to change an existing file, with another tool or another `command` of it."""
    last, action = case.last, fields(case.last.args).get("command")
    if not _is_same_file(case) or not _old_texts(last):
        return None
    if last.tool != case.failed.tool:
        text = f"Use `{last.tool}` to change a file that is there."
        return Fix("tool", text, f"tool {last.tool}", last.tool, f"`{case.failed.tool}`")
    text = f"Give `command` as `{action}` to change a file that is there."
    return Fix("argument", text, f"argument {last.tool} command {action}") if action else None


def _looked_up(case: Case) -> Fix | None:
    """The fix to look up the path first, with the call that listed it."""
    guessed, path = (path_in(fields(step.args)) for step in (case.failed, case.last))
    if case.failed.tool != case.last.tool or path in ("", guessed):
        return None
    lists = [step for step in case.between if not step.failed and _lists(step, path)]
    if not lists:
        return None
    lookup = _program(lists[-1]) if is_shell(lists[-1]) else lists[-1].tool
    with_what = f" (`{lookup}`)" if not is_shell(lists[-1]) or lookup in _FINDERS else ""
    text = f"Look the path up first{with_what}; do not guess it."
    return Fix("preparation", text, f"preparation tool {lists[-1].tool}")


_FINDERS = word_set("ls find fd rg grep tree git")
_WAYS: dict[str, Callable[[Case], Fix | None]] = {
    ABSENT: _exact_text,
    UNFIT: _exact_text,
    SEVERAL: _unique_text,
    UNREAD: _read_first,
    STALE: _read_first,
    EXISTS: _changed_instead,
    MISSING: _looked_up,
    RELATIVE: argument_fix,
    LONG: argument_fix,
}


def _is_same_file(case: Case) -> bool:
    first, second = (
        {tail(writing.path) for writing in writings(step.tool, step.args)}
        for step in (case.failed, case.last)
    )
    return bool(first & second)


def _old_texts(step: Step) -> list[str]:
    """The texts that a call wants to replace."""
    return [writing.old for writing in writings(step.tool, step.args) if writing.old]


def _look(case: Case) -> str:
    """The name of the call that showed the file between two tries; "" if there was none."""
    names = {tail(writing.path) for writing in writings(case.failed.tool, case.failed.args)}
    for step in reversed([step for step in case.between if not step.failed]):
        if tail(shown_file(step)) in names:
            return step.tool if step.tool != case.failed.tool else _command_of(step)
        if is_shell(step) and any(looks_at(step, name) for name in names):
            return _program(step)
    return ""


def _command_of(step: Step) -> str:
    return str(fields(step.args).get("command") or step.tool)


def _program(step: Step) -> str:
    """The first reading program of a command line; else the tool."""
    return next((part.name for part in commands_of(step) if is_reader(part)), step.tool)


def _lists(step: Step, path: str) -> bool:
    """Whether a step lists the last name of a path, rather than showing a file."""
    is_look = is_shell(step) or not shown_file(step)
    return is_look and tail(path) in step.output and path not in step.args
