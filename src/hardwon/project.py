"""Which project a folder belongs to, so that every surface calls it the same."""

import os

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
    with open(pointer, encoding="utf-8", errors="replace") as file:
        named = file.read(4096).removeprefix("gitdir:").strip()
    main, found, _ = os.path.join(root, named).rpartition(f"{os.sep}worktrees{os.sep}")
    return (os.path.dirname(main), main) if found else (root, os.path.join(root, named))


def _remote(git: str) -> str:
    """`owner/name` of `origin`, if there is one."""
    try:
        with open(os.path.join(git, "config"), encoding="utf-8", errors="replace") as file:
            lines = file.read(65536).splitlines()
    except OSError:
        return ""
    section = ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            section = line
        elif section == '[remote "origin"]' and line.startswith("url"):
            found = re.search(_OWNER_AND_NAME, line.partition("=")[2].strip())
            return found[1] if found else ""
    return ""
