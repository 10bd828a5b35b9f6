"""The diagnosis of a failure: the family of its error, its cause in words, and what to check.

A family is recognised by the wording of the message, never by the tool that printed it.
"""

import re
from typing import NamedTuple

from hardwon.core.text.clean import one_line
from hardwon.core.text.quoting import quotable, stated
from hardwon.knowledge.reading.error_line import error_line

_TAIL = 6_000  # characters at the end of the output that are searched after the error line
# Their error line may not show which tool it was.
_REPORTS = {
    "pytest",
    "eslint",
    "mypy",
    "tsc",
    "ruff",
    "pylint",
}


class Diagnosis(NamedTuple):
    """The family of a failure, the language it concerns, its cause and what to check."""

    family: str
    language: str
    line: str  # the error line, as far as it may be quoted
    cause: str  # "the module `numpy` is not installed for this interpreter"
    check: str  # what to do next: "Install it, or use another interpreter"

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of a lesson about this failure."""
        return tuple(tag for tag in (self.language, self.family) if tag)


class ErrorPattern(NamedTuple):
    """One form of message. `cause` and `check` may refer to groups of the pattern, as `{a}`."""

    family: str
    language: str
    pattern: str
    cause: str
    check: str


# The first pattern that matches counts, so specific ones stand before general ones.
_PATTERNS = (
    ErrorPattern(
        *("rate-limit", ""),
        r"(?i:\b429\b.{0,40}too many|too many requests|rate.?limit(?:ed| exceeded| reached)"
        r"|quota exceeded)",
        "the service limits how often it may be called",
        "Wait as long as it asks before the next call, and call it less often",
    ),
    ErrorPattern(
        *("python", "python"),
        r"No module named '?(?P<a>[\w.-]{1,80})'?",
        "the module `{a}` is not installed for the interpreter that ran",
        "Use the interpreter or runner that has `{a}`, or install it there",
    ),
    ErrorPattern(
        *("python", "python"),
        r"ImportError: cannot import name '(?P<a>[^']{1,80})' from (?:partially initialized"
        r" module )?'(?P<b>[^']{1,120})'",
        "`{b}` has no name `{a}` in the version that is installed",
        "Look up where `{a}` lives in this version of `{b}`",
    ),
    ErrorPattern(
        *("python", "python"),
        r"SyntaxError: (?P<a>.{1,160})",
        "Python could not parse the code: {a}",
        "Read the lines around the marked place before running it again",
    ),
    ErrorPattern(
        *("python", "python"),
        r"IndentationError: (?P<a>.{1,160})",
        "the indentation is broken: {a}",
        "Print the lines with their white space and mend them",
    ),
    ErrorPattern(
        *("python", "python"),
        r"ModuleNotFoundError",
        "a module is missing",
        "Check which interpreter runs and what is installed in it",
    ),
    ErrorPattern(
        *("mypy", "python"),
        r"\.pyi?:\d{1,9}(?::\d{1,9})?: error: (?P<a>.{1,160}?)(?: \[(?P<b>[\w-]{1,40})\])?$",
        "mypy objects: {a}",
        "Mend the types where it points; do not silence the line unread",
    ),
    ErrorPattern(
        *("pylint", "python"),
        r"\.py:\d{1,9}:\d{1,9}: (?P<a>[CRWEF]\d{4}): (?P<b>.{3,120})",
        "pylint reports {a}: {b}",
        "Mend what {a} names",
    ),
    ErrorPattern(
        *("ruff", "python"),
        r"(?:\.py:\d{1,9}:\d{1,9}: |^)(?P<a>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(?P<b>.{3,120})",
        "the linter reports {a}: {b}",
        "Mend what {a} names, or run the linter's own fix",
    ),
    ErrorPattern(
        *("tsc", "typescript"),
        r"error (?P<a>TS\d{3,5}): (?P<b>.{1,160})",
        "the TypeScript compiler reports {a}: {b}",
        "Mend the type where it points before building again",
    ),
    ErrorPattern(
        *("eslint", "javascript"),
        r"^\s{0,8}\d{1,6}:\d{1,6}\s{1,4}(?:error|warning)\s{1,4}(?P<a>.{1,120}?)\s{2,}(?P<b>[@\w/-"
        r"]{2,60})$",
        "eslint reports {a} ({b})",
        "Mend what the rule {b} names",
    ),
    ErrorPattern(
        *("node", "javascript"),
        r"Cannot find (?:module|package) '(?P<a>[^']{1,120})'",
        "Node cannot find `{a}`",
        "Install `{a}` in this project, or mend the path of the import",
    ),
    ErrorPattern(
        *("node", "javascript"),
        r"npm (?:ERR!|error) (?:Missing script: [\"'](?P<a>[^\"']{1,80})|(?P<b>.{1,160}))",
        "npm stopped: {b}{a}",
        "Read `package.json` for the scripts and versions it really has",
    ),
    ErrorPattern(
        *("rust", "rust"),
        r"error\[(?P<a>E\d{4})\]: (?P<b>.{1,160})",
        "the Rust compiler reports {a}: {b}",
        "Read `rustc --explain {a}` and mend the place it marks",
    ),
    ErrorPattern(
        *("rust", "rust"),
        r"(?:thread '[^']{0,80}' )?(?:\(\d+\) )?panicked(?: at|:) (?P<a>.{1,160})",
        "the program panicked: {a}",
        "Run it with `RUST_BACKTRACE=1` and read the first frame of yours",
    ),
    ErrorPattern(
        *("go", "go"),
        r"(?:\.go:\d{1,9}:\d{1,9}: (?P<a>.{1,160})|^panic: (?P<b>.{1,160})"
        r"|--- FAIL: (?P<c>\S{1,120})|cannot find package (?P<d>\S{1,120})"
        r"|no required module provides package (?P<e>\S{1,160}))",
        "Go reports: {a}{b}{c}{d}{e}",
        "Mend the place it names, then run only that package again",
    ),
    ErrorPattern(
        *("java", "java"),
        r"(?:\.java:\[?\d{1,9}.{0,20}?(?:error|ERROR): (?P<a>.{1,160})"
        r"|Exception in thread \"[^\"]{1,80}\" (?P<b>.{1,160})|\[ERROR\] (?P<c>(?:Failed"
        r"|COMPILATION|.{0,120}cannot find symbol).{0,120}))",
        "Java reports: {a}{b}{c}",
        "Mend the place it names before building the rest",
    ),
    ErrorPattern(
        *("docker", ""),
        r"(?i:cannot connect to the docker daemon|error response from daemon: (?P<a>.{1,160})"
        r"|failed to solve: (?P<b>.{1,160}))",
        "Docker refused: {a}{b}",
        "Check that the daemon runs and that the image and the name are right",
    ),
    ErrorPattern(
        *("git", ""),
        r"(?:^|\s)(?:fatal|error): (?P<a>(?:not a git repository|pathspec|Your local changes"
        r"|refusing to merge|unable to|could not|remote|bad revision|ambiguous argument"
        r"|failed to push|cannot lock|patch failed).{0,160})|(?P<b>CONFLICT \(.{1,120}"
        r"|Merge conflict in .{1,120}|non-fast-forward)",
        "git refused: {a}{b}",
        "Look at `git status` before the next git command",
    ),
    ErrorPattern(
        *("sql", ""),
        r"(?i:(?:OperationalError|ProgrammingError|IntegrityError|SQLSTATE|ERROR \d{4} \("
        r"|sqlite3\.\w{0,20}Error|psycopg\S{0,30}Error|relation \"[^\"]{1,80}\" does not exist"
        r"|no such (?:table|column)|syntax error at or near|duplicate key value"
        r"|UNIQUE constraint).{0,160})",
        "the database refused: {all}",
        "Look at the schema before the next statement",
    ),
    ErrorPattern(
        *("json", ""),
        r"(?:JSONDecodeError: (?P<a>.{1,120})|Unexpected token (?P<b>.{1,60}?) (?:in JSON"
        r"|, .{0,60}is not valid JSON)|(?P<c>Unexpected end of JSON input|Expecting (?:value"
        r"|property name|',' delimiter).{0,80}))",
        "what came was not JSON: {a}{b}{c}",
        "Print the first bytes of what came before parsing it",
    ),
    ErrorPattern(
        *("timeout", ""),
        r"(?i:timed? ?out(?: after (?P<a>[\d.]+ ?\w{1,12}))?|deadline exceeded|TimeoutError"
        r"|ETIMEDOUT|TIMEOUT)",
        "it did not end in time",
        "Give it more time, or less to do in one call",
    ),
    ErrorPattern(
        *("http", ""),
        r"(?i:\bHTTP(?:/[\d.]{1,3})?[ :]{1,2}(?:error |status "
        r"|code )?(?P<a>[45]\d\d)\b(?P<b>.{0,80})|HTTPError: (?P<c>[45]\d\d.{0,80})"
        r"|status(?: ?code)?[ :=]{1,3}(?P<d>[45]\d\d)\b)",
        "the server answered {a}{d}{b}{c}",
        "Check the address, the credentials and the body before repeating the request",
    ),
    ErrorPattern(
        *("network", ""),
        r"(?i:connection refused|ECONNREFUSED|could not resolve host(?:: (?P<a>\S{1,80}))?"
        r"|name or service not known|ENOTFOUND|connection reset|network is unreachable"
        r"|no route to host)",
        "the other side could not be reached",
        "Check that it runs, on that host and port, before trying again",
    ),
    ErrorPattern(
        *("permission", ""),
        r"(?:(?P<a>[^\s:'\"]{1,160})'?: )?(?i:permission denied|EACCES|operation not permitted"
        r"|EPERM|read-only file system)",
        "the user that ran it may not do that",
        "Check owner and mode of what it names; do not change rights blindly",
    ),
    ErrorPattern(
        *("shell", ""),
        r"(?:: |^|line \d+: )(?P<a>[\w./+-]{1,120}): (?:command )?not found"
        r"|command not found: (?P<b>\S{1,80})|'(?P<c>[^']{1,80})' is not recognized as",
        "`{a}{b}{c}` is not a command here",
        "Find out how this project starts `{a}{b}{c}`, or install it",
    ),
    ErrorPattern(
        *("shell", ""),
        r"(?:['\"‘`](?P<a>[^'\"’`\n]{1,160})['\"’`]"
        r"|(?P<b>[\w./~-]{1,160})): No such file or directory"
        r"|No such file or directory: ['\"](?P<c>[^'\"]{1,160})"
        r"|can't open file '(?P<d>[^']{1,160})'|ENOENT.{0,60}?'(?P<e>[^']{1,160})'"
        r"|file or directory not found: (?P<f>\S{1,160})",
        "`{a}{b}{c}{d}{e}{f}` is not there, seen from the directory it ran in",
        "List the directory first and use the path that is there",
    ),
    ErrorPattern(
        *("shell", ""),
        r"cannot create directory ['\"‘]?(?P<a>[^'\"’\n:]{1,160})",
        "the directory `{a}` could not be made",
        "Make the directories above it too (`mkdir -p`), or check that no file has its name",
    ),
    ErrorPattern(
        *("shell", ""),
        r"(?:bash|sh|zsh|dash|/bin/\w+): .{0,60}?(?:syntax error|unexpected (?:EOF|end of file"
        r"|token)).{0,80}|unexpected EOF while looking for matching.{0,40}|unterminated.{0,60}",
        "the shell could not parse the command: {all}",
        "Put the text into a file or a here-document instead of quoting it",
    ),
    ErrorPattern(
        *("usage", ""),
        r"(?i:(?:unrecognized|unknown|invalid|illegal|no such) (?:arguments?|options?|flag"
        r"|command|subcommand)s?:?(?: --?)? ?(?P<a>.{0,80})|(?:ambiguous option"
        r"|option requires an argument|missing operand"
        r"|the following arguments are required).{0,80})",
        "it does not take that argument: {all}",
        "Read its `--help` before guessing another flag",
    ),
    ErrorPattern(
        *("edit", ""),
        r"(?i:string to replace not found|old_string.{0,40}not (?:found|unique)"
        r"|no replacement was performed|(?:found|matches) \d+ (?:matches|times|occurrences)"
        r"|patch does not apply|hunk #?\d+ FAILED|file has not been read yet"
        r"|has been modified since)",
        "the text to replace was not there exactly as given",
        "Read the file again and copy the exact lines, with enough of them to be unique",
    ),
    ErrorPattern(
        *("memory", ""),
        r"(?i:out of memory|MemoryError|ENOMEM|heap out of memory|\bKilled\b|OOM)",
        "it ran out of memory",
        "Work on less at a time",
    ),
    ErrorPattern(
        *("disk", ""),
        r"(?i:no space left on device|ENOSPC|disk quota exceeded)",
        "the disk is full",
        "Free some space before trying again",
    ),
    ErrorPattern(
        *("pytest", "python"),
        r"(?:^|\s)(?:E   |FAILED \S+::|ERROR \S+\.py|short test summary|no tests ran"
        r"|AssertionError)",
        "the test failed: {line}",
        "Read the assertion and the code it tests before running it again",
    ),
    ErrorPattern(
        *("python", "python"),
        r"^(?P<a>[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Warning|Interrupt)): ?(?P<b>.{0,160})",
        "it raised {a}: {b}",
        "Find where that value comes from before running it again",
    ),
)


def diagnose(output: str) -> Diagnosis:
    """The diagnosis of an output; family "" if no pattern fits."""
    line = one_line(error_line(output), 300)
    tail = output[-_TAIL:]
    for pattern in _PATTERNS if line else ():
        if match := re.search(pattern.pattern, line, re.MULTILINE):
            return _filled_in(pattern, match, line)
    for pattern in _PATTERNS if line else ():
        if pattern.family in _REPORTS and (match := re.search(pattern.pattern, tail, re.MULTILINE)):
            return _filled_in(pattern, match, line)
    quote = quotable(line)
    return Diagnosis("", "", quote, f"it failed with “{quote}”" if quote else "", "")


def _filled_in(form: ErrorPattern, match: re.Match[str], line: str) -> Diagnosis:
    """The diagnosis of a pattern, with the matched names filled in."""
    quote = quotable(line)
    names = {name: stated(value or "") for name, value in match.groupdict().items()}
    names |= {"all": stated(match[0]), "line": quote}
    cause = form.cause.format_map(names).rstrip(": ")
    return Diagnosis(form.family, form.language, quote, cause, form.check.format_map(names))
