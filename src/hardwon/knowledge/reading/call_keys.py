"""Tool calls in a canonical form, and the keys by which a call is found again."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import as_text, clean
from hardwon.core.text.secrets import screen_excerpt
from hardwon.knowledge.evidence.calls import READERS
from hardwon.knowledge.reading.authored import PATCH, PATHS, fields
from hardwon.knowledge.reading.shell import Command, is_message_of, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step


ARGS_LIMIT = 8192
EXACT = "="  # the grain of keys for a call as it was typed
_KEY_LIMIT = 200
_COMMAND_KEYS = ("command", "cmd", "script", "code")
_FILE_KEYS = frozenset(  # beside these, `command` is an action and `code` is file content
    ["path", "file_path", "filePath", "notebook_path", "target_file", "absolute_path"]
)


def call_key(grain: str, text: str) -> str:
    """The key of a call as it is stored: the sign of its grain, a space, the call."""
    return f"{grain} {text}"[:_KEY_LIMIT]


def canonical(args: Any) -> str:
    """The arguments as text: a command line unchanged, anything else as sorted JSON."""
    if isinstance(args, str):
        if args.startswith(PATCH):
            return canonical({"patch": args})
        return _fit(args.strip()).strip()
    if isinstance(args, dict) and not args.keys() & _FILE_KEYS:
        for key in _COMMAND_KEYS:
            given = args.get(key)
            if isinstance(given, str) and _is_command(key, args):
                return canonical(given)
            if isinstance(given, list) and given and all(isinstance(word, str) for word in given):
                return canonical(_join(given))
    text = _dump(args)
    if len(text) > ARGS_LIMIT and isinstance(args, dict):
        text = _dump(_shorten(args))
    return _fit(text)


def _fit(text: str, limit: int = ARGS_LIMIT) -> str:
    """The cleaned text; secrets leave a longer one first, as no rule knows a token that was cut."""
    return clean(text) if len(text) <= limit else screen_excerpt(text, limit)


def _is_command(key: str, args: dict[str, Any]) -> bool:
    """Whether an argument holds a command or code; one word beside others is a code (`EUR`)."""
    if key != "code" or len(args) == 1:
        return True
    return not re.fullmatch(r"[\w-]*", args[key].strip())


def _shorten(args: dict[str, Any]) -> dict[str, Any]:
    """The arguments with long texts cut in the middle, so that the result is still valid JSON."""
    longest = ARGS_LIMIT // (2 * len(args))  # JSON writes some characters as two
    return {
        key: _fit(value, longest) if isinstance(value, str) else value
        for key, value in args.items()
    }


def _join(words: list[str]) -> str:
    """The command line of a list of words; `make test` for `["bash", "-lc", "make test"]`."""
    if len(words) == 3 and words[1] in {"-c", "-lc"}:
        return words[2]
    return words[1] if len(words) == 2 and words[0] == "apply_patch" else shlex.join(words)


def _dump(args: Any) -> str:
    """The arguments as JSON; other values are turned into text."""
    try:
        return json.dumps(args, ensure_ascii=False, sort_keys=True, default=as_text)
    except (TypeError, ValueError, RecursionError):
        return as_text(args)


def typed_keys(tool: str, args: str, error: str | None = None) -> tuple[str, ...]:
    """The keys of a call as it was typed: of each command, or of the one an error line is about."""
    if args.startswith("{"):
        return (call_key(EXACT, f"{tool.lower()} {args}"),)
    commands = parse(args)
    if error is not None:
        blamed = blamed_command(commands, error)
        commands = (blamed,) if blamed else ()
    return tuple(dict.fromkeys(call_key(EXACT, " ".join(each.words)) for each in commands))


def blamed_command(chain: Sequence[Command], error: str) -> Command | None:
    """The command whose program the error names, else the last one that is no reader."""
    for command in chain:
        if command.name and is_message_of(command.name, error):
            return command
    working = [command for command in chain if command.builtin not in READERS] or chain
    return working[-1] if working else None


_METHODS = r"GET|POST|PUT|PATCH|DELETE|HEAD"
_METHOD = rf'"(?:{_METHODS})"'
_URL = r"(?:https?://[^/\s]{1,200})?/"
_NAME = 120  # characters of the name of a tool with its request
_ACTIONS = ("action", "operation", "op")
_ACTION = r"[A-Za-z][A-Za-z\d]{0,20}(?:[_-][A-Za-z\d]{1,20}){0,3}"
_ONE_WORD = r"(?:\w{1,60}(?:__|\.))?[A-Za-z][a-z\d]{1,30}"  # a name of more words has its own verb


def of_operation(step: Step) -> Step:
    """The step with its action in the tool's name; the same step if it has none."""
    tool, args = operation(step.tool, step.args)
    return step if tool == step.tool else step._replace(tool=tool, args=args)


def operation(tool: str, args: str) -> tuple[str, str]:
    """The tool with its action, and the other arguments; both as given if there is no action."""
    if not args.startswith("{") or not re.fullmatch(_ONE_WORD, tool.replace("_", "")):
        return tool, args
    if re.search(_METHOD, args):
        return _request(tool, fields(args)) or (tool, args)
    if not any(f'"{key}": "' in args for key in _ACTIONS) or not re.fullmatch(_ONE_WORD, tool):
        return tool, args
    arguments = fields(args)
    key = next((key for key in _ACTIONS if isinstance(arguments.get(key), str)), "")
    if not key or not arguments.keys().isdisjoint(PATHS):
        return tool, args
    action = arguments.pop(key)
    if not re.fullmatch(_ACTION, action):
        return tool, args
    return f"{tool}.{action}", json.dumps(arguments, ensure_ascii=False, sort_keys=True)


def _request(tool: str, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The tool with the method and the path of a request; None if it makes none."""
    texts = {key: value for key, value in arguments.items() if isinstance(value, str)}
    method = next((key for key, value in texts.items() if re.fullmatch(_METHODS, value)), "")
    path = next((key for key, value in texts.items() if re.match(_URL, value)), "")
    if not method or not path:
        return None
    route = re.sub(r"/(?=[^/?]*\d)[^/?]{4,}", "/<id>", texts[path].partition("?")[0])
    others = {key: value for key, value in arguments.items() if key not in (method, path)}
    name = f"{tool}.{texts[method]} {route}"[:_NAME]
    return name, json.dumps(others, ensure_ascii=False, sort_keys=True)
