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
    r"(?m)(?<![\w=])[1-9]\d* (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?|exceptions?)\b"
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
    r"(?m)^(?:FAILED|ERROR) (\S+?(?:::\S+)+)",
    r"(?m)^(?:FAIL|ERROR): (\w+(?: \([\w.]+\))?)",
    r"(?m)^_{3,} (\S+) _{3,}$",
    r"(?m)^\s*--- FAIL: (\S+)",
    r"(?m)^---- (\S+) stdout ----|^test (\S+) \.\.\. FAILED",
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


def test_counts(output: str) -> TestCounts | None:
    """The tests that passed and failed, by the last line that counts them; None without one."""
    for line in reversed(output[-_TAIL:].splitlines()):
        found = re.findall(_COUNTED, line[:400])
        if found:
            passed = sum(int(number) for number, word in found if word.startswith("pass"))
            return TestCounts(passed, sum(int(number) for number, _ in found) - passed)
    return None


def failed_tests(output: str) -> list[str]:
    """The names of the tests that failed, each once, in order."""
    end = output[-_TAIL:]
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
