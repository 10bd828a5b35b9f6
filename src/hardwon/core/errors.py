"""Everything hardwon raises on purpose, divided by what the caller should do.

HardwonError
├── InvalidInput          fix the input            (exit code 2)
│   ├── NotAllowed        ask somebody with more rights
│   ├── OnServerOnly      do it on the machine of the server
│   └── NotFound          there is no such thing   (exit code 1)
├── SetupError            fix the installation
│   ├── MissingExtra      install an extra
│   ├── StorageError      look at the disk or the file it names
│   │   ├── StorageFull   free some space
│   │   └── Corrupt       restore or move the file it names
│   └── NewerSchema       upgrade hardwon
├── TransientError        try again later; the queue does
│   ├── NotTried          no call was made; the job keeps its attempts and its last error
│   │   ├── BudgetSpent   wait for tomorrow, or raise the budget
│   │   └── CircuitOpen   wait until the circuit closes
│   └── Unavailable       a server is down; the queue tries again without limit
│       └── OlderServer   upgrade the server; what was sent is kept until then
└── PermanentError        trying again cannot help; the queue buries the job
    └── BadReply          the model did not keep to the agreed format
"""

import errno

# Packages that an extra needs and no index has: as files of a release, and in a clone.
_OWN = {"vectors": ("./hardwon_minilm-*.whl ", "./packages/minilm ")}


class HardwonError(Exception):
    """The root of every error raised by hardwon."""


class InvalidInput(HardwonError, ValueError):
    """The caller passed something that can never work; the text says what and why."""


class NotAllowed(InvalidInput):
    """The caller may see this and not change it."""


class OnServerOnly(InvalidInput, AttributeError):
    """A client does not have this verb; `what` names it for the reader."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} works only on the machine where the server runs: run it there,"
            " or use the data of this machine after `hardwon logout`"
        )


class NotFound(InvalidInput):
    """Nothing with this name is visible in this scope."""

    def __init__(self, kind: str, name: object = None, *, hint: str = "", words: str = "") -> None:
        problem = f"no {kind} found" if name in {None, ""} else f"{kind} {name!r} not found"
        super().__init__((words or problem) + hint)
        self.kind = kind
        self.name = name


def no_change(number: int | None = None) -> NotFound:
    """The error about a lesson, or a scope, without a change that can be taken back."""
    whose = "there is" if number is None else f"#{number} has"
    return NotFound("change to undo", number, words=f"{whose} no change to undo")


class SetupError(HardwonError):
    """The machine or the installation must be fixed first."""


class MissingExtra(SetupError):
    """An optional part was asked for and its packages are not installed."""

    def __init__(self, extra: str) -> None:
        file, folder = _OWN.get(extra, ("", ""))
        super().__init__(
            f"This needs an extra: pip install {file}'hardwon[{extra}]' where hardwon is installed"
            f" (in a clone: pip install {folder}'.[{extra}]')"
        )
        self.extra = extra


class StorageError(SetupError):
    """A file or database could not be read or written; `path` is where."""

    def __init__(self, path: str, problem: str, remedy: str) -> None:
        super().__init__(f"{path}: {problem}; {remedy}")
        self.path = path
        self.problem = problem


class StorageFull(StorageError):
    """No room left; what was acknowledged before is safe."""


class Corrupt(StorageError):
    """The file is damaged; nothing in it was changed."""


class NewerSchema(SetupError):
    """The data was written by a newer hardwon; nothing was changed."""

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path}: schema {found} is newer than this hardwon knows ({known}); upgrade hardwon"
        )
        self.path = path
        self.found = found


class TransientError(HardwonError):
    """The same call may work later; `retry_after` is how long the other side asked to wait."""

    def __init__(self, problem: str, *, retry_after: float | None = None) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class Unavailable(TransientError):
    """A server with hardwon's data is unavailable; no attempt is counted against the job."""

    def __init__(self, problem: str, *, retry_after: float | None = 2.0) -> None:
        super().__init__(problem, retry_after=retry_after)


class OlderServer(Unavailable):
    """The server does not know what a newer hardwon sends; none of it was taken."""


class NotTried(TransientError):
    """No call was made, so no attempt is counted against the job."""


class CircuitOpen(NotTried):
    """The model failed too often in a row; it is not called for `retry_after` seconds."""


class BudgetSpent(NotTried):
    """The day's budget for models is used up; `limit` says which part of it."""

    def __init__(self, limit: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"the budget of {limit} is spent", retry_after=retry_after)
        self.limit = limit


class PermanentError(HardwonError):
    """The same call will fail again."""


class BadReply(PermanentError):
    """The model did not keep to the format; `reply` is what it answered."""

    def __init__(self, missing: str, reply: str) -> None:
        super().__init__(f"Reply lacks {missing}")
        self.reply = reply


_REMEDIES = {
    errno.EACCES: "check its owner and mode, or set HARDWON_HOME to a directory of yours",
    errno.EPERM: "check its owner and mode, or set HARDWON_HOME to a directory of yours",
    errno.EROFS: "set HARDWON_HOME to a directory that can be written",
    errno.ENOTDIR: "set HARDWON_HOME to a directory",
    errno.EISDIR: "it is a directory; move it away",
    errno.EEXIST: "it is a file; set HARDWON_HOME to a directory",
    errno.EADDRINUSE: "choose another port",
    errno.ENOENT: "set HARDWON_HOME to a directory that can be made",
}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def storage_error(error: OSError, path: str) -> StorageError:
    """The storage error that tells a person what to do about `error`."""
    problem = error.strerror or str(error)
    if error.errno in _FULL:
        return StorageFull(path, problem, "free some space and try again")
    return StorageError(path, problem, _REMEDIES.get(error.errno or 0, "check the disk"))
