"""Which project a folder belongs to, so that every surface calls it the same."""

import os

from hardwon import _files
from hardwon._cold import re
from hardwon.text.clean import LABEL_LIMIT, one_line

_OWNER_AND_NAME = r"[:/]([^/:\s]+/[^/:\s]+?)(?:\.git)?/?$"


def project_of(folder: str) -> str | None:
    """`owner/name` of the repository's remote, else the path of its root or of the folder."""
    if not folder or not os.path.isabs(folder):
        return None
    root, git = _repository(folder)
    return one_line(_remote(git) or root)[-LABEL_LIMIT:] or None


def _repository(folder: str) -> tuple[str, str]:
    """The root of the repository and its `.git`; all linked worktrees share those of the main."""
    at = os.path.normpath(folder)
    while True:
        git = os.path.join(at, ".git")
        if os.path.isdir(git):
            return at, git
        if os.path.isfile(git):
            return _linked(at, git)
        parent = os.path.dirname(at)
        if parent == at:
            return os.path.normpath(folder), ""
        at = parent


def _linked(root: str, pointer: str) -> tuple[str, str]:
    git = os.path.join(root, _text(pointer, 4096).removeprefix("gitdir:").strip())
    main, found, _ = git.rpartition(f"{os.sep}worktrees{os.sep}")
    if found and _knows(git, pointer):
        return os.path.dirname(main), main
    return root, "" if found else git


def _knows(git: str, pointer: str) -> bool:
    """Whether the repository has this work tree: any folder can point to a repository."""
    back = _text(os.path.join(git, "gitdir"), 4096).strip()
    return bool(back) and os.path.realpath(os.path.join(git, back)) == os.path.realpath(pointer)


def _text(path: str, limit: int) -> str:
    """The beginning of a file; nothing when there is none, or a pipe in its place."""
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
            found = re.search(_OWNER_AND_NAME, line.partition("=")[2].strip())
            return found[1] if found else ""
    return ""
