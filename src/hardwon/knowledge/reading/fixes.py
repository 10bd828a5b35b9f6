"""The fixes that a run shows: what made the difference between a failure and a success.

A fix is a trail (the calls that led to one that worked), the changed lines of a script, or the
finding that a test fails without any change, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.values.lesson import PREPARED, TEXT_LIMIT, UNCHANGED, Fix
from hardwon.knowledge.evidence.calls import READERS, calls_of
from hardwon.knowledge.evidence.inner import failing_call, with_failure
from hardwon.knowledge.evidence.trails import find_passed
from hardwon.knowledge.evidence.wording import (
    SHOW_CALLS,
    TRAIL,
    VALUES,
    Seen,
    show_call,
    trail_fix,
)
from hardwon.knowledge.reading.authored import (
    BACKUP,
    SCRIPT_WRITES,
    edits_source,
    is_coined,
    is_shell,
    part_edits_source,
    tail,
    text_of,
    writings,
)
from hardwon.knowledge.reading.changed_lines import (
    LINES,
    code_run,
    has_lines,
    line_of,
    lines_fix,
)
from hardwon.knowledge.reading.reading import tool_of
from hardwon.knowledge.reading.reports import (
    bare_test,
    count_tests,
    failed_tests,
    has_run_tests,
    is_red,
)
from hardwon.knowledge.reading.shell import parse
from hardwon.knowledge.reading.signature import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.run import Step
    from hardwon.knowledge.evidence.trails import Passed
    from hardwon.knowledge.reading.shell import Command


_PRINTED = 4_000  # characters of an answer in which choices are looked for
_LOOKED_BACK = 30  # steps between a failure and its fix
_FEW = 2  # runs in which a fix worked; with so few it matters how alike the failing call was
_FAILURES = 6  # failures of one run that are looked at for each step


def fixes_shown(
    steps: Sequence[Step], task: str = "", prompts: Iterable[str] = ()
) -> list[tuple[int, Fix]]:
    """The fixes that the last step reveals, each with the index of its failing step."""
    if len(steps) < 2:
        return []
    fixes = unchanged_fixes(steps)
    fixes += [(at, fix) for at in _open(steps) if (fix := lines_fix(steps, at))]
    known = {at for at, _ in fixes}
    trails = [found for found in find_passed(steps) if found.at not in known]
    return [*fixes, *((found.at, trail_of(found, steps, task, prompts)) for found in trails)]


def trail_of(found: Passed, steps: Sequence[Step], task: str, prompts: Iterable[str]) -> Fix:
    """The trail as a fix, with what the run was told and shown folded."""
    failure = steps[found.at].failure
    line = failure.line if failure else ""
    printed = None
    if found.working.is_tool:
        printed = "\n".join(step.output[:_PRINTED] for step in steps[-_LOOKED_BACK:]).lower()
    return trail_fix(found, Seen(task, "\n".join((task, *prompts)).lower(), line, printed))


def fix_shown(steps: Sequence[Step], at: int) -> Fix | None:
    """The fix that a whole run shows for the failing step `at`; None if it shows none."""
    read: list[Step] = []
    for step in steps[: at + 2 + _LOOKED_BACK]:
        read.append(step if step.failure else with_failure(step, read))
    for end in range(at + 2, len(read) + 1):
        for place, fix in fixes_shown(read[:end]):
            if place == at:
                return fix
    return None


def applies(fix: Fix, step: Step) -> bool:
    """Whether a call does what a fix says."""
    if fix.sort == LINES:
        return has_lines(fix, step.args)
    if fix.sort == UNCHANGED:
        return not step.failed and has_revert(step)
    wanted = fix.key.partition(PREPARED)[0].removesuffix(VALUES)
    return any(call.family == wanted for call in calls_of(step))


def was_applied(fix: Fix, steps: Sequence[Step], task: str = "") -> bool:
    """Whether the fix was already applied when the last step failed; False when unsure."""
    if fix.sort == LINES:
        return has_lines(fix, code_run(steps).text)
    failing = failing_call(steps[-1]) if fix.sort == TRAIL and PREPARED not in fix.key else None
    return (
        failing is not None and not failing.is_tool and fix.call == show_call(failing, Seen(task))
    )


def fixes_of_call(fixes: Sequence[Fix], step: Step) -> tuple[Fix, ...]:
    """The fixes found for a call of the same program or tool; for its operation, if there are."""
    failing = failing_call(step)
    if failing is None:
        return tuple(fixes)
    if failing.is_tool and failing.paths:  # how another file was edited helps nobody
        files = {tail(path) for path in failing.paths}
        fixes = [fix for fix in fixes if any(file in fix.text for file in files)]
    named = {fix: _program_of(fix, step) for fix in fixes if fix.sort in SHOW_CALLS}
    own = tuple(fix for fix in fixes if named.get(fix, failing.program) == failing.program)
    if all(fix.worked <= _FEW for fix in own):  # else the record says more
        words = {*re.findall(r"[\w./-]+", failing.text)}
        own = tuple(sorted(own, key=lambda fix: -_shared_part(fix.mistake, words)))
    if own or not failing.is_tool:
        return own
    return tuple(fix for fix in fixes if named[fix].partition(".")[0] == tool_of(step))


def _shared_part(mistake: str, words: set[str]) -> float:
    """Which share of its words a failing call has in common with another, in halves."""
    ours = {*re.findall(r"[\w./-]+", mistake)}
    return round(2 * len(ours & words) / max(1, len(ours | words))) / 2


def with_failing_call(fix: Fix) -> Fix:
    """The fix with the call that failed in front, for a reader who made another one."""
    if fix.sort not in SHOW_CALLS or not fix.mistake or f"`{fix.mistake}`" in fix.text:
        return fix
    return fix._replace(text=f"`{fix.mistake}` failed so, too. {fix.text}")


def _program_of(fix: Fix, step: Step) -> str:
    """The program or tool of the call that failed."""
    if not fix.mistake or step.args.startswith("{"):
        return fix.mistake.partition("(")[0]
    calls = calls_of(step._replace(args=fix.mistake))
    return calls[-1].program if calls else ""


def _open(steps: Sequence[Step]) -> list[int]:
    """The indexes of recent failing steps, the latest of each error."""
    latest: dict[str, int] = {}
    first = max(0, len(steps) - 1 - _LOOKED_BACK)
    for at in range(len(steps) - 2, first - 1, -1):
        step = steps[at]
        if step.failed and len(latest) < _FAILURES:
            latest.setdefault(f"{step.tool} {fold(line_of(step))}", at)
    return list(latest.values())


_REVERT_WITHIN = 7  # steps between a revert and the tests
_NAMED = 3  # tests that one fix names
_SUPPORT = READERS | {"git", "cp", "mv", "rm", "patch"}
_REVERTS = re.compile(
    r"git (?:-\S+ )*(?:stash(?! pop| apply| list| show| drop)|restore (?!--staged)|reset --hard"
    r"|checkout (?!-b|stash@)(?:\S+ )*?(?:--|\.|\S*[/.]\w\S*)(?: |$)|apply (?:-R|--reverse))"
    rf"|patch (?:\S+ )*(?:-R|--reverse)|(?:cp|mv) (?:-\w+ )*\S*{BACKUP} "
)
_RESTORES = re.compile(
    r"git (?:-\S+ )*(?:stash (?:pop|apply)|apply|am|cherry-pick|merge|pull|rebase"
    r"|checkout stash@)|patch "
)
_NOT_STARTED = r"_FailedTest\b|KeyError: '[A-Z][A-Z\d]*_[A-Z\d_]+'"  # nothing ran: no finding
_TEXT = (
    "without your change too. Do not hunt for it: run the same call once on the unchanged sources "
    "(`git stash`, the call, `git stash pop`) and look only at what is new."
)


def unchanged_fixes(steps: Sequence[Step]) -> list[tuple[int, Fix]]:
    """The failed tests of the last step that fail without the run's change, with their step."""
    last = steps[-1]
    if not is_shell(last) or not failed_tests(last.output) or re.search(_NOT_STARTED, last.output):
        return []
    if last.failed and is_red(last.output) and _is_untouched(steps):
        return [(len(steps) - 1, fix)] if (fix := _fix(last, last)) else []
    since = _reverted_at(steps)
    failing = (at for at in range(since - 1, -1, -1) if _is_same(steps[at], last, steps))
    place = next(failing, None)
    fix = None if place is None else _fix(steps[place], last)
    return [(place, fix)] if place is not None and fix else []


def is_green(step: Step) -> bool:
    """Whether tests ran and all of them passed."""
    return not step.failed and has_run_tests(step.output) and not is_red(step.output)


def is_repeated(failing: Step, step: Step) -> bool:
    """Whether a step runs the failing tests of an earlier one again, among others or alone."""
    tests = " ".join(failed_tests(failing.output))
    return any(
        part.does == other.does
        and all(word in part.operands or word in tests for word in other.operands)
        for part in parse(failing.args)
        for other in parse(step.args)
        if part.builtin not in READERS
    )


def has_revert(step: Step) -> bool:
    """Whether a step reverts changes."""
    return any(_REVERTS.match(part.text) for part in _commands(step))


def _commands(step: Step) -> tuple[Command, ...]:
    return parse(step.args) if is_shell(step) else ()


def _is_untouched(steps: Sequence[Step]) -> bool:
    """Whether the run has changed nothing, and the failed tests are not its own.

    A new script elsewhere changes nothing of the project.
    """
    words = [word for part in _commands(steps[-1]) for word in (part.program, *part.operands)]
    names = {name.split("::", 1)[0] for name in (*words, *failed_tests(steps[-1].output))}
    is_touched = any(
        writing.old
        or not writing.text
        or "/" in writing.path.removeprefix("./").removeprefix("/tmp/")
        or re.search(SCRIPT_WRITES, writing.text)
        for step in steps
        for writing in writings(step.tool, step.args)
    )
    return not is_touched and not any(is_coined(name, steps[:-1]) for name in names)


def _fix(step: Step, last: Step) -> Fix | None:
    """The fix for the tests that fail in both steps; it names them, as others may be the run's."""
    named = re.search(r" in (\S+)$", step.failure.text) if step.failure else None
    own = bare_test(named[1]) if named else ""  # the failure is known by this test
    still = set(failed_tests(last.output))
    shared = [name for name in failed_tests(step.output) if name in still]
    shared = sorted(shared, key=lambda name: bare_test(name) != own)[:_NAMED]
    if not shared or (own and bare_test(shared[0]) != own):
        return None  # the change may be why this test fails
    names = ", ".join(f"`{name}`" for name in shared)
    text = f"{names} {'fails' if len(shared) == 1 else 'fail'} {_TEXT}"
    key = f"{UNCHANGED} {bare_test(shared[0])}"
    return Fix(UNCHANGED, text, key) if len(text) <= TEXT_LIMIT else None


def _is_same(step: Step, last: Step, before: Sequence[Step]) -> bool:
    """Whether an earlier step failed like the last one, with the same program."""
    if not step.failed or not is_shell(step):
        return False
    tested = [part for part in _commands(last) if part.builtin not in _SUPPORT]
    if any(is_coined(word, before) for part in tested for word in part.operands):
        return False
    if not {part.does for part in tested} & {part.does for part in _commands(step)}:
        return False
    names = set(failed_tests(step.output))
    if names:
        return bool(names & set(failed_tests(last.output)))
    if is_red(step.output) and (counted := count_tests(step.output)):
        return counted == count_tests(last.output)
    return is_red(step.output) and fold(line_of(step)) == fold(line_of(last))


def _reverted_at(steps: Sequence[Step]) -> int:
    """The step that reverted the run's change before the last step ran its tests; 0 if none."""
    at, at_tests = 0, 0
    for place in range(max(0, len(steps) - _REVERT_WITHIN), len(steps)):
        step, before = steps[place], steps[:place]
        if not is_shell(step) and edits_source(step, before):
            at = place if _is_reverse_edit(step, before) else 0
        for part in _commands(step):
            if _REVERTS.match(part.text):
                at = place
            elif _is_change(part, before, (*before, step)):
                at = 0
            elif part.builtin not in _SUPPORT:
                at_tests = at
    return at_tests


def _is_change(part: Command, before: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Whether a command changes sources, or brings a change back."""
    if _RESTORES.match(part.text) or part_edits_source(part, before):
        return True
    scripts = () if part.writes or part.builtin in _SUPPORT else part.operands[:1]
    texts = (part.script, *(text_of(script, steps) for script in scripts))
    return not part.writes and any(re.search(SCRIPT_WRITES, text) for text in texts)


def _is_reverse_edit(step: Step, before: Sequence[Step]) -> bool:
    """Whether an edit reverses everything that the run changed."""
    edits = {(made.path, made.new, made.old) for made in writings(step.tool, step.args) if made.old}
    earlier = [made for each in before for made in writings(each.tool, each.args) if made.is_edit]
    return bool(earlier) and all((made.path, made.old, made.new) in edits for made in earlier)
