"""Tool calls in one form, so that two calls of the same kind can be told to be alike.

A call has keys of four grains, the finest first; a lesson keeps those of the calls that led to it:

    = pytest -q tests/test_a.py    exactly this call
    @ pytest tests/test_a.py       the program and one of its targets
    ~ pytest -q .py                the program, its flags and the kinds of its targets
    : pytest                       the program and its sub-command
"""

from __future__ import annotations

from hardwon._cold import json, re
from hardwon.text.clean import clean, clip_middle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ARGS_LIMIT = 8192
EXACT, TARGET, KIND, PROGRAM = "=@~:"
_KEY_LIMIT = 200
_PARTS, _TARGETS = 12, 4

_COMMAND_KEYS = ("command", "cmd", "script", "code")
_FILE_KEYS = frozenset(["path", "file_path", "notebook_path"])  # there `command` says what to do
_DOCUMENT = r"<<-?[ \t]*+(['\"]?)(\w{1,40})\1"
_QUOTED = r"'[^']*+'|\"(?:[^\"\\]|\\.)*\""
_JOINT = rf"({_QUOTED})|&&|\|\||;|\||\n"
_WORDS = r"(?:'[^']*+'|\"(?:[^\"\\]|\\.)*\"|[^\s'\"]|['\"])+"
_ASSIGNMENT = r"(?s)[A-Za-z_]\w*=.*"
_FLAG = r"-{1,2}[A-Za-z].*"
_REDIRECTION = r"\d?[<>&].*"
_VERSION = r"(python|pip|node|ruby|perl|php)[\d.]+"
_VERSION_LIMIT = 20
_WRAPPERS = frozenset(["sudo", "env", "time", "nohup", "exec", "command", "xargs", "timeout"])
_VERBED = (
    "apt apt-get brew bundle cargo conda docker gh git go helm kubectl make npm npx pip pnpm "
    "poetry systemctl terraform uv yarn"
)
_PLUMBERS = "cat cd echo grep head less rm sort tail tee true uniq wc"
_WITH_VERBS, _PLUMBING = frozenset(_VERBED.split()), frozenset(_PLUMBERS.split())


def canonical(args: Any) -> str:
    """The arguments as text: a command as it stands, anything else as sorted JSON."""
    if isinstance(args, str):
        return clip_middle(clean(args).strip(), ARGS_LIMIT)
    if isinstance(args, dict) and not args.keys() & _FILE_KEYS:
        for key in _COMMAND_KEYS:
            if isinstance(args.get(key), str):
                return canonical(args[key])
    text = json.dumps(args, ensure_ascii=False, sort_keys=True, default=str)
    return clip_middle(clean(text), ARGS_LIMIT)


def call_keys(tool: str, args: str) -> tuple[str, ...]:
    """The keys of a call, of all parts of a chain, each once."""
    if args.startswith("{"):
        return _structured_keys(tool.lower(), args)
    found = [key for part in parts(args)[:_PARTS] for key in part_keys(part)]
    return tuple(dict.fromkeys(found)) or (f"{PROGRAM} {tool.lower()}",)


def blamed_keys(tool: str, args: str, error: str) -> tuple[str, ...]:
    """The keys of that part of a failed call which its error line speaks of."""
    if args.startswith("{"):
        return _structured_keys(tool.lower(), args)
    part = blamed_part(parts(args), error)
    return tuple(part_keys(part)) if part else call_keys(tool, args)


def call_shape(tool: str, args: str) -> str:
    """The kind of call on one line, to be read."""
    keys = call_keys(tool, args)
    return next((key[2:] for key in reversed(keys) if key[0] == KIND), keys[-1][2:])


def parts(command: str) -> list[str]:
    """The commands of a chain or pipe without here-documents; what is quoted stays whole."""
    command = _without_documents(command)
    found, start = [], 0
    for joint in re.finditer(_JOINT, command):
        if joint[1] is None:
            found.append(command[start : joint.start()])
            start = joint.end()
    found.append(command[start:])
    stripped = (part.strip().lstrip("({ ").rstrip() for part in found)
    return [part for part in stripped if part and not re.match(r"cd\s|#", part)]


def _without_documents(command: str) -> str:
    """The command without the bodies of its here-documents."""
    kept, end = [], ""
    for line in command.split("\n"):
        if end:
            end = "" if line.strip() == end else end
            continue
        kept.append(line)
        begun = re.search(_DOCUMENT, line)
        end = begun[2] if begun else ""
    return "\n".join(kept)


def program_of(part: str) -> str:
    """The program of one command: `pytest` for `python3 -m pytest -q`."""
    words = _words(part)
    return _program(words)[0] if words else ""


def part_keys(part: str) -> list[str]:
    """The keys of one command of a chain, the finest first."""
    words = _words(part)
    if not words:
        return []
    program, rest = _program(words)
    whole = f"python -m {program}" if words[1:2] == ["-m"] and program != words[0] else program
    flags = sorted({word.split("=")[0] for word in rest if re.fullmatch(_FLAG, word)})
    targets = [word for word in rest if word[0] not in "-\"'"]
    verb = targets[:1] if program in _WITH_VERBS else []
    kinds = sorted({_kind(target) for target in targets[len(verb) :]})
    named = [t for t in targets[len(verb) :] if "/" in t or "." in t][:_TARGETS]
    head = " ".join((whole, *verb))
    keys = [f"{EXACT} {' '.join(words)}", *(f"{TARGET} {head} {t}" for t in named)]
    keys += [f"{KIND} {' '.join((head, *flags, *kinds))}"]
    keys += [f"{PROGRAM} {' '.join((program, *verb))}"]
    return [key[:_KEY_LIMIT] for key in keys]


def _words(part: str) -> list[str]:
    """The words from the program on: neither assignments nor wrappers such as `sudo`."""
    words = [word for word in re.findall(_WORDS, part) if not re.fullmatch(_REDIRECTION, word)]
    while words and (words[0] in _WRAPPERS or re.fullmatch(_ASSIGNMENT, words[0])):
        skip = 2 if words[0] == "timeout" and len(words) > 2 else 1
        words = words[skip:]
    return words


def _program(words: list[str]) -> tuple[str, list[str]]:
    """The program and its arguments; `python -m x` is the program x."""
    own = words[0]
    is_installed = own.startswith("/") or "venv/" in own
    program = own.rsplit("/", 1)[-1] if is_installed else own
    versioned = re.fullmatch(_VERSION, program)
    program = versioned[1] if versioned else program
    if program == "python" and len(words) > 2 and words[1] == "-m":
        return words[2], words[3:]
    return program, words[1:]


def _kind(target: str) -> str:
    """What kind of thing a target is: its extension, a path, or a word."""
    found = re.search(r"\.\w{1,5}$", target.split("::")[0])
    return found[0] if found else "dir" if "/" in target else "word"


def blamed_part(chain: list[str], error: str) -> str:
    """The part whose program the error names, else the last that does some work."""
    for part in chain:
        program = program_of(part).rsplit("/", 1)[-1]
        if program and _speaks(error, program):
            return part
    working = [part for part in chain if program_of(part) not in _PLUMBING] or chain
    return working[-1] if working else ""


def _speaks(error: str, program: str) -> bool:
    """Whether the error begins a message of the program: `pip3: …`, `bash: mkdir: …`."""
    at = error.find(program)
    while at >= 0:
        end = at + len(program)
        before, after = error[max(0, at - 1) : at], error[end : end + _VERSION_LIMIT]
        is_apart = not before.isalnum() and before not in {"_", "/"}
        if is_apart and after.lstrip("0123456789.").startswith(": "):
            return True
        at = error.find(program, end)
    return False


def _structured_keys(tool: str, args: str) -> tuple[str, ...]:
    """The keys of a call with named arguments."""
    try:
        values = json.loads(args)
    except ValueError:  # clipped
        values = {}
    paths = [v for v in values.values() if isinstance(v, str) and re.fullmatch(r"[\w@./~-]+", v)]
    named = [path for path in paths if "/" in path or "." in path][:_TARGETS]
    keys = [f"{EXACT} {tool} {args}", *(f"{TARGET} {tool} {path}" for path in named)]
    keys += [f"{KIND} {' '.join((tool, *sorted(values)))}", f"{PROGRAM} {tool}"]
    return tuple(key[:_KEY_LIMIT] for key in keys)
