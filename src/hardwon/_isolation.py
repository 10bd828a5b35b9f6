"""Processes that neither the working directory nor PYTHON… variables can reach.

An agent works in folders that other people wrote. A `json.py` or a `hardwon/` in such a folder
must never be imported by our processes.
"""

from __future__ import annotations

import os
import sys

# Code instead of a script: a script that has gone ends with exit code 2, by which agents block
# what they were about to do; a module that has gone ends with 1.
_START = "import sys; sys.path.append({root!a}); from hardwon.__main__ import main; main()"


def command(*arguments: str, folder: str = "", site: bool = True) -> list[str]:
    """The words that start `hardwon` with these arguments, isolated, in a folder of our choice.

    Without `site` the interpreter starts a tenth faster; optional packages are then not found.
    """
    start = _START.format(root=_root())
    code = f"import os; os.chdir({folder!a}); {start}" if folder else start
    return [sys.executable, "-I", *([] if site else ["-S"]), "-c", code, *arguments]


def restrict_path() -> None:
    """Import nothing from the working directory, and from PYTHONPATH only what is nowhere else."""
    if sys.flags.isolated:
        return
    here = _working_directory()
    listed = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    near = {
        here,
        *(os.path.normpath(os.path.join(here, e)) for e in listed if not os.path.isabs(e)),
    }
    far = [
        entry for entry in listed if os.path.isabs(entry) and os.path.normpath(entry) not in near
    ]
    own = [entry for entry in sys.path if entry == _root() or entry not in {"", *near, *far}]
    sys.path[:] = [*own, *far]


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:  # it has been removed
        return ""


def _root() -> str:
    """Where this package was imported from: a folder, or an archive."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
