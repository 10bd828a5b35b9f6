"""Read a failure: its exact digest, its kind and the line of the error."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.reading.authored import fields, scalars
from hardwon.knowledge.reading.call_keys import blamed_command
from hardwon.knowledge.reading.error_line import informative_line
from hardwon.knowledge.reading.reports import failing_test
from hardwon.knowledge.reading.shell import SHELL, parse
from hardwon.knowledge.reading.signature import PLAIN, fold, line_signature
from hardwon.knowledge.reading.verdict import TIMED_OUT, says_timeout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


INLINE = " in code given with the call"  # of a kind: no file holds what failed
_LINE = 300
_UNPARSED = r"SyntaxError: (?:invalid syntax|unexpected EOF while parsing)"
_GENERAL = rf"[A-Z]\w*|{_UNPARSED}"
_TESTED = r"AssertionError|Failed|(?:FAILED|ERROR) .*"  # only says that a test has failed
_RED = {"FAILED": "test failed", "ERROR": "test failed"}


def read_failure(step: Step, before: Sequence[Step]) -> Failure | None:
    """The failure of a failing step; None if its output does not say what went wrong.

    `before` are the earlier steps of the run. Names that the run invented are folded.
    """
    line = informative_line(step.output)
    if not line:
        return None
    text = step_kind(one_line(line), step, before)
    if re.fullmatch(_TESTED, text) and (test := failing_test(step.output)):
        word = text.split(" ", 1)[0]
        text = f"{_RED.get(word, word)} in {test}"
        exact = line_signature(step.tool, text).digest
    else:
        exact = "" if re.fullmatch(_GENERAL, text) else line_signature(step.tool, line).digest
    if re.fullmatch(_UNPARSED, text) and 'File "<string>"' in step.output:
        text += INLINE
    if step.args.startswith("{") and not is_limit(line):
        text = f"{tool_of(step)}: {text}"
    kind = blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return Failure(exact, kind, text, one_line(line, _LINE))


def tool_of(step: Step) -> str:
    """The tool that a step calls, without its operation: one tool says the same for all of them."""
    return step.tool.partition(".")[0]


_OPERANDS = 2  # of a command that its error may repeat
_OWN = 4  # shorter argument values are not looked for in an error line
_FIELD = r"[a-z][A-Za-z_.-]{1,40}: (?=\S)"
_ARGUMENT = (  # a missing or unknown argument in the words of Python
    r"(?:TypeError: )?[\w.<>]{1,120}\(\) (?:missing \d{1,2} required (?:positional|keyword-only)"
    r" arguments?: '(?P<lacked>\w{1,60})'"
    r"|got an unexpected keyword argument '(?P<unknown>\w{1,60})')"
)
_REJECTED = r" (?:is (?:not|no|unknown|invalid)|isn't|does not|doesn't|was not|could not|cannot)\b"
_PROPER = r"[A-Z][a-z]{2,}"


def step_kind(line: str, step: Step, before: Sequence[Step]) -> str:
    """The kind of failure of a step, as text; equal texts are one kind.

    `before` are the earlier steps of the run. Names that the run invented are folded.
    The name of a rejected field is kept, it belongs to the tool.
    """
    command = blamed_command(parse(step.args), line) if says_timeout(line) else None
    if command:
        return f"{command.does}{TIMED_OUT}"
    if not step.args.startswith("{"):
        return _text_kind(_without_operands(line, step), step, before)
    if argument := re.match(_ARGUMENT, line):
        lacked, unknown = argument["lacked"], argument["unknown"]
        return f"{lacked}: Field required" if lacked else f"{unknown}: unexpected argument"
    line = _without_values(line, step)
    field = re.match(_FIELD, line)
    if field and field[0][:-2] not in scalars(fields(step.args)):
        return f"{field[0]}{_text_kind(line[field.end() :], step, before)}"
    return _text_kind(line, step, before)


def _without_values(line: str, step: Step) -> str:
    """The line without the values of arguments that it repeats.

    Plain words stay, as they may be the tool's own. A capital within a sentence marks a name, and
    so does a line that begins with the word and rejects it, or ends with it behind a mark.
    """
    said = re.search(rf"[:?=] (\w{{{_OWN},40}})$", line)  # a word of a query, or the operation
    if said and re.search(rf"\b{said[1]}\b", f"{step.tool.partition('.')[2]} {step.args}"):
        line = f"{line.removesuffix(said[1])}{NAME}"
    for value in scalars(fields(step.args)):
        if value and line.endswith((f"? {value}", f": {value}", f"= {value}")):
            line = f"{line.removesuffix(value)}{NAME}"
        elif len(value) >= _OWN and not re.fullmatch(r"[A-Za-z]+", value):
            line = line.replace(value, NAME)
        elif value and line.startswith(value) and re.match(_REJECTED, line[len(value) :]):
            line = f"{NAME}{line[len(value) :]}"
        elif re.fullmatch(_PROPER, value) and value in line:
            line = re.sub(rf"(?<=[a-z,] ){value}\b", NAME, line)
    return line


def _without_operands(line: str, step: Step) -> str:
    """The line without the last operands of the call that it repeats behind a word."""
    for command in parse(step.args):
        for word in command.operands[-_OPERANDS:]:
            is_word = f" {word}" in line and re.fullmatch(r"\w[\w./@-]{2,60}", word)
            if is_word and word != command.verb:
                line = re.sub(rf"(?<=[\w:] ){re.escape(word)}(?![\w:])", NAME, line)
    return line


def _text_kind(line: str, step: Step, before: Sequence[Step]) -> str:
    if fixture := missing_fixture(line):
        return kind_text(line, is_coined=is_written(fixture, step, before))
    name = missing_name(line)
    if not name or is_own_module(name, step, before):
        return kind_text(line, is_coined=bool(name))
    if is_target(name, step):
        return f"{kind_text(line, is_coined=True)} that the call names"
    return kind_text(line)


_LOOKED_BACK, _PLACES = 60, 40  # steps; places in a text
_INSTALLED = r"(?:site-packages|dist-packages|node_modules|lib/python[\d.]*)/$"
_IMPORTS = r"(?:import_module|require|importorskip|find_spec|__import__|install|import)\W*['\"]$"
_MAKES = r"(?:mkdir|touch)(?: -\w{1,20}){0,4} (?:[\w./-]{1,200} ){0,4}(?:[\w.-]{1,80}/){0,4}$"


def is_own_module(name: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether the run made a module of this name, or has it in its project."""
    steps = (step, *before[-_LOOKED_BACK:])
    is_written = any(_names(name, each.args) for each in steps)
    return is_written or any(_holds(name, each.output) for each in steps)


def is_target(name: str, step: Step) -> bool:
    """Whether the name is a target of the call, such as a test or an app."""
    installs = {"install", "add", "get"}
    return any(name in each.operands for each in parse(step.args) if each.verb not in installs)


def is_written(name: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether a call of the run contains the name: the run may have invented it."""
    calls = (each.args for each in (step, *before[-_LOOKED_BACK:]) if name in each.args)
    return any(name in re.findall(r"\w+", args) for args in calls)


def _names(root: str, text: str) -> bool:
    """Whether a call makes the module or uses it as its own: a file, a folder, a quoted label."""
    return any(
        _is_own(text[max(0, at - 40) : at], text[at + len(root) : at + len(root) + 4])
        for at in _places(root, text)
    )


def _places(part: str, text: str) -> Iterator[int]:
    """The positions of the part in a text, at most `_PLACES`."""
    at = text.find(part)
    for _ in range(_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(part, at + len(part))


def _is_own(before: str, after: str) -> bool:
    if before[-1:].isalnum() or before[-1:] in {"_", "."} or re.search(_INSTALLED, before):
        return False
    if re.match(r"\.py\b|/", after):
        return before[-1:] != "/" or bool(re.search(r"(?:^|[\s'\"=])(?:\.|/\w+|\w+)/$", before))
    if before[-1:] in {"'", '"'} and after[:1] in {"'", '"', "."}:
        return not re.search(_IMPORTS, before)
    is_whole = not after[:1].isalnum() and after[:1] != "_"
    return is_whole and bool(re.search(_MAKES, before))


def _holds(root: str, text: str) -> bool:
    """Whether an output shows a folder of this name at the root of a project."""
    return any(
        re.search(r"(?:^|[\s'\"])(?:\./|/\w+/)?$", text[max(0, at - 60) : at])
        for at in _places(f"{root}/", text)
    )


_LIMIT = (
    r"(?i:\brate.?limit|\btoo many requests\b|\bthrottl(?:ed|ing)\b"
    r"|\b(?:HTTP|status|code|error)\W{1,3}429\b|\b429 too many\b"
    r"|\brequests per (?:second|minute|hour|day)\b|\brate exceeded\b"
    r"|\blimited to \d+ (?:\w+ )?(?:per|every|in|each) (?:\d+ ?)?(?:s|sec|m|min|h|hour|day|minute)"
    r"(?:ond)?s?\b)"
)


def is_limit(line: str) -> bool:
    """Whether an error line reports a rate limit."""
    return bool(re.search(_LIMIT, line))


NAME = "<name>"
_ABSENT = "no command or module named"  # our words: shells and languages say it in many ways
_READ, _LONGEST = 600, 160
QUOTES = "'\"\u2018\u2019"

# Linear: every repetition is possessive or bounded, and at most `_READ` characters are read.
_PRINTER = (  # the shell or interpreter that prints the message of another program
    rf"(?:/(?:usr/)?bin/)?{SHELL}: (?:-c: )?(?:line \d+: |\d+: )?"
    r"|(?:/\S{1,80}/)?(?:python|pypy)[\d.]*: "
)
_PLACE = (  # file and line, and other text that tools print before the message
    r"(?:<internal:[^>\s]{1,200}>:\d{1,9}:in [^:]{1,80}:\s++|[\w./-]{1,200}+: line \d{1,9}: "
    r"|\d{4}[/-]\d\d[/-]\d\d[ T]\d\d:\d\d:\d\d[\d.,]{0,10}Z? (?:(?:FATAL|ERROR|error)[: ]+)?"
    r"|(?:[\w.-]{1,40}:)?[^\s:(]{1,200}[:(]\d{1,9}(?:[:,]\d{1,9}){0,2}\)?"
    r"(?::| -|:? ?in [^:]{1,80}:)\s++|\d+:\d+\s++"
    r"|\[(?:ERROR|error)\]\s++|(?:Uncaught|Unhandled) [^:\n]{0,40}?(?=[A-Z]\w+:)"
    r"|Exception in thread .{1,80}? (?=[\w.]+))"
)
_MODULE = r"(?<![\w.$\\:/])(?:[A-Za-z_$][\w$]*+(?:\.|::|\\)){1,12}(?=[A-Z]\w*+(?::\s|:?\Z))"
_RAISED = (
    r"(?<!\w)(?:[A-Za-z_]\w*+\.){1,12}([A-Z]\w*+)(?=: |\Z)"  # an exception class with its module
)
_HINT = r"[.;,]? ?\(?(?:Did you mean|Perhaps you|Maybe you|did you mean|See ['\"]?https?:)[^\n]*+\Z"
_CATEGORY = r"\s\[-?\w{1,20}=[^\]\n]{1,200}\]\Z"  # behind a message: `[type=missing]`
_COMPARISON = (
    r" [!=]=+ | is not | not found in | differ| not equal|not almost equal|within \d| mismatch"
    r"|Mismatch|not raised|unexpectedly|not (?:less|greater)"
    r"|\bto (?:be|equal|match|contain|deep)\b"
)
_ASSERTION = (
    rf"AssertionError\b(?:\Z|:? *+(?:assert\b|expect|.{{0,160}}?(?:{_COMPARISON})))"
    r"|assert \S|expect\(|Expected: |(?:DID NOT|Did not) \w+ <"
    r"|[^\n]{0,300}?: Assertion [`'][^\n]{1,200} failed\.?\Z"
)
_SIGNAL = (  # how a shell names the signal that ended a program
    r"(?:\d{1,9}\s++)?(Segmentation fault|Floating point exception|Aborted|Bus error|Killed"
    r"|Illegal instruction|Terminated|Trace/breakpoint trap)\b"
)
_BARE = r"(IndentationError|TabError)\b"  # the message depends on the Python version
_MISSING = (
    r"(?:.{0,60}?\b(?:ModuleNotFoundError|ImportError|Error): )?"
    r"No module named ['\"]?([\w.-]{1,100})['\"]?"
    r"|(?:.{0,40}: )?([\w.+-]{1,60}): command not found(?: in PATH)?|([\w.+-]{1,60}): not found"
    r"|(?:.{0,60}: )?command not found: ([\w.+-]{1,60})"
    r"|'?([\w.+-]{1,60})'? is not recognized as an internal or external command.{0,60}"
    r"|cannot load such file -- ([\w.+-]{1,100})(?: \(LoadError\))?"
    r"|(?:.{0,60}: )?there is no package called [\u2018']([\w.]{1,60})[\u2019']"
)
_FIXTURE = r"(?:E +)?fixture '(\w{1,80})' not found"
_ABSENT_WORDS = r"(?i:no such|unknown|unrecognized|missing|undefined|duplicate|invalid|cannot find)"
_AFTER = (  # a name follows these words, even if it looks like a plain word
    rf"(\b{_ABSENT_WORDS}(?: [a-z]{{2,12}})?(?=: )|\b{_ABSENT_WORDS} [a-z]{{3,12}}(?= )"
    r"|(?i:not found|not in scope|required|not used)(?=: )):? "
    r"(?!<n>|(?:to|in|of|for|is|as|at|or|and)\b)[^\s,;()]++(?=[.,;)]?(?:\Z| \())"
)
_BEFORE = (
    r"(?<![\w$.'\"`-])[\w$.]++(?= is not (?:defined|a function|a constructor)\b"
    r"| declared (?:but|and) not used\b)"
)
_CODE = (
    r"\A(?i:error) \d{1,5}(?: \(\w{5}\))?|\A[A-Z][A-Z\d_]{3,}\b|\A[A-Z]{1,5}\d{2,5}\b"
    r"|\[ERR_\w{2,60}\]|\[Errno -?\d+\]|\bErrno \d+|(?i:\berror(?: -?\d{1,5}|: [45]\d\d)\b)"
    r"|(?i:\berror(?: occurred| from server)?) \(\w+\)"
    r"|(?<![\w-])(?:error[ \[]|\[|\()?[A-Z]{1,5}-?\d{3,5}(?=[\]:)])"
    r"|(?i:\b(?:http(?:/[\d.]{1,3})?|status(?: code)?|exit(?: (?:code|status))?|signal|code"
    r"|returned)[ :=(]{1,3}\d{1,5}\b)"
)
_QUOTED = (
    r"(?<!\w)[bruf]?'[^'\\]*+(?:\\.[^'\\]*+)*'(?!\w)"
    r"|(?<![\w\\])\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|``[^`]*+``|`[^`'\s]{1,80}+'(?!\w)|`[^`]*+`"
    r"|\u2018[^\u2018\u2019]*+\u2019|\u201c[^\u201c\u201d]*+\u201d|<(?!(?:n|name)>)[^<>]{1,200}+>"
)
_COINED = "|".join(
    (
        PLAIN,
        rf"(?P<code>{_CODE})",
        rf"(?P<quoted>{_QUOTED})",
        r"(?P<number>(?<![\w-])[-+]?(?:\d++(?:[.,:]\d++)*|<n>)(?:[eE]-?\d+)?%?(?![\w-]))",
        r"(?P<word>(?<![\w.])(?:[^\W\d]|[#$@]|[.~]{0,2}/(?=[\w.])|--?(?=\w))[\w.$#@/\\:-]*+"
        r"(?:\([^()\n]{0,80}\)|\[[^\]\s]{0,40}\])?)",
        r"(?P<mixed>(?<![\w.-])(?=[\w.-]{0,80}?\d)[\w.:-]++)",
    )
)
_PLAIN = r"e\.g|i\.e|[A-Z]?[a-z]+(?:['-][A-Za-z]+)*|[A-Z]{2,12}|[a-z]{1,3}/[a-z]{1,3}|-?[A-Za-z]"
_CLASS = r"\w*(?:Error|Exception|Warning|Exit|Failure|Failed|Timeout|NotFound|DoesNotExist)"
_IDENTIFIER = r"[_.$#@/\\\d\[]|\((?!s\))|::|[a-z][A-Z]|^-"
_ROW = rf"{NAME}(?:[\s.:/=,@-]*+(?:(?:and|or)\s++)?{NAME})+"


def kind_text(line: str, *, is_coined: bool = False) -> str:
    """The kind of an error line: the line without names and values.

    A missing module, program or fixture keeps its name, unless the run invented it (`is_coined`).
    """
    bare = _strip(line)
    if missing := _missing(bare):
        return f"{_ABSENT} {NAME if is_coined else _root(missing)}"
    if fixture := re.fullmatch(_FIXTURE, bare):
        return f"fixture {NAME if is_coined else fixture[1]} not found"
    if re.match(_ASSERTION, bare):
        return "AssertionError"
    if name := re.match(_BARE, bare) or re.match(_SIGNAL, bare):
        return name[1]
    raised = re.search(_RAISED, line[:_READ]) if "." in line else None
    return _fold_names(bare, head=raised[1] if raised and bare.startswith(raised[1]) else "")


def printed_text(kind: str, line: str) -> str:
    """A failure kind in the words that a program prints, without the names that it folds."""
    missing = _missing(_strip(line)) if kind.startswith(_ABSENT) else None
    if missing is None:
        return kind
    if NAME not in kind:
        return missing[0]
    start, end = missing.span(missing.lastindex or 0)
    head, tail = missing.string[:start], missing.string[end:]
    return f"{head.rstrip(QUOTES)}{NAME}{tail.lstrip(QUOTES)}"


def missing_name(line: str) -> str:
    """The module or program that the line says is missing; "" if it names none."""
    missing = _missing(_strip(line))
    return _root(missing) if missing else ""


def missing_fixture(line: str) -> str:
    """The test fixture that the line says is missing; "" if it names none."""
    fixture = re.fullmatch(_FIXTURE, _strip(line))
    return fixture[1] if fixture else ""


def _missing(bare: str) -> re.Match[str] | None:
    """The words of a line that says that a module or program is missing."""
    return re.fullmatch(_MISSING, bare)


def _root(missing: re.Match[str]) -> str:
    name: str = next(filter(None, missing.groups()))
    return name.split(".", 1)[0]


@lru_cache(maxsize=128)  # several rules ask about the line of a failing step
def _strip(line: str) -> str:
    """The line without file and line number, printing shell, modules of classes, and hints."""
    for pattern in (_PRINTER, _PLACE, _PRINTER):
        prefix = re.match(pattern, line)
        line = line[prefix.end() :] if prefix else line
    plain = re.sub(_CATEGORY, "", re.sub(_MODULE, "", line[:_READ]))
    return re.sub(_HINT, "", plain).strip()


def _fold_names(bare: str, *, head: str) -> str:
    """The text with names folded, except the exception class `head` that it begins with."""
    # First the names that words announce: `no such table: app_book`
    text = re.sub(_BEFORE, NAME, re.sub(_AFTER, rf"\1 {NAME}", bare[len(head) :]))
    text = head + re.sub(_COINED, _replacement, text)
    text = " ".join(text.split())
    text = (re.sub(_ROW, NAME, text) if text.count(NAME) > 1 else text).strip(" .")
    has_words = re.search(r"[^\W\d_]{2}", re.sub(r"<\w+>", "", text))
    text = text if has_words else fold(bare)  # the line is only a code, such as `not_found`
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0]


def _replacement(match: re.Match[str]) -> str:
    sort, text = match.lastgroup, match[0]
    if sort in ("code", "plain"):
        return text
    if sort == "number":
        return "<n>"
    word = text.rstrip(".:/-")
    if sort == "word" and not _is_coined(word):
        return text
    return NAME + text[len(word) :] if sort == "word" else NAME


def _is_coined(word: str) -> bool:
    """Whether a word looks like an identifier rather than a plain word."""
    if word.isascii() and word.isalpha() and word.islower():
        return False  # as most are; quicker than the pattern, which says the same
    if re.fullmatch(_PLAIN, word) or re.fullmatch(_CLASS, word):
        return False
    return bool(re.search(_IDENTIFIER, word))
