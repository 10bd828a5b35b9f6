"""Pair the failed command with the later one that has the same goal."""

from __future__ import annotations

from itertools import pairwise

from hardwon._cold import re
from hardwon._cold.lazy import lazy
from hardwon.failures.argument_texts import changed_name
from hardwon.failures.authored import is_coined, tail, writings
from hardwon.failures.commit_marks import AREA, TICKET, mark_form, restyled
from hardwon.failures.fix_case import (
    Case,
    blamed,
    commands_of,
    has_moved_on,
    has_run_tests,
    is_clean,
    is_gone,
    is_masked,
    is_plumbing,
    is_reader,
    is_red,
    word_set,
)
from hardwon.failures.programs import unquoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import difflib
    from typing import NamedTuple

    from hardwon.failures.shell import Command
else:
    difflib = lazy("difflib")
    from hardwon._cold.namedtuple import NamedTuple

_ABSENT = (
    r"(?P<a>[\w./+-]{1,120}): (?:command )?not found(?!: \S)|command not found: (?P<b>\S{1,80})"
    r"|No module named '?(?P<c>[\w.-]{1,80})|'(?P<d>[^']{1,80})' is not recognized"
    r"|exec(?:utable file)?:? \"?(?P<e>[\w./-]{1,80})\"?.{0,20} not found"
    r"|(?P<f>[\w./-]{1,120}): No such file or directory"
    r"|(?i:unknown command|no such (?:sub)?command|missing script|command \S+ not found"
    r"|is not an? \S+ command)"
)
_LACKS = (
    r"(?i:not found|no (?:module|such)|can(?:no|')t (?:find|open)|does not exist|unknown|not a )"
)
_TAKEN = r"(?i:already (?:in use|allocated|bound)|EADDRINUSE)"
_OFFLINE = r"ENOTCACHED|cache mode is 'only-if-cached'|EAI_AGAIN|ENETUNREACH"
_USAGE = (
    r"(?i:\b(?:unknown|unrecognized|unexpected|invalid) (?:argument|option|flag|choice)|^usage:"
    r"|\bno test (?:file|module|case)s? )"
)
_UNFIT = r"Unknown file extension|[Ee]xec format error|cannot execute binary file"
_NO_TARGET = (
    r"(?i:missing script|no rule to make target|don't know how to build task"
    r"|no such (?:task|command)|task \S+ not found|unknown (?:task|target|command|subcommand))"
)
# Names that projects give to the same task
_ROLES = (
    word_set("test tests check spec specs unit verify"),
    word_set("types typecheck type-check check-types tsc typing"),
    word_set("lint check style eslint"),
    word_set("format fmt prettier fix"),
    word_set("build compile dist bundle all"),
    word_set("start serve dev up"),
    word_set("coverage cov test-coverage"),
)
_SUBJECT = r"(?i:\b(?:commit-msg|commit message|subject|message)\b)"
_TESTERS = word_set(
    "pytest py.test unittest nose nose2 tox jest mocha vitest ava rspec phpunit ctest"
)
_ALIKE = (
    word_set("npm pnpm yarn bun"),
    word_set("docker podman"),
    word_set("docker-compose docker"),
    word_set("apt apt-get"),
    word_set("pip pip3 uv conda"),
    word_set("terraform tofu"),
    word_set("make gmake ninja"),
)


class Pair(NamedTuple):
    """The command that failed, and the command that replaced it."""

    old: Command
    new: Command


class CallChange(NamedTuple):
    """One difference between two calls, in words and as a key."""

    words: str
    key: str


def pair_of(case: Case) -> Pair | None:
    """The failed command and its replacement; None if the last step does something else."""
    at = blamed(case.failed, case.line)
    if at < 0 or not is_gone(case):
        return None
    old, parts = commands_of(case.failed)[at], commands_of(case.last)
    if is_reader(old) or any(_is_repeated(old, part) for part in parts) or _is_permitted(case):
        return None
    for place in range(len(parts) - 1, -1, -1):
        if not is_plumbing(parts[place]) and _is_same_goal(case, old, parts[place]):
            is_fine = _is_working(case, parts, place)
            return Pair(old, parts[place]) if is_fine else None
    return None


def _is_repeated(old: Command, new: Command) -> bool:
    """Whether two commands are equal, with the same directory and environment."""
    return new.text == old.text and new.cwd == old.cwd and set(new.env) == set(old.env)


def _is_permitted(case: Case) -> bool:
    """Whether the run gave the right to run a file: that is the fix, and no other call."""
    if "Permission denied" not in case.line:
        return False
    steps = (*case.between, case.last)
    return any(part.program == "chmod" for step in steps for part in commands_of(step))


def _is_working(case: Case, parts: tuple[Command, ...], at: int) -> bool:
    """Whether the command at `at` worked; for a test runner it is enough that tests ran."""
    last = case.last
    if has_moved_on(case):
        return True
    is_usage = re.search(rf"{_NO_TARGET}|{_USAGE}", case.line)
    if _is_tester(case) and not (has_run_tests(last) or is_usage):
        return False
    if last.failed:
        return bool(re.search(_ABSENT, case.line)) and (is_red(last) or has_run_tests(last))
    if not is_masked(parts, at):
        return True
    return has_run_tests(last) or (is_clean(last) and not parts[at].writes)


def _is_tester(case: Case) -> bool:
    """Whether the failing command was a test run."""
    at = blamed(case.failed, case.line)
    part = commands_of(case.failed)[at]
    return part.does in _TESTERS or "test" in part.verb.split() or "test" in tail(part.program)


def _is_same_goal(case: Case, old: Command, new: Command) -> bool:
    if old.does == new.does:
        return _is_same_program(case, old, new)
    if old.does.replace("-", " ") == new.does.replace("-", " "):
        return old.operands == new.operands  # docker-compose
    if old.verb and old.verb == new.verb and old.operands == new.operands:
        return any({old.program, new.program} <= alike for alike in _ALIKE)
    if old.name == new.name and re.search(_NO_TARGET, case.line):
        return _has_same_role(old, new)
    return _is_taken_over(case, old, new)


def _is_taken_over(case: Case, old: Command, new: Command) -> bool:
    """Whether another program replaces one that is missing or cannot run the file."""
    if _is_missing_tester(case, old) and has_run_tests(case.last):
        return not is_reader(new)
    if set(old.operands).isdisjoint(new.operands) or is_reader(new):
        return False
    if writings(case.last.tool, case.last.args):
        return False
    return is_absent(case, old) or bool(re.search(_UNFIT, case.line))


def _is_missing_tester(case: Case, old: Command) -> bool:
    """Whether a test runner is missing: then any other that runs tests takes its place."""
    return old.does in _TESTERS and is_absent(case, old)


def _has_same_role(old: Command, new: Command) -> bool:
    """Whether two tasks of one program are names for the same work, as `test` and `check`."""
    first, second = (part.verb.rsplit(" ", 1)[-1] for part in (old, new))
    if not first or not second or _before_task(old) != _before_task(new):
        return False
    is_part = first in second.split(":")  # `build` and `site:build`
    return is_part or any({first, second} <= role for role in _ROLES) or _is_alike(first, second)


def _before_task(part: Command) -> list[str]:
    """The words before the name of a task; `npm test` is short for `npm run test`."""
    return [word for word in part.verb.split()[:-1] if word != "run"]


def _is_same_program(case: Case, old: Command, new: Command) -> bool:
    if bool(old.script) != bool(new.script):
        return is_one_liner(old) and not old.operands and not new.operands
    if old.script or set(old.operands) == set(new.operands):
        return True
    if old.call != new.call and is_absent(case, old):
        return bool(old.operands and new.operands) or _is_rewritten(case, old, new)
    return _is_rewritten(case, old, new)


def _is_rewritten(case: Case, old: Command, new: Command) -> bool:
    """Whether two calls of one program differ only in a word, a mark, a number or flags."""
    if swapped(case, old, new) or marked(case, old, new) or message_mark(case, old, new):
        return True
    if sets_what_lacks(case, old, new) or any(renamed(case, old, new)):
        return True
    is_other = is_other_number(case, old, new)
    return is_other or _is_completed(case, old, new) or _is_reflagged(old, new)


def renamed(case: Case, old: Command, new: Command) -> tuple[str, str]:
    """The name in a query that the error calls wrong, and the one in its place; else two ""."""
    return changed_name(query_of(old), query_of(new), case)


def query_of(call: Command) -> str:
    """The texts in a language of their own that a call passes: SQL, code."""
    return "\n".join((call.script, *(word for word in call.operands if " " in word)))


def sets_what_lacks(case: Case, old: Command, new: Command) -> list[str]:
    """The variables that only the new call sets and whose names share a word with the error."""
    names = {setting.split("=", 1)[0] for setting in {*new.env} - {*old.env}}
    return sorted(name for name in names if not case.names.isdisjoint(name.lower().split("_")))


def is_other_number(case: Case, old: Command, new: Command) -> bool:
    """Whether a port or address is in use and only a number in the call changed."""
    first, second = (re.sub(r"\d+", "", call.text) for call in (old, new))
    return first == second and old.text != new.text and bool(re.search(_TAKEN, case.line))


def _is_reflagged(old: Command, new: Command) -> bool:
    """Whether only flags and their values were added, or flags for some of the operands."""
    if not set(old.flags) < set(new.flags):
        return False
    shared = set(old.operands) & set(new.operands)
    values = {value for _, value in valued(old, new)}
    if shared and not old.verb:  # another word may be another task of the program
        return set(new.operands) - values <= set(old.operands)
    return set(new.operands) - set(old.operands) == values and set(old.operands) <= set(
        new.operands
    )


def valued(old: Command, new: Command) -> list[tuple[str, str]]:
    """The added flags that are followed by a new operand, with that operand as value."""
    if not set(old.operands) <= set(new.operands):
        return []
    flags = [flag for flag in new.flags if flag not in old.flags]
    _, words = _differing(old, new)
    followed = set(pairwise(map(unquoted, new.words)))
    return [(flag, word) for flag in flags for word in words if (flag, word) in followed]


def _is_completed(case: Case, old: Command, new: Command) -> bool:
    """Whether only operands were added and the error asks for some."""
    if set(old.operands) - set(new.operands) or is_reader(new):
        return False
    asks_for_more = (
        r"(?i:missing|required?s?\b|specify|usage|no upstream|no .{1,20} (?:given|specified))"
    )
    return bool(re.search(asks_for_more, case.line))


def is_absent(case: Case, part: Command) -> bool:
    """Whether the error says that this program is missing, or cannot be fetched to be run."""
    match = re.search(_ABSENT, case.line)
    if not match:
        return "npx" in part.via and bool(re.search(_OFFLINE, case.failed.output))
    missing = next((value for value in match.groups() if value), "")
    name = tail(part.program)
    return not missing or tail(missing) == name or missing == part.program


def swapped(case: Case, old: Command, new: Command) -> tuple[str, str] | None:
    """The operand that the error names and its similarly spelt replacement; else None."""
    removed, added = _differing(old, new)
    if len(removed) != 1 or len(added) != 1 or not _is_named(removed[0], case):
        return None
    if is_coined(removed[0], case.steps) or is_coined(added[0], case.steps):
        return None
    return (removed[0], added[0]) if _is_alike(removed[0], added[0]) else None


def _differing(old: Command, new: Command) -> tuple[list[str], list[str]]:
    """The operands that only the old, and those that only the new call has."""
    before, after = dict.fromkeys(old.operands), dict.fromkeys(new.operands)
    return (
        [word for word in before if word not in after],
        [word for word in after if word not in before],
    )


def marked(case: Case, old: Command, new: Command) -> str:
    """The mark added before an operand, in a form that the error shows: `HB-7`, `fix:`; else ""."""
    removed, added = _differing(old, new)
    if len(removed) != 1 or len(added) != 1 or " " not in added[0]:
        return ""
    if not added[0].lower().endswith(removed[0].lower()):
        return ""
    mark = added[0][: -len(removed[0])].strip()
    forms = {mark_form(word.strip(".,:;()'\"")) for word in case.line.split()}
    is_one_word = bool(re.fullmatch(r"\S{2,20}", mark))
    return mark if is_one_word and mark_form(mark.rstrip(":")) in forms else ""


def message_mark(case: Case, old: Command, new: Command) -> str:
    """The mark that a refused commit message got: its area, a ticket, small letters; else ""."""
    removed, added = _differing(old, new)
    is_refused = old.does == "git commit" and re.search(_SUBJECT, case.line)
    if not is_refused or len(removed) != 1 or len(added) != 1 or not removed[0]:
        return ""
    before, message, after = added[0].partition(removed[0])
    mark = before.strip() or after.strip()
    form = rf"{AREA}|{TICKET}" if before else TICKET
    is_one = bool(message) and not (before and after) and re.fullmatch(form, mark)
    return mark if is_one else restyled(removed[0], added[0])


def _is_named(word: str, case: Case) -> bool:
    name = re.split(r"[:@=]", tail(word))[0]
    text = case.line if name in case.line else case.failed.output[-2000:]
    return name in text and bool(re.search(_LACKS, case.line))


def _is_alike(a: str, b: str) -> bool:
    """Whether two paths or names are spelt alike: a common start, or most letters agree."""
    first, second = (tail(word.split("::", 1)[0]).lower() for word in (a, b))
    short, long = sorted((first, second), key=len)
    stem = short.split(".", 1)[0]
    if short == long or (len(short) > 3 and stem and long.startswith(stem)):
        return True
    if max(len(a), len(b)) > 200:
        return False
    return difflib.SequenceMatcher(None, first, second).ratio() > 0.8


def is_one_liner(part: Command) -> bool:
    """Whether a command is given code on one line with statements joined by `;`."""
    return "-c" in part.flags and "\n" not in part.script and ";" in part.script
