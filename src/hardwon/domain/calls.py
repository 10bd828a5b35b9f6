"""Tool calls in one form, so that two calls of the same kind can be told to be alike."""

import json
import re
from typing import Any

from hardwon.domain.text import clean, clip_middle

ARGS_LIMIT = 8192
_COMMAND_KEYS = ("command", "cmd", "script", "code")
_FLAG = r"-{1,2}[A-Za-z][\w-]{0,40}"
_WRAPPERS = {"sudo", "env", "time", "nohup", "exec", "command"}
_ASSIGNMENT = r"[A-Za-z_]\w*=\S*"
_CHAIN = r"\s*(?:&&|\|\||;|\||\n)\s*"


def canonical(args: Any) -> str:
    """The arguments as text: a command as it stands, anything else as sorted JSON."""
    if isinstance(args, str):
        return clip_middle(clean(args).strip(), ARGS_LIMIT)
    if isinstance(args, dict):
        for key in _COMMAND_KEYS:
            if isinstance(args.get(key), str):
                return canonical(args[key])
    text = json.dumps(args, ensure_ascii=False, sort_keys=True, default=str)
    return clip_middle(clean(text), ARGS_LIMIT)


def call_shape(tool: str, args: str) -> str:
    """The kind of call: the program, its sub-command and its flags, without values."""
    if args.startswith("{"):
        return f"{tool.lower()} {' '.join(_keys(args))}".strip()
    program = _main_part(args)
    return f"{tool.lower()} {' '.join(program)}".strip()[:200]


def _keys(args: str) -> list[str]:
    try:
        return sorted(json.loads(args))
    except ValueError:
        return []


def _main_part(command: str) -> list[str]:
    """Program, sub-command and sorted flags of the last part of a chain that is no `cd`."""
    parts = [part for part in re.split(_CHAIN, command.strip()) if part]
    parts = [part for part in parts if not part.startswith("cd ")] or parts
    words = [word for word in (parts[-1] if parts else "").split() if not _is_prefix(word)]
    if not words:
        return []
    program = words[0].rsplit("/", 1)[-1]
    flags = sorted({word.split("=")[0] for word in words[1:] if re.match(_FLAG, word)})
    rest = [word for word in words[1:] if word.isalpha() and not word.startswith("-")]
    return [program, *rest[:1], *flags]


def _is_prefix(word: str) -> bool:
    return word in _WRAPPERS or bool(re.fullmatch(_ASSIGNMENT, word))
