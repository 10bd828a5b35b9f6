"""Start processes that ignore the working directory and the PYTHON… variables.

An agent works in folders that other people wrote. A `json.py` or a `hardwon/` in such a folder
must never be imported by hardwon's processes.
"""

from __future__ import annotations

import os
import sys

# Code instead of a script: a missing script ends with exit code 2, which makes agents block their
# next call; a missing module ends with 1.
_START = "import sys; sys.path.append({root!a}); from hardwon.__main__ import main; main()"
_ENTER = (
    "import sys; root = {root!a}; root in sys.path or sys.path.insert(0, root);"
    " from {entry} import main; main()"
)


def command(*arguments: str, folder: str = "", site: bool = True, entry: str = "") -> list[str]:
    """The command line that starts `hardwon` with these arguments, isolated, in `folder`.

    With `entry` the `main` of that module is called instead, and another hardwon that is installed
    does not win over this one. Without `site` the interpreter starts a tenth faster; optional
    packages are then not found.
    """
    start = (_ENTER if entry else _START).format(root=_root(), entry=entry)
    code = f"import os; os.chdir({folder!a}); {start}" if folder else start
    return [sys.executable, "-I", *([] if site else ["-S"]), "-c", code, *arguments]


def start_detached(words: list[str], *, log: str, environ: dict[str, str] | None = None) -> int:
    """Start a process that outlives this one and writes to the file `log`; returns its id."""
    from hardwon.core import _files  # a hook that asks the daemon starts nothing

    nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    handle = _files.fresh(log)
    streams = ((os.POSIX_SPAWN_DUP2, handle, number) for number in (1, 2))
    try:
        return os.posix_spawn(  # `subprocess` takes long to import
            words[0],
            words,
            os.environ if environ is None else environ,
            file_actions=(nothing, *streams),
            setsid=True,
        )
    finally:
        os.close(handle)


def restrict_path() -> None:
    """Remove the working directory from `sys.path` and move PYTHONPATH to its end."""
    if sys.flags.isolated:
        return
    try:
        working_directory = os.getcwd()
    except OSError:  # the directory has been removed
        working_directory = ""
    listed = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    absolute = [entry for entry in listed if os.path.isabs(entry)]
    joined = (os.path.join(working_directory, entry) for entry in listed if entry not in absolute)
    relative = {working_directory, *map(os.path.normpath, joined)}
    absolute = [entry for entry in absolute if os.path.normpath(entry) not in relative]
    left_out = {"", *relative, *absolute}
    kept = [entry for entry in sys.path if entry == _root() or entry not in left_out]
    sys.path[:] = [*kept, *absolute]


def _root() -> str:
    """Where this package was imported from: a folder, or an archive."""
    core = os.path.dirname(os.path.abspath(__file__))
    return os.path.dirname(os.path.dirname(core))
