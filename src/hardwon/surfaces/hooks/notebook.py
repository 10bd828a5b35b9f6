"""What the hooks of one run tell each other, since each is a process of its own."""

import os
import time

from hardwon._cold.hashing import blake2b
from hardwon.errors import InvalidInput
from hardwon.text.clean import file_id

_KEPT = 7 * 86400  # seconds after which the notes of a run that never ended are removed


def run_id(session: str) -> str:
    """The session's id if it is fit to be a file name, else a name made from it."""
    try:
        return file_id(session, "session")
    except InvalidInput:
        return f"run-{blake2b(session.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


class Notebook:
    """Two notes of a run: its task, and the latest error that has not been captured."""

    def __init__(self, home: str, run: str) -> None:
        self._folder = os.path.join(home, "runs")
        self._run = run

    def write(self, note: str, text: str) -> None:
        """Keep the text under this name; the latest counts."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        path = self._path(note)
        aside = f"{path}.{os.getpid()}"
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.replace(aside, path)

    def read(self, note: str) -> str:
        """The text, or nothing."""
        try:
            with open(self._path(note), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def tear_out(self, *notes: str) -> None:
        """Forget these notes."""
        for note in notes:
            _remove(self._path(note))

    def tidy(self) -> None:
        """Remove the notes of runs that ended without saying so."""
        if not os.path.isdir(self._folder):
            return
        with os.scandir(self._folder) as files:
            for file in files:
                if file.is_file() and file.stat().st_mtime < time.time() - _KEPT:
                    _remove(file.path)

    def _path(self, note: str) -> str:
        return os.path.join(self._folder, f"{self._run}.{note}")


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:  # another hook of the run was quicker
        return
