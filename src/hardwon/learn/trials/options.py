"""The options of a loop: read and checked; some may change when it is resumed.

A file that names commands is used only after a person trusted it, and only unchanged.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.text.clean import required
from hardwon.core.text.redact import redact
from hardwon.learn.trials import files
from hardwon.core.values import DecodeError, from_plain
from hardwon.learn.trials.evaluate import checked
from hardwon.learn.trials.prompt import omega_setting
from hardwon.learn.trials.state import Options

if TYPE_CHECKING:
    from hardwon.learn.trials.loops import Functions
    from hardwon.learn.trials.state import LoopState

_TASK_LIMIT = 64 * 1024
_CHANGEABLE = {
    "max_trials", "patience", "repeats", "on_critical", "omega", "policy", "window_tokens",
    "actor", "actor_seconds", "verify_seconds",
}  # fmt: skip

NAME = "hardwon.toml"
_LIST = "trusted.json"


def checked_options(options: Options, functions: Functions) -> Options:
    """The options, with secrets removed from the task; InvalidInput if they are unusable."""
    if functions.actor is None and not options.actor:
        raise InvalidInput("no actor: give a command or a function")
    if functions.evaluate is None and not options.verify:
        raise InvalidInput("no verifier: give a command (--verify) or a function (evaluate=)")
    if options.cwd and not os.path.isdir(options.cwd):
        raise InvalidInput(f"{options.cwd!r} is not a directory")
    for command in (options.actor, *options.verify):
        _without_secret(command)
    omega_setting(options.omega)
    checked(options.verify, options.cwd or os.getcwd())
    _within_limits(options)
    return options._replace(task=redact(required(options.task, "task", _TASK_LIMIT)))


def _within_limits(options: Options) -> None:
    for name in ("max_trials", "window_tokens", "output_bytes"):
        if not 1 <= getattr(options, name) <= 1 << 30:
            raise InvalidInput(f"{name} must be at least 1, not {getattr(options, name)}")
    for name in ("actor_seconds", "verify_seconds"):
        if not 0 < getattr(options, name) < 1e7:
            raise InvalidInput(f"{name} must be over 0, not {getattr(options, name)}")


def _without_secret(command: object) -> None:
    """Refuse a command with a secret: commands are stored as they are, to run again."""
    if redact(str(command)) != str(command):
        raise InvalidInput("a command of a loop holds a secret; pass it in the environment instead")


def options_of(task: str, defaults: Any, **given: Any) -> Options:
    """The options of a loop: the given ones, else those of the settings."""
    unknown = given.keys() - set(Options._fields)
    if unknown:
        raise InvalidInput(f"no such option: {', '.join(sorted(unknown))}")
    from_settings = {
        "max_trials": defaults.max_trials,
        "omega": defaults.omega,
        "policy": defaults.policy,
        "window_tokens": defaults.window_tokens,
        "actor_seconds": defaults.actor_timeout.total_seconds(),
        "verify_seconds": defaults.verify_timeout.total_seconds(),
        "patience": defaults.patience,
        "repeats": defaults.repeats,
        "lessons": defaults.lessons,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if "omega" in chosen:
        chosen["omega"] = str(chosen["omega"])
    try:
        return from_plain(Options, {**from_settings, **chosen, "task": task})
    except DecodeError as error:
        raise InvalidInput(str(error)) from error


def check_resumable(state: LoopState, changes: dict[str, Any]) -> None:
    """Refuse to resume an ended loop, or to change its fixed options."""
    unknown = changes.keys() - _CHANGEABLE
    if unknown:
        raise InvalidInput(f"a resumed loop keeps its {', '.join(sorted(unknown))}")
    _without_secret(changes.get("actor") or "")
    if state.status == "succeeded":
        raise InvalidInput(f"loop {state.loop_id!r} has succeeded; there is nothing to resume")
    most = changes.get("max_trials") or state.options.max_trials
    # A loop that was killed before its end is continued, even if all its trials are used.
    if state.status != "running" and state.open is None and len(state.trials) >= most:
        raise InvalidInput(
            f"loop {state.loop_id!r} has used its {most} trials; resume it with a larger max_trials"
        )


def changed(changes: dict[str, Any]) -> dict[str, Any]:
    """The given changes, in the form of stored options."""
    present = {name: value for name, value in changes.items() if value is not None}
    return {name: str(v) if name == "omega" else v for name, v in present.items()}


def trust(home: str, path: str) -> str:
    """Trust this file as it is now to name commands; returns its full path."""
    full, content = _content(path)
    _parsed(full, content)
    trusted = _trusted(home)
    trusted[full] = _digest(content)
    files.make_folder(home)
    files.write(os.path.join(home, _LIST), json.dumps(trusted, indent=2).encode())
    return full


def loop_table(home: str, path: str) -> dict[str, Any]:
    """The `[loop]` table of a trusted file, else InvalidInput."""
    full, content = _content(path)
    if _trusted(home).get(full) != _digest(content):
        raise InvalidInput(
            f"{full} is not trusted, or has changed since; read it, then: hardwon loop trust {path}"
        )
    return _parsed(full, content)


def _content(path: str) -> tuple[str, bytes]:
    full = os.path.realpath(path)
    content = files.read(full)
    if content is None:
        raise InvalidInput(f"{path!r} does not exist")
    return full, content


def _parsed(path: str, content: bytes) -> dict[str, Any]:
    try:
        table = tomllib.loads(content.decode()).get("loop", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StorageError(path, f"not valid TOML ({error})", "correct it") from error
    unknown = set(table) - set(Options._fields) if isinstance(table, dict) else {"loop"}
    if unknown:
        raise InvalidInput(f"{path}: unknown in [loop]: {', '.join(sorted(unknown))}")
    return dict(table)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _trusted(home: str) -> dict[str, str]:
    content = files.read(os.path.join(home, _LIST))
    try:
        trusted = json.loads(content) if content else {}
    except ValueError:
        return {}  # then nothing is trusted
    return trusted if isinstance(trusted, dict) else {}
