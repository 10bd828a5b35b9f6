"""What the text of a lesson is about: the errors it quotes, and the calls and names it mentions.

A person, a model or a pack writes a lesson without ever having met its failure. Its text still says
which failures it is about, and so does a failing call, in the same words:

    says     a quoted message: “file or directory not found”
    error    the class of an exception: UnicodeEncodeError
    lacks    a program or module that is not there: “this environment has no pytest”
    call     a program or tool, with what tells its calls apart: rm, python -c, tests/runtests.py
    name     another name of code, or a path: INSTALLED_APPS, f-string, xarray/tests
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.kind import missing_name
from hardwon.failures.shell import parse
from hardwon.values.evidence import Evidence, Kind, joined, values_of
from hardwon.values.lesson import MINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.failures.shell import Command
    from hardwon.values.lesson import Lesson
    from hardwon.values.step import Step

SAYS, ERROR, LACKS, CALL, NAME = "says ", "error ", "lacks ", "call ", "name "
_ANY_CODE = "python node ruby perl php bash sh cat cd echo"
INTERPRETERS = frozenset(_ANY_CODE.split())  # calls of these tell nothing about what they run
_MOST = 40  # clues of one lesson, and of one failure
_READ = 4_096
_COMMANDS, _FOLDERS = 6, 3

# Linear: every run is bounded or possessive.
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
_EVERYWHERE = (  # words of errors of every sort
    "error exception warning traceback failed failure fail file directory name named object"
    " attribute type value argument line position module import such not found no cannot can"
    " invalid missing unknown expected unexpected got given must string code exit status errno"
    " command is has does did was been the a an of in to for with and or by from at on it this"
    " that be are as but if you your unable could recent call last number other already null none"
)
_GENERAL = frozenset(_EVERYWHERE.split())
_MISSING = (
    r"\b[Nn]o `?([A-Za-z][\w.+-]{0,40}\w)\b"
    r"|`?\b([A-Za-z][\w.+-]{0,40}\w)`? is (?:missing|not (?:installed|there|found|available))"
)
_SIGNS_MISSING = ("No ", "no ", " is missing", " is not ")  # one of them is in each match
_KEY = r"\"(\w{1,40})\":"
_CAPITALS = "error errors fail failed note true false none todo http https html json yaml path"
_LOUD = frozenset(_CAPITALS.split())  # capitals that name nothing in particular
_PROGRAM = r"(?:\.{0,2}/)?[A-Za-z][\w./+-]{0,60}"


def clues(text: str) -> tuple[str, ...]:
    """The clues in the text of a lesson, each once, in order."""
    text = text[:_READ]
    every = list(_all(text))
    calls = [clue for clue in every if clue.startswith(CALL)]
    if calls:
        opening = _all(text[: _first_sentence(text)])
        calls = [clue for clue in opening if clue.startswith(CALL)] or calls
    rest = [clue for clue in every if not clue.startswith(CALL)]
    return tuple(dict.fromkeys((*rest, *calls)))[:_MOST]


def _all(text: str) -> Iterator[str]:
    """Everything that a text quotes, calls or names."""
    spans = re.findall(_SPAN, text) if "`" in text else ()
    prose = re.sub(_SPAN, " ", text) if spans else text
    for first, second in re.findall(_QUOTED, prose) if "“" in prose or '"' in prose else ():
        yield from _said(first or second)
    for span in spans:
        yield from _of_span(span)
    is_missing = any(sign in text for sign in _SIGNS_MISSING)
    for first, second in re.findall(_MISSING, text) if is_missing else ():
        yield f"{LACKS}{(first or second).lower()}"
    yield from _named(prose)


def asked(step: Step, line: str) -> tuple[str, ...]:
    """The clues of a failing call with the line that says what went wrong."""
    if step.args.startswith("{"):
        names = (f"{NAME}{key.lower()}" for key in re.findall(_KEY, step.args[:_READ]))
        calls = [f"{CALL}{step.tool.lower()}", *names]
    else:
        calls = [clue for part in parse(step.args)[-_COMMANDS:] for clue in _of_command(part)]
    every = (*_of_error(line), *calls, *_shown(step.output))
    return tuple(dict.fromkeys(every))[:_MOST]


def _of_error(line: str) -> Iterator[str]:
    """The clues in the line that says what went wrong."""
    if missing := missing_name(line):
        yield f"{LACKS}{missing.lower()}"
    yield from _named(line)
    yield from (f"{NAME}{word.lower()}" for word in re.findall(r"'(\w{3,40})'", line))


def telling(text: str) -> str:
    """The words of a failure that are not those of failures of every sort."""
    words: list[str] = re.findall(r"<\w+>|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\w+", text)
    return " ".join(word for word in words if word[0] != "<" and word.lower() not in _GENERAL)


def quotes(pieces: Iterable[str], output: str) -> bool:
    """Whether one of the quoted messages stands in an output."""
    messages = [clue.removeprefix(SAYS) for clue in pieces if clue.startswith(SAYS)]
    folded = _folded(output) if messages else ""
    return any(message in folded for message in messages)


def agree(lesson: Lesson, failing: Step) -> bool:
    """Whether the text of a lesson speaks of the error of a call, and not only of the call."""
    line = failing.failure.line if failing.failure else ""
    known = clues_of(lesson)
    shared = set(known).intersection(_of_error(line))
    if any(
        clue.startswith(SAYS) for clue in known
    ):  # another message of the same class is not meant
        shared = {clue for clue in shared if not clue.startswith(ERROR)}
    return bool(shared) or quotes(known, failing.output)


def follows(lesson: Lesson, step: Step, before: Iterable[Step]) -> bool:
    """Whether a step does what a lesson advises and no step before it did."""
    advised = set(filter(_is_telling, _all(lesson.correction[:_READ]))).intersection(_done(step))
    for earlier in before if advised else ():
        advised.difference_update(_done(earlier))
    return bool(advised)


def _done(step: Step) -> Iterator[str]:
    """All that a call names."""
    yield from asked(step, "")
    yield from _named(step.args[:_READ])


def _is_telling(clue: str) -> bool:
    """Whether a clue says more than which everyday program is called."""
    sort, _, name = clue.partition(" ")
    return sort == "error" or bool(re.search(r"[ /_.-]", name))


def with_clues(lesson: Lesson) -> Lesson:
    """The lesson with what its text is about, unless a run is where it comes from."""
    if lesson.origin == MINED:
        return lesson
    rest = [piece for piece in lesson.evidence if piece.kind != Kind.ABOUT]
    text = "\n".join(dict.fromkeys((lesson.situation, lesson.mistake, lesson.correction)))
    pieces = [Evidence(Kind.ABOUT, clue) for clue in clues(text)]
    return lesson._replace(evidence=joined(rest, pieces))


def clues_of(lesson: Lesson) -> tuple[str, ...]:
    """What was derived from the text of a lesson when it was written."""
    return values_of(lesson.evidence, Kind.ABOUT)


def _said(quoted: str) -> Iterator[str]:
    """A quoted message, in the parts that an ellipsis leaves of it; one word says too little."""
    for part in re.split(r"…|\.\.\.", quoted):
        folded = _folded(part)
        if len(folded.split()) > 1:
            yield f"{SAYS}{folded}"
    yield from _classes(quoted)


def _first_sentence(text: str) -> int:
    """The end of the first sentence: it says when a lesson holds, the others what to do then."""
    end = re.search(r"[.!?]\s", re.sub(_SPAN, lambda span: "x" * len(span[0]), text))
    return end.end() if end else len(text)


def _of_span(span: str) -> Iterator[str]:
    """A piece of code: a message, a command or a name."""
    if re.search(_CLASS, span) and " " in span:
        yield from _said(span)
        return
    for command in parse(span)[:_COMMANDS]:
        if re.fullmatch(_PROGRAM, command.program):
            yield from _of_command(command)
    yield from _named(span)


def _of_command(command: Command) -> Iterator[str]:
    """A command: its program, with its sub-command, flags and module, and where it works."""
    name = command.program if "/" in command.program else command.name
    name = name.removeprefix("./").lower()
    if not name:
        return
    yield f"{CALL}{name}"
    if command.verb:
        yield f"{CALL}{name} {command.verb.lower()}"
    yield from (f"{CALL}{name} {flag.split('=')[0].split()[0]}" for flag in command.flags)
    yield from (f"{CALL}{start} {name}" for start in command.via)
    if command.script and not command.writes and name.startswith(("python", "node", "bash", "sh")):
        yield f"{CALL}{name} -c" if "<<" not in command.text else f"{CALL}{name} <<"
    for target in command.targets:
        yield from _paths(target)


def _named(text: str) -> Iterator[str]:
    """The names of code, paths and classes of exceptions in a text."""
    yield from _classes(text)
    for path in re.findall(_PATH, text) if "/" in text else ():
        yield from _paths(path)
    for name in re.findall(_IDENTIFIER, " ".join(filter(_may_be_name, text.split()))):
        if name.lower() not in _LOUD:
            yield f"{NAME}{name.lower()}"
            if "_" in name:
                yield f"{CALL}{name.lower()}"


def _may_be_name(word: str) -> bool:
    """Whether a word may hold a name of code; most words of a text are told apart so, quickly."""
    return not word.islower() or "_" in word or "." in word or "-" in word


def _shown(output: str) -> Iterator[str]:
    """The settings and constants that an output mentions."""
    names = re.findall(r"\b[A-Z]{3,30}_[A-Z_]{2,30}\b", output[-_READ:])
    return (f"{NAME}{name.lower()}" for name in names)


def _paths(text: str) -> Iterator[str]:
    """A path and the folders above it; a test within a file is in that file."""
    parts = text.split("::", 1)[0].strip("./").lower().split("/")
    if len(parts) > 1 or re.search(r"\w\.\w{1,5}$", parts[0]):
        for end in range(len(parts), max(1, len(parts) - _FOLDERS), -1):
            yield f"{NAME}{'/'.join(parts[:end])}"
        yield f"{NAME}{parts[-1]}"


def _classes(text: str) -> Iterator[str]:
    has_class = any(ending in text for ending in _CLASS_ENDINGS)
    return (f"{ERROR}{name.lower()}" for name in (re.findall(_CLASS, text) if has_class else ()))


def _folded(text: str) -> str:
    return " ".join(text.lower().split())
