"""The time limit of an event, when hooks ran, and the log of errors hidden from the agent."""

from __future__ import annotations

import _thread
import os
import time

from hardwon.core import _files
from hardwon.core.settings import Settings, default_home
from hardwon.surfaces.hooks.agents import Event, EventKind

LOG = "hook.log"
GAVE_UP = "gave up after"
RUNS = "hook-runs"  # a folder with an empty file per event; its time is the last run
_LOG_LIMIT = 1024 * 1024
# Nothing repeats what these report.
_CAPTURES = {EventKind.FAILED, EventKind.STOP, EventKind.SESSION_END}


class Watch:
    """Ends the process when its time is up, and writes the log."""

    def __init__(self, subject: str, home: str = "") -> None:
        self._subject = subject
        self.home = home
        self._began = time.monotonic()
        self.limit = 0.0  # seconds
        self._capture_limit = 0.0

    def start(self, settings: Settings) -> None:
        """Start the time limit, in a thread: a signal would wait for a locked database."""
        self.limit_by(settings)
        _thread.start_new_thread(self._wait, ())

    def limit_by(self, settings: Settings) -> None:
        """Use the limits of these settings."""
        self.home, values = settings.home, settings.hooks
        self.limit = values.limit.total_seconds()
        self._capture_limit = values.capture_limit.total_seconds()

    def about(self, event: Event) -> None:
        """Name the event in the log; a capture may take longer than a recall."""
        self._subject = f"{self._subject.split()[0]} {event.name}"
        if event.kind in _CAPTURES:
            self.limit = max(self.limit, self._capture_limit)

    def extend(self, seconds: float) -> None:
        """Allow this much more time."""
        self.limit += seconds

    def ran(self) -> None:
        """Record that the hook of this event ran; `hardwon status` shows when."""
        agent, _, event = self._subject.partition(" ")
        if not self.home or not event.isidentifier():  # a hook that is off has no home
            return
        folder = os.path.join(self.home, RUNS)
        path = os.path.join(folder, os.path.basename(f"{agent}.{event}"))
        try:
            os.utime(path)
        except FileNotFoundError:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _files.append(path, b"")

    def trouble(self, error: BaseException) -> None:
        """Log a door that failed and returned nothing."""
        self.log(f"{type(error).__name__}: {error}")

    def log(self, problem: str) -> None:
        """Append one line; give up silently if that fails."""
        try:
            line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {self._subject} {problem}"
            from hardwon.core.text.secrets import safe  # nothing is logged as a rule

            clean = "".join(letter if letter.isprintable() else " " for letter in safe(line, 500))
            path = os.path.join(self.home or default_home(), LOG)
            if os.path.exists(path) and os.path.getsize(path) > _LOG_LIMIT:
                os.replace(path, f"{path}.1")
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            _files.append(path, clean.encode("utf-8", "replace") + b"\n")
        except Exception:  # noqa: BLE001 - there is nowhere else to report it
            pass

    def gave_up(self) -> None:
        """Log that the time was up."""
        self.log(f"{GAVE_UP} {self.limit:.3g} s")

    def _wait(self) -> None:
        while (remaining := self._began + self.limit - time.monotonic()) > 0:
            time.sleep(remaining)
        self.gave_up()
        os._exit(0)


def read_log(home: str) -> list[str]:
    """The lines of the log and of the rotated one, oldest first."""
    lines: list[str] = []
    for name in (f"{LOG}.1", LOG):
        try:
            with open(os.path.join(home, name), encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
        except FileNotFoundError:
            continue
    return lines


def last_runs(home: str) -> dict[tuple[str, str], float]:
    """When the hook of each agent and event last ran, the latest first."""
    folder = os.path.join(home, RUNS)
    try:
        names = os.listdir(folder)
    except OSError:
        return {}
    times = {name: os.stat(os.path.join(folder, name)).st_mtime for name in names}
    latest = sorted(times, key=lambda name: -times[name])
    return {(name.partition(".")[0], name.partition(".")[2]): times[name] for name in latest}


def describe_late(lines: list[str]) -> list[str]:
    """One line on how often a hook gave up, and when last; empty if never."""
    late = [line for line in lines if GAVE_UP in line]
    if not late:
        return []
    guards = sum(" guard " in line for line in late)
    guarding = f", {guards} of them with a guard to judge, which then denied" if guards else ""
    often = "once" if len(late) == 1 else f"{len(late)} times"
    return [f"a hook gave up {often}{guarding}, last at {late[-1].split(' ', 1)[0]}"]
