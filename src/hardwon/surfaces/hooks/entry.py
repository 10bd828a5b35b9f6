"""`hardwon hook <agent> [event]`: one event from standard input, the answer on standard output.

After any error the agent continues: exit code 0, no output, one line in `<home>/hook.log`.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from hardwon import _files, _homes
from hardwon._cold import json, re
from hardwon.errors import InvalidInput
from hardwon.settings import Settings, default_home, load
from hardwon.surfaces.hooks.agents import adapter
from hardwon.surfaces.hooks.events import Event, EventKind
from hardwon.surfaces.hooks.hook_log import GAVE_UP, LOG, RUNS
from hardwon.text.json_clip import squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_LOG_LIMIT = 1024 * 1024
_AFTERWARDS = 5.0  # seconds to finish after the answer
_PATTERNS = f"patterns.{sys.hexversion:x}"  # compiled patterns in the home; each Python has its own
# Nothing repeats what these report.
_CAPTURES = {
    EventKind.FAILED,
    EventKind.STOP,
    EventKind.SESSION_END,
}


def run(arguments: list[str], event: bytes | None = None) -> NoReturn:
    """Handle one event, then exit at once without the interpreter's clean-up, to save time.

    `event`: the standard input, if it has been read already.
    """
    agent, name = (*arguments[:2], "", "")[:2]
    watch = Watch(f"{agent} {name}".strip())
    try:
        answer = _answered(agent, name, watch, event)
        if answer:
            os.write(1, answer)
        watch.extend(_AFTERWARDS)
        watch.ran()
        _keep_patterns(watch.home)
    except BaseException as error:  # noqa: BLE001 - the agent's turn goes on, whatever it is
        watch.log(f"{type(error).__name__}: {error}")
    os._exit(0)


def _answered(agent: str, name: str, watch: Watch, raw: bytes | None) -> bytes:
    """The bytes to print; may be empty."""
    settings = load()
    if not settings.hooks.enabled:
        return b""
    watch.start(settings)
    _homes.ensure_own(settings.home)
    _restore_patterns(settings.home)
    payload = parsed(squeezed(lambda size: os.read(0, size)) if raw is None else raw)
    agent_adapter = adapter(agent)
    event = agent_adapter.read(payload, name)
    if event is None:
        raise InvalidInput(f"unknown event {(payload.get('hook_event_name') or name)!r}")
    watch.about(event)
    output = answer(event, agent_adapter, settings, watch)
    return json.dumps(output).encode() if output else b""


def answer(event: Event, agent_adapter: Any, settings: Settings, watch: Watch) -> dict[str, Any]:
    """The answer in the agent's own format."""
    from hardwon import api
    from hardwon.surfaces.hooks.respond import respond

    with api.open(settings=settings.for_hooks()) as hw:
        hw.on_trouble(watch.trouble)
        reply = respond(event, hw)
    output: dict[str, Any] = agent_adapter.answer(event, reply) if reply else {}
    return output


def parsed(raw: bytes) -> dict[str, Any]:
    """The event's JSON; raises ValueError, or InvalidInput if it is not an object."""
    payload = json.loads(raw.decode("utf-8"))
    if not isinstance(payload, dict):
        raise InvalidInput(f"the event is a {type(payload).__name__}, not an object")
    return payload


def _restore_patterns(home: str) -> None:
    try:
        with open(os.path.join(home, _PATTERNS), "rb") as file:
            re.restore(file.read())
    except OSError:  # the first hook of this home
        return


def _keep_patterns(home: str) -> None:
    """Save the newly compiled patterns for the next hook."""
    compiled = re.fresh() if home else b""  # a disabled hook has no home⏎    if compiled
    if compiled:
        _files.replace(os.path.join(home, _PATTERNS), compiled)


class Watch:
    """Ends the process when its time is up, and writes the log."""

    def __init__(self, subject: str, home: str = "") -> None:
        self._subject = subject
        self.home = home
        self._began = time.monotonic()
        self._limit = 0.0
        self._capture_limit = 0.0

    def start(self, settings: Settings) -> None:
        """Start the time limit, in a thread: a signal would wait for a locked database."""
        self.home, values = settings.home, settings.hooks
        self._limit = values.limit.total_seconds()
        self._capture_limit = values.capture_limit.total_seconds()
        _thread.start_new_thread(self._wait, ())

    def about(self, event: Event) -> None:
        """Name the event in the log; a capture may take longer than a recall."""
        self._subject = f"{self._subject.split()[0]} {event.name}"
        if event.kind in _CAPTURES:
            self._limit = max(self._limit, self._capture_limit)

    def extend(self, seconds: float) -> None:
        """Allow this much more time."""
        self._limit += seconds

    def ran(self) -> None:
        """Record that the hook of this event ran; `hardwon status` shows when."""
        agent, _, event = self._subject.partition(" ")
        if self.home and event.isidentifier():  # a hook that is off has no home
            _mark(os.path.join(self.home, RUNS), f"{agent}.{event}")

    def trouble(self, error: BaseException) -> None:
        """Log a door that failed and returned nothing."""
        self.log(f"{type(error).__name__}: {error}")

    def log(self, problem: str) -> None:
        """Append one line; give up silently if that fails."""
        try:
            line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {self._subject} {problem}"
            _append(os.path.join(self.home or default_home(), LOG), _one_line(line))
        except Exception:  # noqa: BLE001 - there is nowhere else to report it
            pass

    def _wait(self) -> None:
        while (remaining := self._began + self._limit - time.monotonic()) > 0:
            time.sleep(remaining)
        self.log(f"{GAVE_UP} {self._limit:.3g} s")
        os._exit(0)


def _mark(folder: str, name: str) -> None:
    """Set the time of a file to now."""
    path = os.path.join(folder, os.path.basename(name))
    try:
        os.utime(path)
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _files.append(path, b"")


def _append(path: str, line: str) -> None:
    if os.path.exists(path) and os.path.getsize(path) > _LOG_LIMIT:
        os.replace(path, f"{path}.1")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    _files.append(path, line.encode("utf-8", "replace") + b"\n")


def _one_line(text: str) -> str:
    from hardwon.text.secrets import safe

    return "".join(letter if letter.isprintable() else " " for letter in safe(text, 500))


if __name__ == "__main__":
    run(sys.argv[1:])
