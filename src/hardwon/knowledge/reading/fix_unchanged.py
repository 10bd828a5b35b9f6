"""The fix that says: this failure exists without your change too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.values.lesson import TEXT_LIMIT, UNCHANGED, Fix
from hardwon.knowledge.reading.authored import (
    BACKUP,
    edits_source,
    is_coined,
    is_shell,
    part_edits_source,
    text_of,
    writings,
)
from hardwon.knowledge.reading.fix_case import (
    commands_of,
    folded,
    has_run_tests,
    is_plumbing,
    is_reader,
    is_red,
    line_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step
    from hardwon.knowledge.reading.shell import Command

_TEST = (
    r"(?m)^(?:FAILED|ERROR) (\S+)|^--- FAIL: (\S+)|^(?:FAIL|ERROR): (\S+(?: \([\w.]+\))?)"
    r"|^_{3,} (\S+) _{3,}$|^test (\S+) \.\.\. FAILED|^\s+✕ (.{3,80}?)(?: \(\d+ ms\))?$"
)
_COUNTS = r"\b(\d+) (?:failed|errors?|exceptions?|failing)\b"
_LOOKED_BACK = 8  # steps between a revert and the tests
_SUPPORT = frozenset(["git", "cp", "mv", "rm", "sed", "patch"])
_WRITES = (".write", "writeFile", "sed -i", "patch", ", 'w", ', "w', ", 'a", ', "a')
_BRINGING = frozenset(
    ["stash pop", "stash apply", "apply", "am", "cherry-pick", "merge", "pull", "rebase"]
)
_NOT_LOADED = "unittest.loader._FailedTest"  # no test ran: something is not set up
_NO_VARIABLE = r"KeyError: '[A-Z][A-Z\d]*_[A-Z\d_]+'"
_NAMED = 3  # tests that one fix names
_TEXT = (
    "without your change too. Do not hunt for it: run the same call once on the unchanged sources "
    "(`git stash`, the call, `git stash pop`) and look only at what is new."
)


def unchanged_fixes(steps: Sequence[Step]) -> list[tuple[int, Fix]]:
    """The failures that the last step shows again after the run reverted its own change."""
    last = steps[-1]
    if not is_shell(last) or (not _tests_in(last) and not last.failed) or _lacks_variable(last):
        return []
    if _is_untouched(steps):
        return [(len(steps) - 1, fix)] if (fix := _fix(last, last)) else []
    since = _reverted_at(steps)
    if since is None:
        return []
    places = [at for at in range(since - 1, -1, -1) if _is_same(steps[at], last, steps)]
    fix = _fix(steps[places[0]], last) if places else None
    return [(places[0], fix)] if fix else []


def _lacks_variable(step: Step) -> bool:
    """Whether a test did not find a variable: the call is wrong, not the test."""
    return bool(re.search(_NO_VARIABLE, line_of(step)))


def is_green(step: Step) -> bool:
    """Whether tests ran and all of them passed."""
    return not step.failed and has_run_tests(step) and not is_red(step)


def is_repeated(failing: Step, step: Step) -> bool:
    """Whether a step runs the failing tests of an earlier one again, among others or alone."""
    tests = " ".join(_tests_in(failing))
    return any(
        part.does == other.does
        and all(word in part.operands or word in tests for word in other.operands)
        for part in commands_of(failing)
        for other in commands_of(step)
        if not (is_plumbing(part) or is_reader(part))
    )


def _is_untouched(steps: Sequence[Step]) -> bool:
    """Whether tests of the project fail although the run has not changed anything yet."""
    last, before = steps[-1], steps[:-1]
    if not last.failed or not is_red(last) or not _tests_in(last) or _NOT_LOADED in last.output:
        return False
    words = {word for part in commands_of(last) for word in (part.program, *part.operands)}
    files = {word.split("::", 1)[0] for word in words}
    return not any(_touches(step) for step in steps) and not any(
        is_coined(name, before)
        for name in {*files, *(n.split("::", 1)[0] for n in _tests_in(last))}
    )


def _touches(step: Step) -> bool:
    """Whether a step may have changed a file of the project; a new script elsewhere does not."""
    return any(
        writing.old
        or not writing.text
        or "/" in writing.path.removeprefix("./").removeprefix("/tmp/")
        or _writes_files(writing.text)
        for writing in writings(step.tool, step.args)
    )


def _fix(step: Step, last: Step) -> Fix | None:
    """The fix for the tests that fail in both steps; it names them, as others may be the run's."""
    still_failing = set(_tests_in(last))
    own_test = _test_of(step)
    shared = [name for name in _tests_in(step) if name in still_failing]
    shared = sorted(shared, key=lambda name: _bare(name) != own_test)[:_NAMED]
    if not shared or (own_test and _bare(shared[0]) != own_test):
        return None  # the change may be why this test fails
    names = ", ".join(f"`{name}`" for name in shared)
    text = f"{names} {'fails' if len(shared) == 1 else 'fail'} {_TEXT}"
    return (
        Fix(UNCHANGED, text, f"{UNCHANGED} {_short(shared[0])}")
        if len(text) <= TEXT_LIMIT
        else None
    )


def _test_of(step: Step) -> str:
    """The test that a failure is named after; "" if it is named after its message."""
    match = re.search(r"^[\w ]+ in (\S+)$", step.failure.text) if step.failure else None
    return _bare(match[1]) if match else ""


def _bare(test: str) -> str:
    """The name of a test without its file and its parameters."""
    return _short(test).partition("[")[0]


def _short(test: str) -> str:
    """The name of a test without its file."""
    name, bracket, case = test.split(" (")[0].partition("[")
    return re.split(r"::|:|/|\.", name)[-1] + bracket + case


def _tests_in(step: Step) -> list[str]:
    """The names of tests that failed."""
    matches = re.findall(_TEST, step.output[-6000:])
    names = [next((name for name in groups if name), "") for groups in matches]
    names = [name for name in names if name[:1].isalnum() and len(name) < 120]
    short_forms = {
        name.split("::", at)[-1].replace("::", ".")
        for name in names
        if "::" in name
        for at in (1, 2)
    }
    return list(dict.fromkeys(name for name in names if name not in short_forms))


def _is_same(step: Step, last: Step, before: Sequence[Step]) -> bool:
    """Whether an earlier step failed like the last one, with the same program."""
    if not step.failed or not is_shell(step) or not _same_program(step, last):
        return False
    tested = [part for part in commands_of(last) if not _is_support(part)]
    if any(is_coined(word, before) for part in tested for word in part.operands):
        return False
    names, still_failing = set(_tests_in(step)), set(_tests_in(last))
    return bool(names & still_failing) if names and still_failing else _reports_same(step, last)


def _reports_same(step: Step, last: Step) -> bool:
    """Whether two test runs report the same numbers, or the same line."""
    counts = re.findall(_COUNTS, step.output[-1000:])
    if counts and counts == re.findall(_COUNTS, last.output[-1000:]):
        return True
    return is_red(step) and is_red(last) and folded(line_of(step)) == folded(line_of(last))


def _same_program(step: Step, last: Step) -> bool:
    names = {part.does for part in commands_of(last) if not _is_support(part)}
    return any(part.does in names for part in commands_of(step) if not _is_support(part))


def _is_support(part: Command) -> bool:
    return is_plumbing(part) or is_reader(part) or part.name in _SUPPORT


def _reverted_at(steps: Sequence[Step]) -> int | None:
    """The index of the step that reverted the run's change; None if the change is in place."""
    for at in range(len(steps) - 1, max(-1, len(steps) - _LOOKED_BACK), -1):
        is_last = at == len(steps) - 1
        step, before = steps[at], steps[:at]
        parts = _before_tests(step) if is_last else commands_of(step)
        is_reverted = _leaves_reverted(parts, (*before, step))
        if is_reverted is None and edits_source(step, before):
            is_reverted = not is_last and _is_reverse_edit(step, before)
        if is_reverted is not None:
            return at if is_reverted else None
    return None


def _leaves_reverted(parts: Sequence[Command], steps: Sequence[Step]) -> bool | None:
    """Whether the commands leave the change reverted (True) or applied (False); None if neither."""
    for part in reversed(parts):
        if _is_restored(part) or _is_made_anew(part, steps):
            return False
        if _is_revert(part):
            return True
    return None


def _is_made_anew(part: Command, steps: Sequence[Step]) -> bool:
    """Whether a command changes sources, directly or by a script of the run."""
    if _is_revert(part):
        return False
    if part.program == "patch" or part_edits_source(part, steps[:-1]):
        return True
    if part.script and not part.writes:
        return _writes_files(part.script)
    scripts = [] if _is_support(part) else part.operands[:1]
    return any(
        _writes_files(text_of(script, steps)) for script in scripts if is_coined(script, steps)
    )


def _writes_files(text: str) -> bool:
    """Whether a script writes files."""
    return any(mark in text for mark in _WRITES)


def _before_tests(step: Step) -> Sequence[Command]:
    """The commands before the last one that does real work, such as the tests."""
    parts = commands_of(step)
    work = [at for at, part in enumerate(parts) if not _is_support(part)]
    return parts[: work[-1]] if work else ()


def _is_revert(part: Command) -> bool:
    if part.program == "git":
        return _is_git_revert(part)
    if part.program in {"cp", "mv"} and len(part.operands) == 2:
        return bool(re.search(BACKUP, part.operands[0]))
    return part.program == "patch" and bool({"-R", "--reverse"} & set(part.flags))


def _is_git_revert(part: Command) -> bool:
    first = part.verb.split()[:1]
    if first == ["stash"]:
        return part.verb in {"stash", "stash push", "stash save", "stash -u"} or (
            part.verb.startswith("stash -")
        )
    if first == ["checkout"]:
        return bool({"--", "."} & {*part.flags, *part.operands}) or any(
            "/" in word or re.search(r"\.\w{1,5}$", word) for word in part.operands
        )
    if first == ["restore"]:
        return "--staged" not in part.flags
    if first == ["apply"]:
        return bool({"-R", "--reverse"} & set(part.flags))
    return first == ["reset"] and "--hard" in part.flags


def _is_restored(part: Command) -> bool:
    """Whether a git command brings a change back."""
    if part.program != "git":
        return False
    is_taken = any(word.startswith("stash@") for word in part.operands)  # git checkout stash@{0} …
    return is_taken or (part.verb in _BRINGING and not _is_git_revert(part))


def _is_reverse_edit(step: Step, before: Sequence[Step]) -> bool:
    """Whether an edit reverses everything that the run changed."""
    edits = {
        (writing.path, writing.new, writing.old)
        for writing in writings(step.tool, step.args)
        if writing.old
    }
    earlier = [
        writing
        for earlier_step in before
        for writing in writings(earlier_step.tool, earlier_step.args)
        if writing.is_edit
    ]
    return bool(earlier) and all(
        (writing.path, writing.old, writing.new) in edits for writing in earlier
    )


def has_revert(step: Step) -> bool:
    """Whether a step reverts changes."""
    return any(_is_revert(part) for part in commands_of(step))
