"""How one command differs from another, in words."""

from __future__ import annotations

from hardwon.text.clean import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.shell import Command


def changes(old: Command, new: Command) -> tuple[str, ...]:
    """What the new command does differently, in words that follow "you"."""
    found = (
        *_moved(old, new),
        *_restarted(old, new),
        *_prepared(old, new),
        *_reflagged(old, new),
        *_retargeted(old, new),
        *_rewritten(old, new),
    )
    return found[:4]


def _moved(old: Command, new: Command) -> list[str]:
    if old.cwd == new.cwd:
        return []
    return [f"ran it from {_code(new.cwd)}" if new.cwd else f"did not `cd {old.cwd}` first"]


def _restarted(old: Command, new: Command) -> list[str]:
    if old.call == new.call:
        return []
    if old.does == new.does and set(old.via) < set(new.via):
        return [f"ran it with {_code(' '.join(x for x in new.via if x not in old.via))}"]
    return [f"used {_code(new.call)} instead of {_code(old.call)}"]


def _prepared(old: Command, new: Command) -> list[str]:
    added = [one for one in new.env if one not in old.env]
    dropped = [one.split("=")[0] for one in old.env if one not in new.env]
    dropped = [name for name in dropped if not any(one.startswith(f"{name}=") for one in added)]
    return [
        *([f"set {_code(' '.join(added))}"] if added else []),
        *([f"left {_code(' '.join(dropped))} unset"] if dropped else []),
    ]


def _reflagged(old: Command, new: Command) -> list[str]:
    added = [flag for flag in new.flags if flag not in old.flags]
    dropped = [flag for flag in old.flags if flag not in new.flags]
    if added and dropped:
        return [f"used {_code(' '.join(added))} instead of {_code(' '.join(dropped))}"]
    if added:
        return [f"added {_code(' '.join(added))}"]
    return [f"left out {_code(' '.join(dropped))}"] if dropped else []


def _retargeted(old: Command, new: Command) -> list[str]:
    added = [word for word in new.operands if word not in old.operands]
    dropped = [word for word in old.operands if word not in new.operands]
    if added and dropped:
        return [f"named {_code(' '.join(added))} instead of {_code(' '.join(dropped))}"]
    if added:
        return [f"added {_code(' '.join(added))}"]
    return [f"left out {_code(' '.join(dropped))}"] if dropped else []


def _rewritten(old: Command, new: Command) -> list[str]:
    """What changed in the code that the command carries."""
    if old.script == new.script or not new.script:
        return []
    known = {line.strip() for line in old.script.splitlines()}
    fresh = [line.strip() for line in new.script.splitlines() if line.strip() not in known]
    shown = [line for line in fresh if line and line[0] not in "#)]}"][:2]
    if not old.script or len(fresh) > 12:
        return ["ran other code"]
    return [f"changed the code to {_code('; '.join(shown))}"] if shown else ["left out some code"]


def _code(text: str) -> str:
    """The text as code on one line; a backtick in it cannot end it."""
    return f"`{clip(one_line(text), 120).replace('`', chr(39))}`"
