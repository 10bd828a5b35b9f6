"""What a run wrote itself: its files with their text, and the names it coined."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.knowledge.reading.shell import Command, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.core.values.run import Step

PATCH = "*** Begin Patch"
PATHS = (
    *("file_path", "path", "filename", "file", "notebook_path", "target_file", "filepath"),
    *("filePath", "absolute_path", "relative_path", "TargetFile", "AbsolutePath"),
)
_WHOLE = ("content", "file_text", "contents", "new_source", "text", "code", "CodeContent")
OLD = ("old_string", "old_str", "search", "oldText", "old", "oldString", "old_text")
_NEW = (
    *("new_string", "new_str", "replace", "newText", "new", "newString", "new_text"),
    "insert_text",
)
_BLOCKS = r"(?m)^<{5,9} SEARCH\b[^\n]*\n((?:[^\n]*\n)*?)={5,9}\n((?:[^\n]*\n)*?)>{5,9} REPLACE\b"
_CODE_TOOL = r"(?i:python|jupyter|notebook|ipython|repl|cell|sql|query|interpreter|execute_code)"
_MAKERS = frozenset(["touch", "mkdir"])
_INTO = frozenset(["cp", "mv", "ln"])
_DEPTH = 8  # of nested arguments
BACKUP = r"\.(?:bak|orig|old|backup|save)\b"
_OPENED = r"open\(\s*f?['\"]([^'\"\n]{1,200})['\"]\s*,\s*(?:mode=)?['\"][wax]"
_PATH_WRITTEN = r"Path\(\s*['\"]([^'\"\n]{1,200})['\"]\s*\)\.write_"
SCRIPT_WRITES = r"\.write|writeFile|sed -i|patch|, ?['\"][wa]"
_FILE = r"['\"]([\w./~-]{1,200}\.[A-Za-z]\w{0,5})['\"]"


class Writing(NamedTuple):
    """One file that a call writes. `text` is its whole content, or "" if unknown."""

    path: str
    text: str = ""
    old: str = ""  # an edit: what was replaced
    new: str = ""
    is_edit: bool = False  # the file existed before


def fields(args: str) -> dict[str, Any]:
    """The named arguments of a call; {} for a command line."""
    if not args.startswith("{"):
        return {}
    try:
        arguments = json.loads(args)
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def scalars(value: Any, depth: int = _DEPTH) -> list[str]:
    """The texts and numbers in a nested value, as texts."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [text for part in inner for text in scalars(part, depth - 1)] if depth else []
    return [] if value is None or isinstance(value, bool) else [str(value)]


def path_in(arguments: dict[str, Any]) -> str:
    """The path among named arguments; "" if there is none."""
    return next(
        (arguments[key] for key in PATHS if arguments.get(key) and isinstance(arguments[key], str)),
        "",
    )


def is_shell(step: Step) -> bool:
    """Whether the call is a command line."""
    return not step.args.startswith("{") and not _takes_code(step.tool)


@lru_cache(maxsize=64)
def _takes_code(tool: str) -> bool:
    """Whether a tool runs code of one language."""
    return re.search(_CODE_TOOL, tool) is not None


@lru_cache(maxsize=512)
def writings(tool: str, args: str) -> tuple[Writing, ...]:
    """The files that one call writes, in order."""
    if PATCH in args:
        return tuple(_patch_writings(fields(args) or args))
    if args.startswith("{"):
        return _field_writings(fields(args))
    if _takes_code(tool):
        return tuple(Writing(path, is_edit=True) for path in re.findall(_OPENED, args))
    return tuple(writing for part in parse(args) for writing in part_writings(part))


def _patch_writings(call: dict[str, Any] | str) -> Iterator[Writing]:
    """The edits of a patch in the form `*** Update File: a.py`, each hunk by itself."""
    values = call.values() if isinstance(call, dict) else [call]
    text = next((value for value in values if isinstance(value, str) and PATCH in value), "")
    for part in text.split("\n*** ")[1:]:
        head, _, body = part.partition("\n")
        kind, _, path = head.partition(": ")
        for hunk in body.split("\n@@") if path else ():
            lines = [line for line in hunk.splitlines() if not line.startswith("@@")]
            old = "".join(f"{line[1:]}\n" for line in lines if line[:1] in (" ", "-"))
            new = "".join(f"{line[1:]}\n" for line in lines if line[:1] in (" ", "+"))
            is_new = kind == "Add File"
            yield Writing(path.strip(), new if is_new else "", old, new, is_edit=not is_new)


def _field_writings(arguments: dict[str, Any]) -> tuple[Writing, ...]:
    path = path_in(arguments)
    if not path:
        return ()
    if isinstance(arguments.get("edits"), list):
        inner = [edit for edit in arguments["edits"] if isinstance(edit, dict)]
        return tuple(
            writing for edit in inner for writing in _field_writings({"path": path, **edit})
        )
    if isinstance(arguments.get("diff"), str):
        blocks = re.findall(_BLOCKS, arguments["diff"])
        return tuple(Writing(path, "", old, new, is_edit=True) for old, new in blocks)
    old, new, text = (_text_of(arguments, keys) for keys in (OLD, _NEW, _WHOLE))
    if old or new:
        return (Writing(path, "", old, new, is_edit=True),)
    return (Writing(path, text),) if text else ()


def _text_of(arguments: dict[str, Any], keys: Iterable[str]) -> str:
    """The first of these arguments that is a text; "" if none is."""
    return next((str(arguments[key]) for key in keys if isinstance(arguments.get(key), str)), "")


def part_writings(part: Command) -> list[Writing]:
    """The files that one command writes, in order."""
    if part.program in {"cat", "tee"}:
        return [
            Writing(path, new=part.script, is_edit=True)
            if "-a" in part.flags
            or any(rest.lstrip(" ").startswith(path) for rest in part.text.split(">>")[1:])
            else Writing(path, part.script)
            for path in part.writes
        ]
    if part.program == "sed" and any(flag.startswith("-i") for flag in part.flags):
        return _substitutions(part.operands)
    if part.script:
        paths = [*re.findall(_OPENED, part.script), *re.findall(_PATH_WRITTEN, part.script)]
        if not paths and re.search(SCRIPT_WRITES, part.script):
            paths = re.findall(_FILE, part.script)[:1]
        return [Writing(path, is_edit=True) for path in paths]
    made = part.operands if part.program in _MAKERS else part.writes  # with unknown content
    if part.program in _INTO and len(part.operands) > 1:
        made = part.operands[-1:]
    return [Writing(path) for path in made]


def _substitutions(operands: tuple[str, ...]) -> list[Writing]:
    """The edits of `sed -i 's/old/new/' file`, where they are plain text."""
    script, paths = (operands[0], operands[1:]) if len(operands) > 1 else ("", operands)
    match = re.fullmatch(
        r"(?:\d+)?s([/|#@,])((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1g?", script
    )
    if not match:
        return [Writing(path, is_edit=True) for path in paths]
    old, new = (match[group].replace("\\n", "\n") for group in (2, 3))
    old, new = (re.sub(r"\\(.)", lambda escape: escape[1], text) for text in (old, new))
    return [Writing(path, "", old, new, is_edit=True) for path in paths]


def tail(path: str) -> str:
    """The last name of a path, without quotes."""
    return path.strip("'\"").rstrip("/").rsplit("/", 1)[-1]


def stem(path: str) -> str:
    """The last name of a path without its ending."""
    return tail(path).split(".", 1)[0] or tail(path)


def made_paths(step: Step) -> list[str]:
    """The files that a step makes anew."""
    return [each.path for each in writings(step.tool, step.args) if not each.is_edit]


def made_files(steps: Sequence[Step]) -> set[str]:
    """The names of the files that steps make anew: no step that worked has listed them before."""
    found: set[str] = set()
    for at, step in enumerate(steps):
        for name in {tail(path) for path in made_paths(step)} - found:
            is_name = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])").search
            before = (one.output for one in steps[:at] if not one.failed and name in one.output)
            if not any(map(is_name, before)):
                found.add(name)
    return found


def is_coined(name: str, steps: Sequence[Step]) -> bool:
    """Whether a file, folder or module of this name was made by one of the steps."""
    name_stem = stem(name.split("::", 1)[0]).lower()
    if len(name_stem) < 2:
        return False
    for step in steps:
        if name_stem in step.args.lower() and any(
            name_stem == stem(part).lower()
            for writing in writings(step.tool, step.args)
            if not writing.is_edit
            for part in writing.path.split("/")[-2:]
        ):
            return True
    return False


def text_of(name: str, steps: Sequence[Step]) -> str:
    """The text of the named file after the steps; "" if it is not wholly known."""
    text = ""
    file_name = tail(name)
    for step in steps:
        if file_name not in step.args:
            continue
        for writing in writings(step.tool, step.args):
            if tail(writing.path) != file_name:
                continue
            if writing.old:
                text = text.replace(writing.old, writing.new) if writing.old in text else ""
            else:
                text = writing.text
    return text


def edits_source(step: Step, before: Sequence[Step]) -> bool:
    """Whether a step changed a file that the run did not make itself."""
    return any(_edits_source(writing, before) for writing in writings(step.tool, step.args))


def part_edits_source(part: Command, before: Sequence[Step]) -> bool:
    """`edits_source` for one command; moving or copying over a source file edits it too."""
    files = part_writings(part)
    if part.program in _INTO and "/" in "".join(part.operands[-1:]):
        files = [writing._replace(is_edit=True) for writing in files]
    return any(_edits_source(writing, before) for writing in files)


def _edits_source(writing: Writing, before: Sequence[Step]) -> bool:
    is_source = writing.is_edit or (bool(writing.text) and "/" in writing.path)
    return is_source and not is_coined(writing.path, before) and not re.search(BACKUP, writing.path)
