"""Outer errors: lines that only say that something failed, such as `exit code 1`."""

from __future__ import annotations

import re

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
    r"|failures?|\d+(?:\.\d+)?s?))*"
)
_COUNTED = (
    r"(?:failures?|errors?|failed|passed|skipped|xfailed|xpassed|warnings?|deselected|tests?|total"
    r"|in [\d.]+s?|of \d+)"
)
_LEAD = (
    r"(?:npm err! +)?"
    r"(?:(?:error|fatal|failed|failure|stderr|stdout|output|result|status|npm error)\b\W{0,4}){0,3}"
)
_FORMS = (
    rf"(?:\w+(?: \w+)? )?{_WHAT}(?: \w+)? {_FAILS}{_WITH}",
    r"(?:\w{0,40}(?:error|exception): )?"
    r"(?:exit(?:ed)?|return(?:ed)?)(?: (?:with|a|non-?zero))* ?(?:code|status|value)?"
    r"\W{0,3}-?\d{0,5}",
    r"HTTP(?:/[\d.]+)?(?: error)?\W{0,3}(?:5\d\d|400)(?: [\w ]{0,30})?",
    r"(?:status|code)\W{0,3}(?:[1-9]\d?|1\d\d|5\d\d|400)",
    r"(?:5\d\d |400 )?(?:internal server error|bad request|server error)",
    r"something went wrong|an? (?:unknown |unexpected )?error (?:has )?occurr?ed|unknown error",
    r"(?:not |un)solved|failed|failures?|errors?|false|none|null|undefined|no|fail|nok",
    r"(?:build|compilation|test) (?:failed|failure|error)[^\n]{0,40}|code elifecycle|errno \d+",
    r"lifecycle script \S{1,80} failed with error",
    rf"{_COUNTED}?(?:\W{{0,3}}\b\d+ ?{_COUNTED}\b)+[^\w]*(?:[\d.]+ ?s(?:econds)?)?",
    r"failed \((?:failures|errors|skipped|unexpected)[^)]{0,80}\)",
    r"failed to push some refs to [^\n]{0,80}|(?:\w+: error: )?ld returned \d+ exit status",
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
