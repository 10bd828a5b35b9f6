"""Clues: what the text of a lesson is about, to find lessons that no run has produced.

People, models and packs write lessons without having met the failure. The text still says which
failures it is about. A failing call gives clues in the same form, so the two can be compared:

    says     a quoted message: “file or directory not found”
    error    the class of an exception: UnicodeEncodeError
    lacks    a missing program or module: “this environment has no pytest”
    call     a program or tool, perhaps with a flag: rm, python -c, tests/runtests.py
    name     another name of code, or a path: INSTALLED_APPS, f-string, xarray/tests
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.values.lesson import (
    MINED,
    USER_SUPPLIED,
    Evidence,
    Kind,
    Lesson,
    join_evidence,
    values_of,
)
from hardwon.knowledge.reading.reading import missing_name
from hardwon.knowledge.reading.shell import INTERPRETERS, flag_name, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.core.values.run import Step
    from hardwon.knowledge.reading.shell import Command

SAYS, ERROR, LACKS, CALL, NAME = "says ", "error ", "lacks ", "call ", "name "
UNTELLING = INTERPRETERS | {"cat", "cd", "echo"}  # programs whose name says little of a call
_MOST = 40  # clues of one lesson, and of one failure
_READ = 4_096
_COMMANDS, _FOLDERS = 6, 3

# Linear: every repetition is bounded or possessive.
_SPAN = r"`([^`\n]{1,200})`"
_QUOTED = r"“([^“”\n]{3,200})”|(?<!\w)\"([^\"\n]{3,200})\"(?!\w)"
_CLASS_ENDINGS = ("Error", "Exception", "Warning", "NotReady", "NotFound", "DoesNotExist")
_CLASS = rf"\b[A-Z][A-Za-z]{{2,40}}(?:{'|'.join(_CLASS_ENDINGS)})\b"
_IDENTIFIER = (
    r"(?<![\w./-])(?:"
    r"[A-Za-z_]\w{0,60}(?:[._-]\w{1,60}){1,8}"  # settings.configure, f-string, app_label
    r"|[A-Z]{4,40}|[A-Z]+_[A-Z_]{1,40}"  # ASCII, INSTALLED_APPS
    r")(?![\w/])"
)
_PATH = r"(?<![\w.-])\.{0,2}/?[\w.-]{1,80}(?:/[\w.*-]{1,80}){1,10}/?"
_EVERYWHERE = (  # words that occur in all sorts of errors
    "error exception warning traceback failed failure fail file directory name named object"
    " attribute type value argument line position module import such not found no cannot can"
    " invalid missing unknown expected unexpected got given must string code exit status errno"
    " command is has does did was been the a an of in to for with and or by from at on it this"
    " that be are as but if you your unable could recent call last number other already null none"
)
_GENERAL = frozenset(_EVERYWHERE.split())
_NO = r"\b[Nn]o `?([A-Za-z][\w.+-]{0,40}\w)\b"
_MISSING = (
    rf"{_NO}|"
    r"`?\b([A-Za-z][\w.+-]{0,40}\w)`? is (?:missing|not (?:installed|there|found|available))"
)
_SIGNS_NO, _SIGNS_MISSING = ("No ", "no "), (" is missing", " is not ")  # one is in each match
_KEY = r"\"(\w{1,40})\":"
_CAPITALS = "error errors fail failed note true false none todo http https html json yaml path"
_LOUD = frozenset(_CAPITALS.split())  # capitals that name nothing in particular
_PROGRAM = r"(?:\.{0,2}/)?[A-Za-z][\w./+-]{0,60}"


def clues(text: str) -> tuple[str, ...]:
    """The clues in the text of a lesson, each once, in order."""
    text = text[:_READ]
    all_clues = list(_all_clues(text))
    calls = [clue for clue in all_clues if clue.startswith(CALL)]
    if calls:
        opening = _all_clues(text[: _first_sentence(text)])
        calls = [clue for clue in opening if clue.startswith(CALL)] or calls
    others = [clue for clue in all_clues if not clue.startswith(CALL)]
    return tuple(dict.fromkeys((*others, *calls)))[:_MOST]


def _all_clues(text: str) -> Iterator[str]:
    """All clues in a text."""
    spans = re.findall(_SPAN, text) if "`" in text else ()
    prose = re.sub(_SPAN, " ", text) if spans else text
    for first, second in re.findall(_QUOTED, prose) if "“" in prose or '"' in prose else ():
        yield from _of_message(first or second)
    for span in spans:
        yield from _of_span(span)
    yield from (f"{LACKS}{name.lower()}" for name in _missing(text))
    yield from _of_names(prose)


def _missing(text: str) -> list[str]:
    """What a text says is missing; the slow pattern is tried only where it can match."""
    if any(sign in text for sign in _SIGNS_MISSING):
        return [first or second for first, second in re.findall(_MISSING, text)]
    return re.findall(_NO, text) if any(sign in text for sign in _SIGNS_NO) else []


def clues_of_call(step: Step, line: str) -> tuple[str, ...]:
    """The clues of a failing call and its error line."""
    if step.args.startswith("{"):
        names = (f"{NAME}{key.lower()}" for key in re.findall(_KEY, step.args[:_READ]))
        calls = [f"{CALL}{step.tool.lower()}", *names]
    else:
        calls = [clue for part in parse(step.args)[-_COMMANDS:] for clue in _of_command(part)]
    all_clues = (*_of_error(line), *calls, *_of_settings(step.output))
    return tuple(dict.fromkeys(all_clues))[:_MOST]


def _of_error(line: str) -> Iterator[str]:
    """The clues in an error line."""
    if missing := missing_name(line):
        yield f"{LACKS}{missing.lower()}"
    yield from _of_names(line)
    words = re.findall(r"'(\w{3,40})'", line) if "'" in line else ()
    yield from (f"{NAME}{word.lower()}" for word in words)


def specific_words(text: str) -> str:
    """The specific words of a failure, without words that occur in all sorts of errors."""
    words: list[str] = re.findall(r"<\w+>|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\w+", text)
    return " ".join(word for word in words if word[0] != "<" and word.lower() not in _GENERAL)


def quotes(pieces: Iterable[str], output: str) -> bool:
    """Whether an output contains one of the quoted messages among the clues."""
    messages = [clue.removeprefix(SAYS) for clue in pieces if clue.startswith(SAYS)]
    folded = _fold(output) if messages else ""
    return any(message in folded for message in messages)


def is_about_error(lesson: Lesson, failing: Step) -> bool:
    """Whether the text of a lesson is about the error of a call, and not only about the call."""
    line = failing.failure.line if failing.failure else ""
    lesson_clues = clues_of(lesson)
    shared = set(lesson_clues).intersection(_of_error(line))
    if any(
        clue.startswith(SAYS) for clue in lesson_clues
    ):  # another message of the same class is not meant
        shared = {clue for clue in shared if not clue.startswith(ERROR)}
    return bool(shared) or quotes(lesson_clues, failing.output)


def follows_advice(lesson: Lesson, step: Step, before: Iterable[Step]) -> bool:
    """Whether a step does something that the lesson advises and no earlier step did."""
    advised = set(filter(_is_specific, _all_clues(lesson.correction[:_READ]))).intersection(
        _done(step)
    )
    for earlier in before if advised else ():
        advised.difference_update(_done(earlier))
    return bool(advised)


def _done(step: Step) -> Iterator[str]:
    """The clues in a call, with every name in its arguments."""
    yield from clues_of_call(step, "")
    yield from _of_names(step.args[:_READ])


def _is_specific(clue: str) -> bool:
    """Whether a clue is more specific than the name of a common program."""
    sort, _, name = clue.partition(" ")
    return sort == "error" or bool(re.search(r"[ /_.-]", name))


def with_clues(lesson: Lesson) -> Lesson:
    """The lesson with the clues of its text as evidence; a mined lesson is returned unchanged."""
    if lesson.origin == MINED:
        return lesson
    other_evidence = [piece for piece in lesson.evidence if piece.kind != Kind.ABOUT]
    told = dict.fromkeys((lesson.situation, lesson.mistake, lesson.correction))
    text = "\n".join(words for words in told if words != USER_SUPPLIED)
    pieces = [Evidence(Kind.ABOUT, clue) for clue in clues(text)]
    return lesson._replace(evidence=join_evidence(other_evidence, pieces))


def clues_of(lesson: Lesson) -> tuple[str, ...]:
    """The clues that a lesson keeps as evidence."""
    return values_of(lesson.evidence, Kind.ABOUT)


def _of_message(quoted: str) -> Iterator[str]:
    """Clues of a quoted message, split at ellipses; a single word is too general."""
    for part in re.split(r"…|\.\.\.", quoted):
        folded = _fold(part)
        if len(folded.split()) > 1:
            yield f"{SAYS}{folded}"
    yield from _classes(quoted)


def _first_sentence(text: str) -> int:
    """The end of the first sentence, which says when a lesson holds."""
    end = re.search(r"[.!?]\s", re.sub(_SPAN, lambda span: "x" * len(span[0]), text))
    return end.end() if end else len(text)


def _of_span(span: str) -> Iterator[str]:
    """Clues of a code span: a message, a command or a name."""
    if re.search(_CLASS, span) and " " in span:
        yield from _of_message(span)
        return
    for command in parse(span)[:_COMMANDS]:
        if re.fullmatch(_PROGRAM, command.program):
            yield from _of_command(command)
    yield from _of_names(span)


def _of_command(command: Command) -> Iterator[str]:
    """Clues of a command: its program with sub-command, flags and starter, and its paths."""
    name = command.program if "/" in command.program else command.name
    name = name.removeprefix("./").lower()
    if not name:
        return
    yield f"{CALL}{name}"
    if command.verb:
        yield f"{CALL}{name} {command.verb.lower()}"
    yield from (f"{CALL}{name} {flag_name(flag)}" for flag in command.flags)
    yield from (f"{CALL}{start} {name}" for start in command.via)
    if command.script and not command.writes and command.name in INTERPRETERS:
        yield f"{CALL}{name} -c" if "<<" not in command.text else f"{CALL}{name} <<"
    for target in command.targets:
        yield from _paths(target)


def _of_names(text: str) -> Iterator[str]:
    """Clues of identifiers, paths and exception classes in a text."""
    yield from _classes(text)
    for path in re.findall(_PATH, text) if "/" in text else ():
        yield from _paths(path)
    words = [word for word in text.split() if not (word.isalpha() and word.islower())]
    for name in re.findall(_IDENTIFIER, " ".join(words)):  # a plain word is no such name
        if name.lower() not in _LOUD:
            yield f"{NAME}{name.lower()}"
            if "_" in name:
                yield f"{CALL}{name.lower()}"


def _of_settings(output: str) -> Iterator[str]:
    """Clues of settings and constants that an output mentions."""
    end = output[-_READ:]
    names = re.findall(r"\b[A-Z]{3,30}_[A-Z_]{2,30}\b", end) if "_" in end else ()
    return (f"{NAME}{name.lower()}" for name in names)


def _paths(text: str) -> Iterator[str]:
    """Clues of a path, the folders above it and its last name; `::test` is cut off."""
    parts = text.split("::", 1)[0].strip("./").lower().split("/")
    if len(parts) > 1 or re.search(r"\w\.\w{1,5}$", parts[0]):
        for end in range(len(parts), max(1, len(parts) - _FOLDERS), -1):
            yield f"{NAME}{'/'.join(parts[:end])}"
        yield f"{NAME}{parts[-1]}"


def _classes(text: str) -> Iterator[str]:
    has_class = any(ending in text for ending in _CLASS_ENDINGS)
    return (f"{ERROR}{name.lower()}" for name in (re.findall(_CLASS, text) if has_class else ()))


def _fold(text: str) -> str:
    return " ".join(text.lower().split())
