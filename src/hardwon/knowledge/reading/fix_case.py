"""A case: a failing step, a later step that may show its fix, and the error line."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.reading.authored import is_shell, tail
from hardwon.knowledge.reading.error_line import informative_line
from hardwon.knowledge.reading.programs import is_message_of
from hardwon.knowledge.reading.shell import Command, parse
from hardwon.knowledge.reading.signature import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


_PLUMBING = word_set(
    "cd echo export set source . true false printf pwd unset shopt trap wait sleep date"
)
_READERS = word_set(
    "cat head tail less more nl ls find grep rg egrep fgrep ack ag awk wc file stat which "
    "type tree diff cmp sort uniq cut tr jq column xxd od du df env printenv whoami id ps "
    "top history man whereis realpath dirname basename md5sum sha256sum"
)
_READING_VERBS = word_set(
    "diff log show status grep blame branch list ls info describe get view search help "
    "version outdated why audit logs top explain check-ignore rev-parse ls-files"
)
_SERVICES = word_set("kubectl oc helm aws gcloud az gh heroku flyctl doctl")  # they ask a server
_STOP = word_set(
    "error errors exception warning fatal failed failure cannot could not found file files "
    "directory such module modules named name names the for and with from has have was were "
    "are this that line open read command commands unable can cant doesn does exist exists "
    "invalid unknown missing import imports traceback most recent call last errno value "
    "values type object python bash main true false none null stderr stdout exit code status "
    "you your must use using"
)
_RED = (
    r"(?m)(?<![\w=])[1-9]\d* (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?|exceptions?)\b"
    r"|^FAILED \S|--- FAIL|^FAIL(?:URES?)?\b(?!: Build failed)"
    r"|\bFAILED \((?:failures|errors)=|test result: FAILED|^\[  FAILED  \]|^Result: FAIL"
    r"|\b(?:Failures|Errors|Failed): +[1-9]|^(?:#|ℹ) fail [1-9]"
)
_RED_WORDS = ("FAIL", "Fail", "fail", "rror", "exception")  # one of them is in every match
_PASSED = (
    r"(?m)\b[1-9]\d* (?:passed|passing)\b|\bRan [1-9]\d* tests?\b|^ok\s|^PASS"
    r"|test result: ok|tests finished|\bOK\b|\b[1-9]\d* (?:examples?|specs?|assertions?)\b"
    r"|\b(?:Executed|Tests run:|Tests:?|Passed:) +[1-9]\d*|^(?:#|ℹ) pass [1-9]"
    r"|\b[1-9]\d* tests?, \d|^ *[1-9]\d* pass\b|\d% tests passed|^\[  PASSED  \]|^Result: PASS"
)
_OWN_CODE = r"^(?:E +)?(?:[\w.]+\.)?(?:AssertionError|AssertionFailedError|Failed:)|^assert\b"
_BAD_SIGNS = (
    r"(?im)^(?:[\w./-]{1,80}: )?(?:fatal|error|traceback|exception|panic)\b|\bcommand not found\b"
    r"|No such file or directory|\bNo module named\b|^\w*(?:Error|Exception)\b|\bdenied\b"
)
_PERSONAL = (
    r"[\w.+-]@[\w-]{1,200}\.\w|/home/\w|/Users/\w|/tmp/\w|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-"
    r"|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b|#\w*\d{4,}|[A-Za-z]_\d{4,}\b|\b\d{6,}\b"
    r"|\b(?:19|20)\d\d-\d\d-\d\d\b"
)


_LACKING = (  # something is missing; another error in the next try means that it got further
    r"(?i:not found|no module named|cannot find (?:module|package)|cannot load such file"
    r"|no such file|not recognized as|no rule to make target|missing script|no such table"
    r"|not (?:configured|set|initiali[sz]ed|built|generated)\b|must be set)"
)
_STOPPED = (  # the call itself was refused, or something is still missing
    r"(?i:usage|unrecognized|unknown|invalid|illegal|not found|no such|no module|cannot find|denied"
    r"|not recognized|syntax error|unexpected|cannot load|missing script|no rule to)"
)
# The hooks of git, with the sub-command that runs them
_HOOKS = {
    "pre-commit": "commit",
    "commit-msg": "commit",
    "prepare-commit-msg": "commit",
    "pre-push": "push",
    "pre-rebase": "rebase",
}
REMOVED_IN_PART = "rm: cannot remove"  # it removes the other files nevertheless
_SILENCED = r"(?<!\s)\s*+(?:(?:&>|\d?>>?) ?/dev/null|\d>&\d)"
_SAYING = 12  # shorter lines are not searched for in an output


class Case(NamedTuple):
    """A run up to a step that may show the fix of an earlier failure."""

    steps: Sequence[Step]  # up to the one that may show the fix
    at: int  # the index of the failing step
    line: str  # the error line of the failing step
    names: frozenset[str]  # words of the line that name something

    @property
    def failed(self) -> Step:
        """The failing step."""
        return self.steps[self.at]

    @property
    def last(self) -> Step:
        """The step that may show the fix."""
        return self.steps[-1]

    @property
    def between(self) -> Sequence[Step]:
        """The steps after the failing one and before the last."""
        return self.steps[self.at + 1 : -1]


def case_of(steps: Sequence[Step], at: int) -> Case:
    """The case of the failing step `at` and the last step."""
    line = line_of(steps[at])
    message = re.sub(r"^(?:[a-z_]\w*\.)+(?=[A-Z])", "", line)  # the module of an exception
    return Case(steps, at, line, frozenset(names_in(message)))


def line_of(step: Step) -> str:
    """The error line of a step; "" if its output does not say what went wrong."""
    return step.failure.line if step.failure else informative_line(step.output)[:300]


@lru_cache(maxsize=256)
def folded(line: str) -> str:
    """The line with everything folded that changes from run to run."""
    return fold(line)


def names_in(text: str) -> set[str]:
    """The specific words of a text in lower case; compound names are split into parts."""
    words = re.findall(r"[A-Za-z][A-Za-z0-9]{2,}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))
    return {word.lower() for word in words} - _STOP


def is_red(step: Step) -> bool:
    """Whether tests ran and some failed."""
    return _has_red(step.output)


@lru_cache(maxsize=256)
def _has_red(output: str) -> bool:
    end = output[-4000:]
    return any(word in end for word in _RED_WORDS) and bool(re.search(_RED, end))


def has_run_tests(step: Step) -> bool:
    """Whether the output says that tests ran and how many passed."""
    end = step.output[-4000:]
    return bool(re.search(_PASSED, end)) and not re.search(r"\bRan 0 tests|no tests ran", end)


def is_own_check(case: Case) -> bool:
    """Whether an assertion or test failed, which is no mistake in the call."""
    return bool(re.match(_OWN_CODE, case.line)) or (is_red(case.failed) and not _is_setup(case))


def _is_setup(case: Case) -> bool:
    has_no_part = re.search(r"(?i:fixture .{1,80} not found|No module named)", case.failed.output)
    return bool(has_no_part or re.search(_LACKING, case.line))


def is_gone(case: Case) -> bool:
    """Whether the last step no longer shows the failure."""
    if case.last.failed and folded(line_of(case.last)) == folded(case.line):
        return False
    return len(case.line) <= _SAYING or case.line not in case.last.output


def has_moved_on(case: Case) -> bool:
    """Whether the last step got past the failure: nothing is missing now, it fails later on."""
    line = line_of(case.last) if case.last.failed else ""
    if not line or not re.search(_LACKING, case.line):
        return False
    return not re.search(_STOPPED, line)


def is_clean(step: Step) -> bool:
    """Whether the output shows no sign of an error; for a call whose exit status is hidden."""
    return not re.search(_BAD_SIGNS, step.output[-4000:])


def commands_of(step: Step) -> tuple[Command, ...]:
    """The commands of a command line; () for a call with named arguments."""
    return parse(step.args) if is_shell(step) else ()


def is_plumbing(part: Command) -> bool:
    """Whether a command only prints or changes the environment of the next ones."""
    return part.program in _PLUMBING or not part.program


def is_reader(part: Command) -> bool:
    """Whether a command only reads."""
    name = tail(part.program)
    if name == "sed":
        return not any(flag.startswith("-i") for flag in part.flags)
    return name in _READERS or (name not in _SERVICES and _has_reading_verb(part))


def asks_service(part: Command) -> bool:
    """Whether a command only reads from a server, which may refuse it."""
    return tail(part.program) in _SERVICES and _has_reading_verb(part)


def _has_reading_verb(part: Command) -> bool:
    words = {piece for word in part.verb.split() for piece in (word, word.partition("-")[0])}
    return bool(words & _READING_VERBS)


@lru_cache(maxsize=256)
def blamed(step: Step, line: str) -> int:
    """The index of the command that the error is about; -1 if unknown."""
    parts = commands_of(step)
    hooked = _HOOKS.get(line.split(":", 1)[0], "")
    for at, part in enumerate(parts):
        if hooked and part.does == f"git {hooked}":
            return at
        name = tail(part.program)
        if name and is_message_of(name, line):
            return at
    working = [at for at, p in enumerate(parts) if not is_plumbing(p) and p.joint != "|"]
    return working[-1] if working else -1


def silenced(text: str) -> str:
    """A command without redirections that only hide or join its output."""
    return str(re.sub(_SILENCED, "", text)).strip()


def is_inside(folder: str) -> bool:
    """Whether a folder is named from that of the project."""
    return bool(folder) and not folder.startswith(("/", "~", "$", "."))


def typed(part: Command) -> str:
    """A command as it is run from the folder of the project."""
    call = silenced(part.text)
    return f"cd {part.cwd} && {call}" if is_inside(part.cwd) else call


def is_masked(parts: tuple[Command, ...], at: int) -> bool:
    """Whether a later command hides the exit status of the one at `at`."""
    following = parts[at + 1 : at + 2]
    return any(part.joint not in {"", "&&"} for part in following)


def is_personal(text: str) -> bool:
    """Whether a text holds a value of one run: an id, an e-mail address, a home directory."""
    return bool(re.search(_PERSONAL, text))
