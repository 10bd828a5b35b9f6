"""What test runners and builds report: whether it went wrong, how many tests failed, and which.

Runners and compilers print a few forms. Everything that reads their output asks here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_TAIL, _END = 12_000, 4_000
# Linear: every repetition is possessive or bounded.
_RED = (  # reports of failed tests and builds, from the start of a line
    r"(?m)^=+ (?:[^\n]{0,80}, )?[1-9]\d* (?:failed|errors?)\b[^\n]{0,120}=+$"
    r"|^[1-9]\d* (?:failed|errors?|exceptions?)(?:, [^\n]{0,80})?,? in [\d.]+"
    r"|^FAILED \((?:failures|errors|unexpected)[^\n]{0,80}\)$|^FAIL(?:\t| +\S+ +\[?\d)"
    r"|^--- FAIL: |^test result: FAILED|^ *(?:Test Files|Tests):? +[1-9]\d* failed\b"
    r"|^\s{0,8}[1-9]\d* failing$|^(?:\[INFO\] )?(?:BUILD|Build|FAILURE:) ?(?:Build )?(?i:fail)\w*"
    r"|^npm (?:ERR!|error) |^make(?:\[\d+\])?: \*\*\* |^Found [1-9]\d* errors?\b"
    r"|\btests? finished: [^\n]{0,80}\b[1-9]\d* (?:failed|exceptions)"
    r"|^error(?:\[\w{1,10}\])?: could not compile|^!+ [^\n]{0,40}Interrupted"
    r"|^[1-9]\d* (?:examples?|tests?|runs?), [^\n]{0,60}\b[1-9]\d* (?:failures?|errors?)"
    r"|^\u2716 [1-9]\d* problems? \([1-9]\d* errors?|^\s*\u25cf Test suite failed to run"
    r"|^ *[^\s(:]{1,200}(?:\(\d+,\d+\):|:\d+:\d+ -| :) error [A-Z]{2,6}\d+: "
    r"|^# \S{1,200}\n(?:vet: )?\S{1,200}:\d+:\d+: "
    r"|^(?:PHP )?(?:Fatal|Parse) error: |^Exception in thread \"|^CONFLICT \("
    r"|^(?:<internal:)?[^\s:]{1,200}:\d+:in [^\n]{1,200} \([A-Z][\w:]{0,80}\)$"
    r"|^(?:Parse|Runtime) error near line \d+: |^(?:psql:\S{1,200}:\d+: )?(?:ERROR|FATAL):  "
    r"|^ERROR \d{4} \(|^Node\.js v\d+\.\d+\.\d+\s*\Z|^Execution halted\s*\Z"
)
_FAILING = (  # a count or a mark of failed tests, anywhere in the last lines
    r"(?m)(?<![\w=:.])[1-9]\d* (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?|exceptions?)\b"
    r"|^FAILED \S|--- FAIL|^FAIL(?:URES?)?\b(?!: Build failed)|\bFAILED \((?:failures|errors)="
    r"|test result: FAILED|^\[  FAILED  \]|\b(?:Failures|Errors|Failed): +[1-9]|^(?:#|ℹ) fail [1-9]"
)
_SIGNS = ("FAIL", "Fail", "fail", "rror", "exception")  # one is in each match of `_FAILING`
_RAN = (
    r"(?m)\b[1-9]\d* (?:passed|passing)\b|\bRan [1-9]\d* tests?\b|^ok\s|^PASS|test result: ok"
    r"|tests finished|\bOK\b|\b[1-9]\d* (?:examples?|specs?|assertions?)\b|^\[  PASSED  \]"
    r"|\b(?:Executed|Tests run:|Tests:?|Passed:) +[1-9]\d*|^(?:#|ℹ) pass [1-9]"
    r"|\b[1-9]\d* tests?, \d|^ *[1-9]\d* pass\b|\d% tests passed"
)
_NAMES = (  # how a failed test is named; the first form that occurs counts
    r"(?m)^(?:FAILED|ERROR) (\S+?(?:::\S+)+|\S+\.\w{1,4}(?= - ))",
    r"(?m)^(?:FAIL|ERROR): (\w+(?: \([\w.]+\)|(?=\s*$)))",
    r"(?m)^_{3,} (\S+) _{3,}$",
    r"(?m)^\s*--- FAIL: (\S+)",
    r"(?m)^---- (\S+) stdout ----|^test (\S+) \.\.\. FAILED",
    r"(?m)^ {0,3}FAIL {1,3}(\S{1,300}(?: > .{1,400}| \[ .{1,300} \]))$",
    r"(?m)^\s*[\u25cf\u2715] ([^\n]{1,120}?)(?: \(\d+ ms\))?$",
    r"(?m)^([A-Z]\w{0,80}#test_\w{1,120}) \[",
    r"(?m)^(?:FAILED|ERROR) (\S+/\S+|\S+\.[a-z]{1,4})(?: |$)",
)
_NAME_SIGNS = ("FAIL", "ERROR", "___", "---- ", "\u25cf", "\u2715", "#test_")
_COUNTED = r"(\d{1,9}) (passed|passing|failed|failing|errors?|exceptions?)\b"


class TestCounts(NamedTuple):
    """How many tests passed and failed."""

    passed: int
    failed: int


def ends_red(text: str) -> bool:
    """Whether an output ends with a report of failed tests or of a failed build."""
    return bool(re.search(_RED, text[-_TAIL:].rstrip()))


@lru_cache(maxsize=256)
def is_red(output: str) -> bool:
    """Whether the output of a test run says that some tests failed."""
    end = output[-_END:]
    return any(sign in end for sign in _SIGNS) and bool(re.search(_FAILING, end))


def has_run_tests(output: str) -> bool:
    """Whether an output says that tests ran and how many passed."""
    end = output[-_END:]
    return bool(re.search(_RAN, end)) and not re.search(r"\bRan 0 tests|no tests ran", end)


def count_tests(output: str, *, last: int = _TAIL) -> TestCounts | None:
    """The tests that passed and failed in the last characters of an output; None if none counts.

    A total with its failures, a verdict on each test, or the last lines that count them.
    """
    end = output[-last:]
    if total := re.search(r"(?m)^Ran (\d{1,9}) tests? in ", end):
        found = re.findall(r"(?:failures|errors)=(\d{1,9})", end[total.end() :][:500])
        failed = sum(map(int, found))
        return TestCounts(max(0, int(total[1]) - failed), failed)
    if verdicts := re.findall(r"(?m)^\s{0,40}--- (PASS|FAIL|SKIP): (\S{1,300})", end):
        holders = {name.rpartition("/")[0] for _, name in verdicts}  # tests that hold others
        ways = [way for way, name in verdicts if name not in holders]
        return TestCounts(ways.count("PASS"), ways.count("FAIL"))
    rows = [row for line in end.splitlines() if (row := re.findall(_COUNTED, line[:400]))]
    if not rows:
        return None
    has_parts = "test result: " in end  # then each row counts another part
    found = [pair for row in (rows if has_parts else rows[-1:]) for pair in row]
    passed = sum(int(number) for number, word in found if word.startswith("pass"))
    return TestCounts(passed, sum(int(number) for number, _ in found) - passed)


def failed_tests(output: str, *, last: int = _TAIL) -> list[str]:
    """The names of the tests that failed in the last characters, each once, in order."""
    end = output[-last:]
    for form in _NAMES if any(sign in end for sign in _NAME_SIGNS) else ():
        matches: list[str | tuple[str, ...]] = re.findall(form, end)
        names = [each if isinstance(each, str) else "".join(each) for each in matches]
        names = [name for name in names if name[:1].isalnum()]
        if names:
            return list(dict.fromkeys(names))
    return []


def failing_test(output: str) -> str:
    """The bare name of the last failed test in an output; "" if it names none."""
    names = failed_tests(output)
    return bare_test(names[-1]) if names else ""


def bare_test(test: str) -> str:
    """The name of a test without its file, class and parameters."""
    name = test.split(" (")[0].partition("[")[0]
    return name if " " in name else re.split(r"::|:|/|\.", name)[-1] or name


_LONGEST = 200
_WHAT = (
    r"(?:tests?|checks?|verification|validation|build|compilation|suites?|commands?|jobs?|tasks?"
    r"|steps?|process|script|run|execution|operation|request|assertion|lint|linting|tool|call)"
)
_FAILS = (
    r"(?:has |have )?(?:failed|failures?|errors?|exited|unsuccessful|returned|completed"
    r"|did not pass|not passed)"
)
_WITH = (
    r"(?: (?:with|and|due to|because of|after|returned|a|non-?zero|exit|code|status|errors?"
    r"|failures?|\d{1,9}(?:\.\d{1,9})?s?)){0,12}"
)
_COUNTS = (
    r"(?:failures?|errors?|failed|passed|skipped|xfailed|xpassed|warnings?|deselected|tests?|total"
    r"|in [\d.]{1,12}s?|of \d{1,9})"
)
_LEAD = (
    r"(?:npm err! {1,8})?"
    r"(?:(?:error|fatal|failed|failure|stderr|stdout|output|result|status|npm error)\b\W{0,4}){0,3}"
)
_FORMS = (
    rf"(?:\w{{1,30}}(?: \w{{1,30}})? )?{_WHAT}(?: \w{{1,40}})? {_FAILS}{_WITH}",
    r"(?:\w{0,40}(?:error|exception): )?"
    r"(?:exit(?:ed)?|return(?:ed)?)(?: (?:with|a|non-?zero)){0,3} ?(?:code|status|value)?"
    r"\W{0,3}-?\d{0,5}",
    r"HTTP(?:/[\d.]+)?(?: error)?\W{0,3}(?:5\d\d|400)(?: [\w ]{0,30})?",
    r"(?:status|code)\W{0,3}(?:[1-9]\d?|1\d\d|5\d\d|400)",
    r"(?:5\d\d |400 )?(?:internal server error|bad request|server error)",
    r"something went wrong|an? (?:unknown |unexpected )?error (?:has )?occurr?ed|unknown error",
    r"(?:not |un)solved|failed|failures?|errors?|false|none|null|undefined|no|fail|nok",
    r"(?:build|compilation|test) (?:failed|failure|error)[^\n]{0,40}|code elifecycle|errno \d+",
    r"lifecycle script \S{1,80} failed with error",
    rf"{_COUNTS}?(?:\W{{0,3}}\b\d{{1,9}} ?{_COUNTS}\b){{1,12}}\W{{0,80}}"
    r"(?:[\d.]{1,12} ?s(?:econds)?)?",
    r"failed \((?:failures|errors|skipped|unexpected)[^)]{0,80}\)",
    r"failed to push some refs to [^\n]{0,80}|(?:\w{1,40}: error: )?ld returned \d+ exit status",
    r"compilation failed; see [^\n]{0,80}|rake aborted!"
    r"|(?:\* what went wrong: )?execution failed for task [^\n]{0,80}",
    r"test failed, to rerun pass [^\n]{0,120}"
    r"|(?:begin failed--compilation|execution of \S{1,200}) aborted[^\n]{0,200}",
    r"could not compile [^\n]{0,80}|aborting due to [^\n]{0,60}|all shards failed",
    r"recipe \S{1,80} failed(?: on line \d+)? with exit code \d+"
    r"|build did not complete successfully"
    r"|(?:task: )?failed to run task [^\n]{1,120}: exit (?:code|status):? \d+",
    r"make(?:\[\d+\])?: \*\*\* [^\n]{0,120}error \d+|process completed with exit code \d+",
    r"(?:the |running )?(?:command |[\"'`])[^\n]{0,80} (?:failed|exited|returned)(?: with)?"
    r"(?: non-zero)?(?: exit)?(?: (?:code|status))? ?-?\d*",
)
_OUTER = rf"(?i)\W{{0,8}}{_LEAD}(?:{'|'.join(_FORMS)})\W{{0,8}}"
_RUNNERS = (  # how a package manager reports that a script of the project failed
    r"(?i)npm (?:err!|error) +(?:(?:in )?workspace|(?:at )?location|command|path|cwd|failed at the"
    r"|this is probably|test failed|exit status|\S{1,80}@\S{1,40} \S{1,40}: `)[^\n]*"
    r"|npm (?:err!|error) lifecycle script [^\n]*"
    r"|(?:note|help): [^\n]*"
)
_NOISE = (
    r"[\W\d_]*+|\W*(?:PASS(?:ED)?|[Oo][Kk]|[Dd]one|DONE|yes|y/n|true)\W*"
    r"|[^\n]{0,40}?[\d.]+ ?%[^\n]{0,60}|\S{0,40}[$#>] ?"
)


def is_outer(line: str) -> bool:
    """Whether a line names no cause: an outer error, a bracket, a progress bar, a prompt."""
    text = line.strip()
    if len(text) > _LONGEST:
        return False
    return any(re.fullmatch(form, text) for form in (_OUTER, _RUNNERS, _NOISE))
