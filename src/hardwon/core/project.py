"""The project that a folder belongs to, and the person who works on this machine."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

from hardwon.core import _files
from hardwon.core.settings import RunSettings
from hardwon.core.text.clean import LABEL_LIMIT, one_line
from hardwon.core.values.run import Author
from hardwon.core.values.scope import APART

_NAME_LIMIT = LABEL_LIMIT - 32  # room for the mark of an untrusted folder
_WHO_LIMIT = 80  # characters of a person's name
_GIT = "git"  # the setting that takes the person from git
_OWNER_AND_NAME = r"[:/]([^/:\s]+/[^/:\s]+?)(?:\.git)?/?$"


class ClaimedProject(NamedTuple):
    """The project that a folder claims to belong to."""

    project: str
    folder: str  # the real path of the repository; its work trees share it
    is_by_name: bool  # by its remote, which any folder can claim; False: by its own path


def claim_of(folder: str) -> ClaimedProject | None:
    """`owner/name` of the repository's remote, else the path of its root or of the folder.

    None if `folder` is not an absolute path.
    """
    if not folder or not os.path.isabs(folder):
        return None
    root, git = _repository(folder)
    remote = one_line(_remote(git))
    if len(remote) > _NAME_LIMIT or APART in remote:
        remote = ""
    project = remote or one_line(root)[-LABEL_LIMIT:]
    # The real path of the repository; the root if `.git` is elsewhere, as it may be another's.
    is_inside = os.path.dirname(git) == root and not os.path.islink(git)
    real = os.path.realpath(git if is_inside else root).removesuffix(f"{os.sep}.git") or os.sep
    return ClaimedProject(project, real, bool(remote)) if project else None


def _repository(folder: str) -> tuple[str, str]:
    """The root of the repository and its `.git`; linked worktrees get those of the main one."""
    at = os.path.normpath(folder)
    while True:
        git = os.path.join(at, ".git")
        if os.path.isdir(git):
            return at, git
        if os.path.isfile(git):
            return _main_repository(at, git)
        parent = os.path.dirname(at)
        if parent == at:
            return os.path.normpath(folder), ""
        at = parent


def _main_repository(root: str, pointer: str) -> tuple[str, str]:
    """The main repository of a linked work tree that it knows: any folder can point to one."""
    git = os.path.join(root, _text(pointer, 4096).removeprefix("gitdir:").strip())
    main, separator, _ = git.rpartition(f"{os.sep}worktrees{os.sep}")
    back = _text(os.path.join(git, "gitdir"), 4096).strip() if separator else ""
    if back and os.path.realpath(os.path.join(git, back)) == os.path.realpath(pointer):
        return os.path.dirname(main), main
    return root, "" if separator else git


def _text(path: str, limit: int) -> str:
    """The beginning of a file; "" when the file is missing or is a pipe."""
    try:
        return _files.content(path, limit).decode("utf-8", "replace")
    except OSError:
        return ""


def _remote(git: str) -> str:
    """`owner/name` of `origin`, if there is one."""
    lines = _text(os.path.join(git, "config"), 65536).splitlines() if git else []
    section = ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            section = line
        elif section == '[remote "origin"]' and line.startswith("url"):
            match = re.search(_OWNER_AND_NAME, line.partition("=")[2].strip())
            return match[1] if match else ""
    return ""


def author_of(settings: RunSettings) -> Author:
    """The person and the machine that runs of this machine are noted with."""
    person = _person_of_git() if settings.person == _GIT else settings.person
    machine = os.uname().nodename if settings.machine else ""
    return Author(one_line(person, _WHO_LIMIT), one_line(machine, _WHO_LIMIT))


@cache
def _person_of_git() -> str:
    """`user.name` of the user's git settings; "" without git or without a name."""
    import subprocess  # a hook does not need it

    command = ["git", "config", "--global", "--get", "user.name"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")
