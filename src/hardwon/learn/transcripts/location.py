"""Find transcripts on disk, one value per session."""

from __future__ import annotations

import glob
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class SessionPlace(NamedTuple):
    """A session on disk."""

    agent: str
    id: str
    path: str
    size: int = 0
    changed: float = 0.0
    base: str = ""  # the agent's own folder of this user, as `~/.claude`
    folder: str = ""  # the folder name that the agent uses for the project, if it has one
    cwd: str = ""
    problem: str = ""  # why it must not be read; "" if it may

    @property
    def is_subagent(self) -> bool:
        """Whether it is the session of a sub-agent."""
        return os.path.basename(os.path.dirname(self.path)) == "subagents"


def inside(base: str, *pattern: str) -> Iterator[str]:
    """What matches below `base`; folders are left out."""
    for path in sorted(glob.iglob(os.path.join(glob.escape(base), *pattern))):
        if not os.path.isdir(path):
            yield path


def place(
    agent: str, path: str, *, base: str, id: str = "", folder: str = "", cwd: str = ""
) -> SessionPlace:
    """The session in this file; `problem` says why it must not be read."""
    session_id = id or os.path.splitext(os.path.basename(path))[0]
    found = SessionPlace(agent, session_id, path, base=base, folder=folder, cwd=cwd)
    try:
        status = os.stat(path)
    except OSError as error:  # gone since it was listed, or a link to nothing
        return found._replace(problem=error.strerror or str(error))
    found = found._replace(size=status.st_size, changed=status.st_mtime)
    return found._replace(problem=_problem(path, base, status))


def _problem(path: str, base: str, status: os.stat_result) -> str:
    """Why a file is no session that may be read; "" if it may."""
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if base:
        root = os.path.realpath(base)
        if os.path.commonpath((root, os.path.realpath(path))) != root:
            return "a link that leads out of the agent's folder"
        owners = {os.geteuid(), os.stat(root).st_uid} if os.path.isdir(root) else {status.st_uid}
        if status.st_uid not in owners:
            return "a file of another user"
    return "" if os.access(path, os.R_OK) else "it cannot be read"
