"""Where the home directory is; one that other users own or can write to is refused."""

from __future__ import annotations

import os
import stat

from hardwon.core.errors import StorageError

_ROOT = 0  # root may change every file anyway


def home_at(path: str | None) -> str:
    """The home at a path; without one, `.hardwon` in the user's home directory."""
    if path:
        return os.path.abspath(os.path.expanduser(path))
    user = os.path.expanduser("~")
    if user == "~" or not os.path.isabs(user):
        raise StorageError("~", "no home directory is known", "set HARDWON_HOME to a directory")
    return os.path.join(user, ".hardwon")


def ensure_own(home: str) -> None:
    """Raise StorageError when another user owns the home or can write to it."""
    try:
        state = os.stat(home)
    except OSError:  # it does not exist yet; other errors are reported when it is opened
        return
    wrong = home_problem(home, state, uid=os.geteuid())
    if wrong is not None:
        raise wrong


def is_database(target: str) -> bool:
    """Whether a target is the URL of a PostgreSQL database, and not a home directory."""
    return target.startswith(("postgresql://", "postgres://"))


def database_digest(url: str) -> str:
    """The digest of a database URL for file names, without user, password and options."""
    from hashlib import blake2b  # a hook that asks the daemon has no use for it

    place = url.partition("://")[2].partition("?")[0].rpartition("@")[2]
    return blake2b(place.encode(), digest_size=6).hexdigest()


def home_problem(home: str, state: os.stat_result, *, uid: int) -> StorageError | None:
    """Why this user should not use the home, with a command that helps; None if it is fine."""
    if state.st_uid not in {uid, _ROOT}:
        remedy = f"`sudo chown -R {uid} {home}` if it is yours, else set HARDWON_HOME to another"
        return StorageError(home, f"it belongs to user {state.st_uid}, not to {uid}", remedy)
    if state.st_mode & stat.S_IWOTH:
        return StorageError(home, "everybody can write to it", f"`chmod 700 {home}`")
    return None
