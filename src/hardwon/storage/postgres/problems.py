"""Errors of the server as errors that a person or a worker can act on."""

from __future__ import annotations

from hardwon.core.errors import StorageError, StorageFull, Unavailable
from hardwon.storage.postgres.driver import psycopg

_LATER = (
    *(psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected),
    *(psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled),
    *(psycopg.errors.TooManyConnections, psycopg.InterfaceError),
)
_MIGRATE = "run `hardwon migrate` with the URL of the role that owns the tables"
_GRANT = "grant it: `hardwon migrate --grant ROLE`"


def explained(error: Exception, name: str) -> Exception:
    """The error for a person; one that may pass by itself is Unavailable."""
    if isinstance(error, TimeoutError):
        return Unavailable(f"{name}: no answer in time")
    problem = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, psycopg.errors.DiskFull):
        return StorageFull(name, problem, "free some space and try again")
    if isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.InvalidSchemaName):
        return StorageError(name, problem, _MIGRATE)
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        is_owners = problem.startswith("must be owner")
        return StorageError(name, problem, _MIGRATE if is_owners else _GRANT)
    if isinstance(error, _LATER) or _is_lost(error):
        return Unavailable(f"{name}: {problem}")
    return StorageError(name, problem, "check the server's log")


def _is_lost(error: Exception) -> bool:
    """Whether connection or server is gone: errors without a code, classes 57, 08 and 53."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate[:2] in {"57", "08", "53"}
