"""Checks of a home directory: one that other users own or can write to is refused."""

from __future__ import annotations

import os
import stat

from hardwon._cold.hashing import blake2b
from hardwon.errors import StorageError

_ROOT = 0  # root may change every file anyway


def ensure_own(home: str) -> None:
    """Raise StorageError when another user owns the home or can write to it."""
    try:
        state = os.stat(home)
    except OSError:  # it does not exist yet; other errors are reported when it is opened
        return
    wrong = problem(home, state, uid=os.geteuid())
    if wrong is not None:
        raise wrong


def is_database(target: str) -> bool:
    """Whether a target is the URL of a PostgreSQL database, and not a home directory."""
    return target.startswith(("postgresql://", "postgres://"))


def digest(url: str) -> str:
    """The digest of a database URL for file names, without user, password and options."""
    place = url.partition("://")[2].partition("?")[0].rpartition("@")[2]
    return blake2b(place.encode(), digest_size=6).hexdigest()


def problem(home: str, state: os.stat_result, *, uid: int) -> StorageError | None:
    """Why this user should not use the home, with a command that helps; None if it is fine."""
    if state.st_uid not in {uid, _ROOT}:
        remedy = f"`sudo chown -R {uid} {home}` if it is yours, else set HARDWON_HOME to another"
        return StorageError(home, f"it belongs to user {state.st_uid}, not to {uid}", remedy)
    if state.st_mode & stat.S_IWOTH:
        return StorageError(home, "everybody can write to it", f"`chmod 700 {home}`")
    return None
