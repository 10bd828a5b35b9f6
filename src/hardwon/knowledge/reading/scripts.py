"""Find the text of a script that the run wrote, when it runs the script later."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hardwon.knowledge.reading import shell
from hardwon.knowledge.reading.authored import tail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.run import Step

_EDITS = 4  # at most, texts that are joined: the last whole one and later edits
_SHELLS = r"(?i).*(?:bash|shell|terminal|command|exec|cmd|powershell|console).*"
_PROGRAM_TEXT = (
    r"(?m)^(?:import \w|from [\w.]+ import |def \w|class \w|async def |(?:const|let) \w)"
)


def is_code(tool: str, args: str) -> bool:
    """Whether a tool is given code, as a notebook is, rather than a command line."""
    return not re.fullmatch(_SHELLS, tool) and bool(re.search(_PROGRAM_TEXT, args))


def script(name: str, before: Sequence[Step]) -> str:
    """What the run wrote into a file of this name, the latest edit first; "" if nothing."""
    texts: list[str] = []
    for step in reversed(before):
        if name not in step.args:
            continue
        for text, is_whole in _writings(name, step):
            texts.append(text)
            if is_whole or len(texts) >= _EDITS:
                return "\n".join(texts)
    return "\n".join(texts)


def _writings(name: str, step: Step) -> Iterator[tuple[str, bool]]:
    """The texts that a step wrote into the file, and whether each is its whole content."""
    if step.args.startswith("{"):
        yield from _by_tool(name, step.args)
        return
    for command in shell.parse(step.args):
        if command.script and any(tail(path) == name for path in command.writes):
            yield command.script, True


def _by_tool(name: str, args: str) -> Iterator[tuple[str, bool]]:
    """What a tool with named arguments writes: the longest text beside the path."""
    try:
        values = json.loads(args)
    except ValueError:  # clipped
        return
    texts = {key: value for key, value in values.items() if isinstance(value, str)}
    paths = [key for key, value in texts.items() if tail(value) == name]
    contents = {key: value for key, value in texts.items() if key not in paths}
    new_contents = {key: value for key, value in contents.items() if "old" not in key.lower()}
    if paths and new_contents:
        yield max(new_contents.values(), key=len), len(new_contents) == len(contents)
