"""Files that name commands are used only after a person trusted them, and only unchanged."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from typing import Any

from hardwon.errors import InvalidInput, StorageError
from hardwon.learn.trials import files
from hardwon.learn.trials.state import Options

NAME = "hardwon.toml"
_LIST = "trusted.json"


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
