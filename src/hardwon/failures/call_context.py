"""A call within its run, seen from the general to the particular.

A chain leads from the program to this very call; each key narrows the one before it:

    : pytest  →  : pytest -  →  ~ pytest .py  →  ~ pytest .py -  →  @ pytest tests/test_a.py  →  = …

`+` and `-` tell whether such a call has worked in this run already. Two short chains look at what
the words of a call do not show:

    : python  →  ? python          it names a file that this run has neither made nor seen
    : python  →  & python numpy    the code that it runs, as this run wrote it, imports numpy

A failed call stands on these only where its error speaks of them: of something that is not there,
or of that very module.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.call_keys import (
    EXACT,
    KIND,
    PROGRAM,
    TARGET,
    Key,
    blamed_command,
    call_keys,
    command_keys,
)
from hardwon.failures.shell import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.values.step import Step

    Chain = tuple[str, ...]

UNSEEN, IMPORTS = "?&"
_PARTS = 12
_INTERPRETERS = frozenset(["python", "ipython", "node", "bun", "deno"])
_INLINE = r"<<|\s-[ce]\s"
_IMPORTED = (
    r"(?:^|\n|\\n|[;'\"(])\s*+(?:from|import)\s+([A-Za-z_]\w*+)"
    r"|\brequire\(\s*+['\"]([\w@/-]+)"
)
_PATTERNED = r"[*?$(){}|<>\[\]]"  # no file's name: something that the shell expands
_MODULES = 12
_QUOTED = r"['\"`]([\w@/-]+)"
_MISSING = (
    r"(?i:no such file|can't open file|cannot access|does not exist|ENOENT|could not open"
    r"|not found: |file not found|cannot find the (?:file|path))"
)


def backoff_chains(tool: str, args: str, before: Sequence[Step]) -> tuple[Chain, ...]:
    """The chains of all parts of a call that a run is about to make."""
    return _chains_of_call(tool, args, _Run(before))


def blamed(tool: str, args: str, error: str, before: Sequence[Step]) -> tuple[Chain, ...]:
    """The chains of that part of a failed call which its error line speaks of."""
    run = _Failed(before, error)
    command = None if args.startswith("{") else blamed_command(parse(args), error)
    found = _chains(command_keys(command), args, run) if command else ()
    return found or _chains_of_call(tool, args, run)


def keys(chains: Sequence[Chain]) -> tuple[str, ...]:
    """Every key of the chains, each once."""
    return tuple(dict.fromkeys(key for chain in chains for key in chain))


def _chains_of_call(tool: str, args: str, run: _Run) -> tuple[Chain, ...]:
    if args.startswith("{"):
        return _chains(call_keys(tool, args), args, run)
    found = [
        chain
        for command in parse(args)[:_PARTS]
        for chain in _chains(command_keys(command), args, run)
    ]
    return tuple(dict.fromkeys(found)) or (call_keys(tool, args),)


def _chains(keys: Sequence[Key], args: str, run: _Run) -> tuple[Chain, ...]:
    program = next(key for key in keys if key.grain == PROGRAM)
    kinds = [key for key in keys if key.grain in (PROGRAM, KIND)][::-1]
    low = tuple(each for key in kinds for each in (key, run.marked(key)))
    targets = [key for key in keys if key.grain == TARGET]
    exact = tuple(key for key in keys if key.grain == EXACT)
    high = [(*low, target, *exact) for target in targets] or [(*low, *exact)]
    return (*high, *((program, key) for key in _context(program, targets, args, run)))


def _context(program: Key, targets: Sequence[Key], args: str, run: _Run) -> list[Key]:
    """What is known of the call from the run, beyond its words."""
    name, files = program.text, [key.text.rsplit(" ", 1)[-1].split("::")[0] for key in targets]
    found = [Key.of(UNSEEN, name)] if any(run.is_new(file, args) for file in files) else []
    if name in _INTERPRETERS:
        code = [args] if re.search(_INLINE, args) else [run.script(file) for file in files]
        found += [Key.of(IMPORTS, f"{name} {module}") for module in run.modules("\n".join(code))]
    return found


class _Run:
    """What the earlier steps of a run tell about its next call."""

    def __init__(self, before: Sequence[Step]) -> None:
        self._steps = before[::-1]
        self._keys: dict[Step, frozenset[str]] = {}

    def marked(self, key: Key) -> str:
        """The key with the sign that tells whether such a call has worked already."""
        name = key.text.split(" ", 1)[0]
        has_worked = any(
            key in self._keys_of(step, name) for step in self._steps if not step.failed
        )
        return f"{key} {'+' if has_worked else '-'}"

    def is_new(self, file: str, args: str) -> bool:
        """Whether neither this call makes the file nor any step has named it."""
        name = file.rsplit("/", 1)[-1]
        if not name or re.search(_PATTERNED, file) or f"> {file}" in args:
            return False
        return not any(name in step.args or name in step.output for step in self._steps)

    def script(self, file: str) -> str:
        """The call by which the run wrote a file, if it did."""
        name = file.rsplit("/", 1)[-1]
        for step in self._steps:
            if name in step.args and re.search(_IMPORTED, step.args):
                return step.args
        return ""

    def modules(self, code: str) -> list[str]:
        """What the code imports."""
        named = (found[1] or found[2] for found in re.finditer(_IMPORTED, code))
        return list(dict.fromkeys(named))[:_MODULES]

    def _keys_of(self, step: Step, name: str) -> frozenset[str]:
        """The keys of a step's call; none where its text cannot hold the program's name."""
        if name not in step.args and name != step.tool.lower():
            return frozenset()
        if step not in self._keys:
            self._keys[step] = frozenset(call_keys(step.tool, step.args))
        return self._keys[step]


class _Failed(_Run):
    """The same once the call has failed: of what may matter, that which the error speaks of."""

    def __init__(self, before: Sequence[Step], error: str) -> None:
        super().__init__(before)
        self._error = error

    def is_new(self, file: str, args: str) -> bool:
        """Whether something was not there, whatever the run had seen or made before."""
        return bool(re.search(_MISSING, self._error))

    def modules(self, code: str) -> list[str]:
        """The imported modules that the error quotes."""
        quoted = set(re.findall(_QUOTED, self._error))
        return [module for module in super().modules(code) if module in quoted]
