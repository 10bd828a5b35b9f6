"""`/lesson …` and `/reflect …` lines in an agent's output: run them and answer.

    answers = hardwon.surfaces.slash_commands.handle(reply_of_the_model, agent)

For text-only runtimes: put the answers before the model's next turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import hardwon
from hardwon import Agent, Lesson
from hardwon.core.errors import HardwonError, NotFound
from hardwon.core.text.clean import LABEL_LIMIT, LESSON_LIMIT, one_line
from hardwon.core.values.lesson import confirmation

LISTED, FOUND = 25, 10
BODY_LIMIT = 16_384
_END = "/endlesson"
_USAGE = "/lesson <signature>: <text>  OR  block form ending with /endlesson"
_UNENDED = "missing /endlesson terminator on block-form lesson"
_FOR_PEOPLE = {"list", "failed", "retry", "purge", "drain"}


class SlashCommand(NamedTuple):
    """One command. `args` follows the kind in the answer's first line."""

    name: str  # lesson or reflect
    kind: str
    args: str
    signature: str = ""
    text: str = ""
    problem: str = ""  # why it cannot be run


def handle(text: str, agent: Agent | None = None) -> str:
    """The answers to every command in the text, in order; empty without a command.

    Without an agent the lessons are those of the agent `index`, as in the published system.
    """
    commands = list(parse(text))
    if not commands:
        return ""
    if agent is not None:
        return "".join(_answer(command, agent) for command in commands)
    try:
        with hardwon.open() as hw:
            return handle(text, hw.agent("index"))
    except HardwonError as error:
        problem = f"lesson store unavailable in this context — {one_line(str(error))}"
        return "".join(_frame(command, f"ERR: {problem}") for command in commands)


def parse(text: str) -> Iterator[SlashCommand]:
    """The commands in a text; each starts in the first column of a line."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        if line == "/reflect" or line.startswith("/reflect "):
            yield _reflection(line.removeprefix("/reflect").strip(" \t"))
        elif line.startswith("/lesson "):
            arguments = line.removeprefix("/lesson ").strip(" \t")
            verb, _, argument = arguments.partition(" ")
            if verb in _VERBS:
                yield SlashCommand("lesson", verb, argument.strip(" \t"))
            elif parts := split(arguments):
                yield SlashCommand("lesson", "create", arguments, *parts)
            elif _is_body(lines[at:]):
                end = next((n for n in range(at, len(lines)) if lines[n] == _END), None)
                body, is_ended = "\n".join(lines[at:end]).strip(), end is not None
                at = len(lines) if end is None else end + 1
                args = f"{arguments}\n\n{body}" if is_ended else arguments
                problem = "" if is_ended else _UNENDED
                yield SlashCommand("lesson", "create", args, arguments, body, problem)
            else:
                yield SlashCommand("lesson", "create", arguments, problem=_USAGE)


def split(line: str) -> tuple[str, str] | None:
    """Signature and text of `<signature>: <text>`; the colon of a URL or port does not separate."""
    ends = [at for at, letter in enumerate(line) if letter == ":"]
    spaced = [at for at in ends if line[at + 1 : at + 2] in ("", " ", "\t")]
    nexts = {at: line[at + 1 : at + 2] for at in ends}
    tight = [at for at in ends if nexts[at] not in ("/", "\\") and not nexts[at].isdigit()]
    for at in spaced[:1] or tight[:1]:
        return line[:at].strip(" \t"), line[at + 1 :].strip(" \t")
    return None


def _is_body(following: list[str]) -> bool:
    """Whether the lines behind a header without a colon are the text of a block.

    A body may begin with a slash (`/read returns …`) if its end comes before the next command.
    """
    first = following[0] if following else ""
    if not first.startswith("/"):
        return bool(first.strip())
    ends = (line for line in following if line == _END or line.startswith(("/lesson ", "/reflect")))
    return first != _END and next(ends, "") == _END


def _reflection(arguments: str) -> SlashCommand:
    verb = arguments.split(" ")[0] if arguments else ""
    if not arguments:
        return SlashCommand("reflect", "create", "", problem="usage: /reflect <lesson text>")
    if verb in _FOR_PEOPLE and (verb == arguments or verb in {"retry", "purge"}):
        problem = f"the queue is looked after by people: hardwon reflect {verb}"
        return SlashCommand("reflect", verb, arguments.removeprefix(verb).strip(), problem=problem)
    return SlashCommand("reflect", "create", arguments, text=arguments)


def _answer(command: SlashCommand, agent: Agent) -> str:
    if command.problem:
        return _frame(command, f"ERR: {command.problem}")
    try:
        return _frame(command, _VERBS.get(command.kind, _create)(command, agent))
    except HardwonError as error:
        return _frame(command, f"ERR: {one_line(str(error))}")


def _create(command: SlashCommand, agent: Agent) -> str:
    if command.name == "reflect":
        return confirmation(agent.learn(command.text))
    if not command.signature or not command.text:
        return "ERR: signature and lesson text are both required"
    if len(command.signature) > LABEL_LIMIT:
        return f"ERR: signature must be ≤ {LABEL_LIMIT} chars"
    if len(command.text) > LESSON_LIMIT:
        return f"ERR: lesson text must be ≤ {LESSON_LIMIT} chars"
    return confirmation(agent.learn(command.text, situation=command.signature))


def _search(command: SlashCommand, agent: Agent) -> str:
    if not command.args:
        return "ERR: usage: /lesson search <query>"
    matches = agent.lessons.search(command.args[:LESSON_LIMIT], limit=FOUND)
    return _rows(matches, "match(es)", none="(no matches)")


def _delete(command: SlashCommand, agent: Agent) -> str:
    digits = command.args.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        return "ERR: usage: /lesson delete <id>"
    try:
        agent.lessons.delete(int(digits))
    except NotFound:
        return f"ERR: lesson #{int(digits)} not found"
    return f"OK: deleted #{int(digits)}"


def _rows(lessons: Sequence[Lesson], noun: str, *, none: str) -> str:
    rows = "".join(f"\n  {lesson.row()}" for lesson in lessons)
    return f"{len(lessons)} {noun}:{rows}" if lessons else none


def _frame(command: SlashCommand, body: str) -> str:
    if len(body) > BODY_LIMIT:
        body = body[:BODY_LIMIT] + "\n... [truncated]"
    head = f"/{command.name} {command.kind} {command.args}".rstrip()
    return f"[{head}]\n{body}\n[END {command.name.upper()}]\n\n"


_VERBS: dict[str, Callable[[SlashCommand, Agent], str]] = {
    "list": lambda _, agent: _rows(
        agent.lessons.list(limit=LISTED), "lesson(s)", none="(no lessons recorded)"
    ),
    "search": _search,
    "delete": _delete,
}
