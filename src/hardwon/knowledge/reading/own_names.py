"""Whether a name belongs to the run or its project: a module or file that it wrote or has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.knowledge.reading.shell import parse, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.run import Step
    from hardwon.knowledge.reading.shell import Command

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
    return any(name in map(unquoted, command.targets) for command in _using(step))


def is_written(name: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether a call of the run contains the name: the run may have invented it."""
    calls = (each.args for each in (step, *before[-_LOOKED_BACK:]) if name in each.args)
    return any(name in re.findall(r"\w+", args) for args in calls)


def _using(step: Step) -> list[Command]:
    """The commands of a call, without those that install something."""
    return [each for each in parse(step.args) if each.verb not in {"install", "add", "get"}]


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
