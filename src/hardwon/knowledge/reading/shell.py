"""Parse shell text into the commands that it runs. Words stay as they were typed.

    cd web && CI=1 sudo -u me pnpm --dir app run test -q a.py 2>&1 | tail

gives two commands. The first has program `pnpm`, verb `run test`, flags `-q` and `--dir app`,
target `a.py`, env `CI=1`, cwd `web`, via `sudo -u me`. The second is `tail`, fed by a pipe.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.reading.programs import (
    ASSIGNMENT,
    KEYWORDS,
    SHELLS,
    Starter,
    interpreter,
    is_project_file,
    program_name,
    starter,
    sub_command,
    unquoted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_READ = 8_192  # characters of a text that are read
_COMMANDS, _PARTS = 40, 200  # at most, commands and pieces between operators
_DEPTH = 3  # shells within shells

# Linear: every repetition is possessive; an unclosed quote or bracket is one character.
_PIECE = (
    r"[^\s'\"\\|&;<>()`$]++|'[^']*+'|\"[^\"\\]*+(?:\\[\s\S][^\"\\]*+)*\"|\\[\s\S]"
    r"|\$\([^()]*+(?:\([^()]*+\)[^()]*+)*\)|`[^`]*+`|\$\{[^}\n]{0,200}+\}|['\"\\`$]"
)
_TOKEN = (
    r"(?P<space>[ \t\r\f\v]++|\\\n)|(?P<comment>(?<![^\s;&|(])#[^\n]*+)"
    r"|(?P<document><<-?(?!<)[ \t]*+(?P<mark>'[^'\n]*+'|\"[^\"\n]*+\"|\\?[\w.-]++))"
    r"|(?P<process>[<>]\([^()]*+(?:\([^()]*+\)[^()]*+)*\))"
    r"|(?P<redirect>(?:\d{1,2}|&)?(?:<<<|<>|>>|>\||[<>])(?:&(?:\d{1,2}|-))?)"
    rf"|(?P<end>&&|\|\||\|&|;;|[|;&\n()])|(?P<word>(?:{_PIECE})+)"
)


class Command(NamedTuple):
    """One command with its directory and environment. Every word is as typed."""

    program: str
    verb: str = ""  # the sub-command: `commit`, `compose up`
    flags: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    env: tuple[str, ...] = ()  # its assignments, and earlier exports
    cwd: str = ""
    script: str = ""  # its here-document or `-c` code
    via: tuple[str, ...] = ()  # what starts it: `sudo`, `poetry run`, `python -m`
    writes: tuple[str, ...] = ()  # files that its redirections write
    joint: str = ""  # the operator before it: "", "&&", "||", "|", ";" or a newline
    text: str = ""  # the whole command with redirections, without here-documents
    words: tuple[str, ...] = ()  # from the program on, without redirections; `python -m` is kept

    @property
    def name(self) -> str:
        """The program without its directory and version: `python` for `/usr/bin/python3.11`."""
        return program_name(self.program)

    @property
    def builtin(self) -> str:
        """The name of a system program; "" for a file of a project, as `bin/test`."""
        return "" if is_project_file(self.program) else self.name

    @property
    def call(self) -> str:
        """How it is started: `via`, the program, the sub-command."""
        return " ".join(part for part in (*self.via, self.program, self.verb) if part)

    @property
    def operands(self) -> tuple[str, ...]:
        """The targets without the quotes around them."""
        return tuple(map(unquoted, self.targets))

    @property
    def does(self) -> str:
        """The name of the program with the sub-command: `git commit`."""
        return f"{self.name} {self.verb}".rstrip()


@lru_cache(maxsize=256)  # several rules parse the same call, and again as an earlier step
def parse(text: str) -> tuple[Command, ...]:
    """The commands of a text in order; `cd` and `export` become `cwd` and `env` of the others."""
    return tuple(_commands(text[:_READ], depth=0))[:_COMMANDS]


def deciding_commands(commands: Sequence[Command]) -> list[Command]:
    """The commands whose failure is the exit status: the last `&&` chain, the end of each pipe."""
    chain: list[Command] = []
    for command in commands:
        if command.joint == "|":
            chain = [*chain[:-1], command]
        elif command.joint == "&&":
            chain = [*chain, command]
        else:
            chain = [command]
    return chain


def flag_name(flag: str) -> str:
    """A flag without its value; `--` is a flag too."""
    return flag.partition("=")[0].partition(" ")[0]


def main_command(text: str) -> Command:
    """The main command of a text: the last one that is no output filter, `echo` or the like."""
    commands = parse(text)
    heads = [command for command in commands if command.joint != "|"]
    working = [
        command
        for command in heads
        if command.name not in {"echo", "printf", "true", "source", "."}
    ]
    return (working or heads or [Command("")])[-1]


class _Part:
    """One command while its words are being read."""

    def __init__(self, joint: str) -> None:
        self.joint = joint
        self.words: list[str] = []
        self.starts: list[int] = []
        self.end = 0  # of its last word or redirection
        self.writes: list[str] = []
        self.documents: list[str] = []

    def take(self, token: re.Match[str], redirected: str) -> None:
        """Add a word as an argument, or as the file of a redirection."""
        self.end = token.end()
        if not redirected:
            self.words.append(token[0])
            self.starts.append(token.start())
        elif ">" in redirected and unquoted(token[0]) != "/dev/null":
            self.writes.append(unquoted(token[0]))


def _commands(text: str, *, depth: int) -> list[Command]:
    cwd, env, commands = "", list[str](), list[Command]()
    for part in _parts(text):
        skipped = _keywords(part.words)
        words = part.words[skipped:]
        if not words:
            continue
        if words[0] in {"cd", "pushd"}:
            cwd = _moved(cwd, words[1:])
        elif words[0] in {"export", "set", "declare"} or all(map(_is_assignment, words)):
            env += filter(_is_assignment, words)
        else:
            typed = text[part.starts[skipped] : part.end]
            commands += _made(part, words, depth=depth, typed=typed, place=(cwd, tuple(env)))
    return commands


def _parts(text: str) -> list[_Part]:
    """The commands as lists of words, with their redirections and here-documents."""
    parts, at, redirected, opened = [_Part("")], 0, "", list[tuple[str, _Part]]()
    while len(parts) <= _PARTS and at < len(text) and (token := re.compile(_TOKEN).match(text, at)):
        kind, part, at = token.lastgroup, parts[-1], token.end()
        if kind in {"word", "process"}:
            part.take(token, redirected)
            redirected = ""
        elif kind in {"document", "mark"}:
            opened.append((token["mark"].strip("'\"\\"), part))
            part.end = at
        elif kind == "redirect":
            redirected = "" if token[0][-1] in "-0123456789" else token[0]
            part.end = at
        elif kind == "end":
            at = _read_documents(text, at, opened) if token[0] == "\n" else at
            parts.append(_Part("|" if token[0] == "|&" else token[0]))
            redirected = ""
    return parts


def _read_documents(text: str, at: int, opened: list[tuple[str, _Part]]) -> int:
    """Read the here-documents that begin at `at`; return the position after them."""
    for mark, part in opened:
        body = "".join(_lines_until(text, at, mark))
        part.documents.append(body)
        end = text.find("\n", at + len(body))
        at = end + 1 if end >= 0 else len(text)
    opened.clear()
    return at


def _lines_until(text: str, at: int, mark: str) -> list[str]:
    """The lines from `at` up to the line with the end mark."""
    lines = text[at:].splitlines(keepends=True)
    end = next((k for k, line in enumerate(lines) if line.strip() == mark), len(lines))
    return lines[:end]


def _keywords(words: list[str]) -> int:
    """How many of the first words are shell keywords; all words of a `for x in …`."""
    at = 0
    while at < len(words) and words[at] in KEYWORDS:
        at += 1
    return len(words) if words[at : at + 1] in (["for"], ["case"], ["select"]) else at


def _moved(cwd: str, words: list[str]) -> str:
    target = next((word for word in words if not word.startswith("-")), "")
    return f"{cwd}/{target}" if cwd and target[:1] not in {"/", "~", "$", '"', "'"} else target


def _is_assignment(word: str) -> bool:
    return bool(re.fullmatch(ASSIGNMENT, word))


def _made(
    part: _Part, words: list[str], *, depth: int, typed: str, place: tuple[str, tuple[str, ...]]
) -> list[Command]:
    started = _started(words)
    env, words = (*place[1], *started.env), started.rest
    script = "\n".join(part.documents)
    if not words:
        return []
    program, arguments = words[0], words[1:]
    name = program_name(program)
    if name in SHELLS and depth < _DEPTH and (code := _shell_code(arguments)):
        inner = _commands(code, depth=depth + 1)
        return [_within(command, part, place=(place[0], env), via=started.via) for command in inner]
    if code_at := interpreter(name, arguments):
        script, arguments = unquoted(arguments[code_at]), arguments[:code_at]
    verb, before, arguments = sub_command(program, arguments)
    flags = (*before, *(word for word in arguments if _is_flag(word)))
    targets = tuple(word for word in arguments if not _is_flag(word))
    writes = (*part.writes, *_tee(name, targets))
    return [
        Command(
            *(program, verb, flags, targets, env, place[0], script),
            *(started.via, writes, part.joint, typed, _words(started)),
        )
    ]


def _words(started: Starter) -> tuple[str, ...]:
    module = started.via[-1].split() if started.via and started.via[-1].endswith(" -m") else ()
    return (*module, *started.rest)


def _started(words: list[str]) -> Starter:
    """The assignments and starters before the program, and the words from the program on."""
    env, via = tuple[str, ...](), tuple[str, ...]()
    while words and (step := starter(words, program_name(words[0]))):
        env, via, words = (*env, *step.env), (*via, *step.via), step.rest
    return Starter(env, via, words)


def _within(
    command: Command, part: _Part, *, place: tuple[str, tuple[str, ...]], via: tuple[str, ...]
) -> Command:
    """A command of an inner shell, with the directory and environment of both shells."""
    joint = command.joint or part.joint
    return command._replace(
        env=(*place[1], *command.env),
        cwd=command.cwd or place[0],
        via=(*via, *command.via),
        writes=(*command.writes, *part.writes),
        joint=joint,
    )


def _shell_code(words: list[str]) -> str:
    """The code after `-c` or `-lc`; "" if there is none."""
    for flag, code in pairwise(words):
        if re.fullmatch(r"-[a-z]{0,4}c", flag):
            return unquoted(code).replace('\\"', '"') if code.startswith('"') else unquoted(code)
        if not flag.startswith("-"):
            return ""
    return ""


def _tee(name: str, targets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(unquoted, targets)) if name == "tee" else ()


def _is_flag(word: str) -> bool:
    return len(word) > 1 and word[0] == "-"
