"""Find transcripts on disk, one value per session; links out of the tree are skipped."""

from __future__ import annotations

import glob
import os
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

    @property
    def is_subagent(self) -> bool:
        """Whether it is the session of a sub-agent."""
        return os.path.basename(os.path.dirname(self.path)) == "subagents"


def inside(base: str, *pattern: str) -> Iterator[str]:
    """The files below `base` that match; links that lead out of the tree are skipped."""
    root = os.path.realpath(base)
    for path in sorted(glob.iglob(os.path.join(glob.escape(base), *pattern))):
        real = os.path.realpath(path)
        if os.path.isfile(real) and os.path.commonpath((root, real)) == root:
            yield path


def place(
    agent: str, path: str, *, base: str, id: str = "", folder: str = "", cwd: str = ""
) -> SessionPlace:
    """The session in this file."""
    session_id = id or os.path.splitext(os.path.basename(path))[0]
    try:
        status = os.stat(path)
    except OSError:  # gone since it was listed
        return SessionPlace(agent, session_id, path, base=base, folder=folder, cwd=cwd)
    return SessionPlace(agent, session_id, path, status.st_size, status.st_mtime, base, folder, cwd)
