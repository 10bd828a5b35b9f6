"""Features of a pending call: what it runs and touches, as words that can be counted.

    python reproduce.py     runs python · first python · python names reproduce.py · python code
                            models.Model · python code 'migrate …  (the script that this run wrote)
    {"order_id": "#W123"}   modify_order order_id comes from get_order.order_id · … order_id has
                            status "delivered" · … order_id after cancel_order

A feature is readable, because it explains a warning; stores keep only its number. Features describe
what projects have in common: programs, names in code, roles and states of arguments. Some did not
help on held-out runs and are left out: edits since the last success, lines, the order of calls.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon._cold.lazy import lazy
from hardwon.failures import shell
from hardwon.failures.authored import tail
from hardwon.failures.code_names import names_in
from hardwon.failures.commit_marks import form_of
from hardwon.failures.programs import program_name
from hardwon.failures.scripts import is_code, script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.failures import argument_features
    from hardwon.failures.shell import Command
    from hardwon.values.step import Step
else:
    argument_features = lazy("hardwon.failures.argument_features")

_COMMANDS, _TARGETS = 12, 8
_LONGEST = 60  # characters of a name
_HANDLERS = (
    "awk cat cd chmod chown cp cut diff du echo file find git grep head less ln ls md5sum mkdir"
    " more mv nl rg rm rmdir sed sha256sum sort stat tail tar tee touch tree uniq wc zip"
)
_HANDLING = frozenset(_HANDLERS.split())  # these treat a script as a file and do not run it
_SOURCED = r"(?:^|[;&|\n])\s*(?:\.|source) \S"
_FILE = r"[\w./@~+-]*\w\.\w{1,5}"


def call_features(
    tool: str, args: str, before: Sequence[Step], *, blamed: Command | None = None
) -> frozenset[str]:
    """The features of a call that a run is about to make, or of the command that is blamed."""
    tool = tool.lower()
    if args.startswith("{"):
        return frozenset(argument_features.features(tool, args, before))
    if is_code(tool, args):
        return frozenset((f"runs {tool}", *_in_code(tool, args)))
    commands = shell.parse(args)[:_COMMANDS]
    written = {tail(path): command.script for command in commands for path in command.writes}
    return frozenset(
        feature
        for command in commands
        if blamed is None or command == blamed
        for feature in _of_command(command, args, written, before)
    )


def _of_command(
    command: Command, args: str, written: dict[str, str], before: Sequence[Step]
) -> Iterator[str]:
    program = _program(command)
    yield f"runs {program}"
    if not _has_worked(program, before):
        yield f"first {program}"
    yield from (f"{program} {shell.flag_name(flag)[:_LONGEST]}" for flag in command.flags)
    if command.does == "git commit":
        for message in command.operands[:1]:
            yield f"{program} message with {form_of(message)[:_LONGEST]}"
    targets = command.targets[:_TARGETS]
    for target in targets:
        yield f"{program} names {tail(target)[:_LONGEST]}"
        if re.fullmatch(_FILE, target):
            yield from _of_file(program, target, written, before)
    if command.name not in _HANDLING:
        yield from _of_variables(program, command, args)
        yield f"typed as {' '.join((*command.via[-1:], command.program))[:_LONGEST]}"
        scripts = [written.get(name) or script(name, before) for name in map(tail, targets)]
        own_code = "" if command.writes else command.script
        yield from _in_code(program, "\n".join((own_code, *scripts)))


def _of_variables(program: str, command: Command, args: str) -> Iterator[str]:
    """The variables that a program is given; none, unless the line reads a file of them."""
    for assignment in command.env:
        yield f"{program} with {assignment.partition('=')[0][:_LONGEST]}"
    if not command.env and not re.search(_SOURCED, args):
        yield f"{program} without variables"


def _of_file(
    program: str, target: str, written: dict[str, str], before: Sequence[Step]
) -> Iterator[str]:
    name = tail(target)
    state = "known" if name in written else _state(name, before)
    yield f"{program} takes a {state} file"
    if state == "new" and target.removeprefix("./") == name:
        yield f"{program} takes a new file without a folder"


def _in_code(program: str, code: str) -> Iterator[str]:
    return (f"{program} code {name}" for name in names_in(code))


def _program(command: Command) -> str:
    """The program with its sub-command; `python -m x` differs from `x`."""
    starts = [f"{program_name(start[:-3])} -m" for start in command.via if start.endswith(" -m")]
    return " ".join((*starts[-1:], command.does))[:_LONGEST]


def _has_worked(program: str, before: Sequence[Step]) -> bool:
    word = program.rsplit(" ", 1)[-1]
    return any(
        not step.failed
        and word in step.args
        and any(_program(command) == program for command in shell.parse(step.args)[:_COMMANDS])
        for step in reversed(before)
    )


def _state(name: str, before: Sequence[Step]) -> str:
    """What the run knows about a file: "new" (nothing), "known" (it exists) or "removed"."""
    for step in reversed(before):
        if name in step.args:
            return "removed" if not step.failed and _removes(step, name) else "known"
        if name in step.output:
            return "known"
    return "new"


def _removes(step: Step, name: str) -> bool:
    """Whether the last command in the call that names the file is `rm`."""
    about_file = [
        command
        for command in shell.parse(step.args)[:_COMMANDS]
        if name in map(tail, (*command.targets, *command.writes))
    ]
    return bool(about_file) and about_file[-1].name == "rm"
