"""The shape of a call: its program and the words that make it what it is. Values are left out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon.failures.call_keys import blamed_command
from hardwon.failures.error_line import error_line
from hardwon.failures.programs import unquoted
from hardwon.failures.shell import Command, flag_name, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.values.step import Step

_QUOTED = r"`([^`\n]{2,400})`"
_PLACEHOLDER = r"<[^<>\n]{1,60}>|…|\.{3}|\$\{?\w+\}?"
_WORD = r"-{0,2}[A-Za-z][\w.:-]*"
_LOOK = frozenset(  # programs of every system that only look, move or print text
    [
        *("ls", "cat", "head", "tail", "less", "more", "wc", "sort", "uniq", "cut", "tr", "tee"),
        *("grep", "egrep", "rg", "find", "sed", "awk", "xargs", "diff", "cmp", "file", "stat"),
        *("pwd", "echo", "printf", "true", "false", "test", "[", "[[", "type", "which", "sleep"),
        *("mkdir", "rmdir", "rm", "cp", "mv", "ln", "touch", "chmod", "date", "env", "seq", "tree"),
        *("break", "continue", "exit", "return", "read", "set", "unset", "wait", "trap", "source"),
        *("eval", ".", ":", "basename", "dirname", "realpath", "readlink", "nl", "od", "column"),
    ]
)


class Shape(NamedTuple):
    """A program or tool with its sub-commands, options and other plain words."""

    program: str
    words: frozenset[str] = frozenset()

    def covers(self, call: Shape) -> bool:
        """Whether the call is one of this shape: the same program, with all of these words."""
        return self.program == call.program and self.words <= call.words


def shapes(text: str) -> list[Shape]:
    """The shapes of the commands in a shell text, without programs that only look."""
    return [shape for command in parse(text) if (shape := _of(command)).program not in _LOOK]


def shapes_of(step: Step) -> list[Shape]:
    """The shapes of the calls that a step makes."""
    if step.args.startswith("{"):
        return [Shape(step.tool.lower(), frozenset(_names(step.args)))]
    return shapes(step.args)


def blamed_shape(step: Step) -> Shape | None:
    """The shape of the call that a failing step failed in."""
    if step.args.startswith("{"):
        return shapes_of(step)[0]
    line = step.failure.line if step.failure else error_line(step.output)
    command = blamed_command(parse(step.args), line)
    return _of(command) if command else None


def quoted(text: str) -> list[str]:
    """What stands in backticks in a text."""
    return re.findall(_QUOTED, text)


def recommended(text: str) -> list[Shape]:
    """The shapes of the commands in backticks; a bare word is the name of a thing, not a call."""
    found = (shapes(re.sub(_PLACEHOLDER, " ", part)) for part in quoted(text))
    return [shape for part in found for shape in part if shape.words]


def programs(steps: Iterable[Step]) -> set[str]:
    """The names of the programs and tools that steps call, without those that only look."""
    return {shape.program for step in steps for shape in shapes_of(step)}


def _of(command: Command) -> Shape:
    words = (*command.verb.split(), *map(flag_name, command.flags), *command.operands)
    plain = (word for word in map(unquoted, words) if re.fullmatch(_WORD, word))
    return Shape(command.name, frozenset((*plain, *command.env)))


def _names(args: str) -> list[str]:
    try:
        return list(json.loads(args))
    except ValueError:  # it was cut
        return []
