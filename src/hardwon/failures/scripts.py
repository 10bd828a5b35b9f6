"""The program texts that a run wrote, found again when it runs them."""

from __future__ import annotations

from hardwon._cold import json, re
from hardwon.failures import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.values.step import Step

_EDITS = 4  # texts that are put together: the last whole one and edits since
_SHELLS = r"(?i).*(?:bash|shell|terminal|command|exec|cmd|powershell|console).*"
_PROGRAM_TEXT = (
    r"(?m)^(?:import \w|from [\w.]+ import |def \w|class \w|async def |(?:const|let) \w)"
)


def base_name(path: str) -> str:
    """The last part of a path, without quotes."""
    return path.strip("'\"").rstrip("/").rsplit("/", 1)[-1]


def is_code(tool: str, args: str) -> bool:
    """Whether a tool is given program text itself, as a notebook is, and no command line."""
    return not re.fullmatch(_SHELLS, tool) and bool(re.search(_PROGRAM_TEXT, args))


def script(name: str, before: Sequence[Step]) -> str:
    """What the run wrote into a file of this name, edits of it first; nothing if it did not."""
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
    """The texts that a step wrote into the file, and whether each is all of it."""
    if step.args.startswith("{"):
        yield from _by_tool(name, step.args)
        return
    for command in shell.parse(step.args):
        if command.script and any(base_name(path) == name for path in command.writes):
            yield command.script, True


def _by_tool(name: str, args: str) -> Iterator[tuple[str, bool]]:
    """What a tool with named arguments writes: the longest text next to the path."""
    try:
        values = json.loads(args)
    except ValueError:  # clipped
        return
    texts = {key: value for key, value in values.items() if isinstance(value, str)}
    paths = [key for key, value in texts.items() if base_name(value) == name]
    rest = {key: value for key, value in texts.items() if key not in paths}
    fresh = {key: value for key, value in rest.items() if "old" not in key.lower()}
    if paths and fresh:
        yield max(fresh.values(), key=len), len(fresh) == len(rest)
