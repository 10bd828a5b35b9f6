"""A transcript in common terms: where it is, and its messages and tool calls in order.

JSON lines are streamed: files and lines of any size, torn ends and broken bytes.
"""

from __future__ import annotations

import glob
import gzip
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from typing import IO, Any, NamedTuple, cast

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.text.clean import clip_middle
from hardwon.core.values.run import Step
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.knowledge.reading.verdict import has_failed

USER, AGENT = "user", "agent"
OUTPUT_LIMIT = 16 * 1024  # characters of an output
_WAITING_LIMIT = 1_000  # calls without a result
_EXIT = re.compile(r"(?:exited with code|[Ee]xit [Cc]ode:?|exit_code\"?:) ?(-?\d{1,5})")


class Message(NamedTuple):
    """A message of the user or of the agent."""

    line: int
    who: str
    text: str


class ToolCall(NamedTuple):
    """A tool call as it was made; its result comes later, joined by id."""

    line: int
    id: str
    tool: str
    args: Any


class Result(NamedTuple):
    """The result of the call with that id."""

    line: int
    id: str
    output: str
    failed: bool | None  # None: the transcript does not say; the output is judged


class FinishedCall(NamedTuple):
    """A call with its result. `line` is the line of the call, `ended` that of the result."""

    line: int
    ended: int
    step: Step
    id: str = ""


class SessionInfo(NamedTuple):
    """What the transcript, or one line of it, says about its session."""

    id: str = ""
    cwd: str = ""
    at: str = ""  # ISO time of a line


Event = Message | ToolCall | Result | SessionInfo
Moment = Message | FinishedCall


Read = Callable[[Any, int], Iterable[Event] | None]  # a record and its line → its events


class Reading:
    """One pass over a transcript; its counters are complete after the last moment."""

    def __init__(
        self,
        read: Read,
        records: Iterable[tuple[int, Any]],
        skipped: Counter[str],
        tell: Callable[[], None] = lambda: None,
        shells: Container[str] = (),
    ) -> None:
        """Each record calls `tell`; tools of these `shells` are called `bash`."""
        self._read = read
        self._records = records
        self._tell = tell
        self._shells = shells
        self._waiting: dict[str, ToolCall] = {}
        self.skipped = skipped  # lines and events that were left out, by reason
        self.about = SessionInfo()
        self.lines = 0

    def moments(self) -> Iterator[Moment]:
        """Messages and calls, in order; a call comes when its result does."""
        for number, record in self._records:
            self.lines = number
            self._tell()
            for event in self._events_of(record):
                if isinstance(event, Message):
                    yield event
                elif isinstance(event, ToolCall):
                    if event.tool in self._shells:
                        event = event._replace(tool="bash")
                    if len(self._waiting) >= _WAITING_LIMIT:
                        self._waiting.pop(next(iter(self._waiting)))
                        self.skipped["unanswered"] += 1
                    self._waiting[event.id] = event
                elif isinstance(event, SessionInfo):
                    id_, cwd, at = self.about
                    self.about = SessionInfo(id_ or event.id, cwd or event.cwd, event.at or at)
                elif call := self._waiting.pop(event.id, None):
                    yield _finish(call, event)
                else:
                    self.skipped["unasked"] += 1

    def _events_of(self, record: Any) -> Iterable[Event]:
        """The events of a record; a record of an unexpected shape is skipped and counted."""
        try:
            events = self._read(record, self.lines)
        except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError):
            self.skipped["odd"] += 1
            return ()
        if events is None:
            self.skipped["unknown"] += 1
            return ()
        return events


def _finish(call: ToolCall, result: Result) -> FinishedCall:
    output, args = clip_middle(result.output, OUTPUT_LIMIT), canonical(call.args)
    failed = has_failed(call.tool, output, args) if result.failed is None else result.failed
    step = Step(call.tool, args, output, failed)
    return FinishedCall(call.line, result.line, step, call.id)


def parse_json(text: Any) -> Any:
    """What a text of JSON holds; anything else as it is."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


def states_failure(output: str) -> bool:
    """Whether the client states an exit code other than 0 before or behind an output."""
    code = _EXIT.search(output[:400]) or _EXIT.search(output[-400:])
    return bool(code and code[1] != "0")


def text_of(content: Any) -> str:
    """The text of a message: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "\n".join(part for part in parts if isinstance(part, str))


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
    problem: str = ""  # why it must not be read; "" if it may

    @property
    def is_subagent(self) -> bool:
        """Whether it is the session of a sub-agent."""
        folders = self.path.split(os.sep)[-3:-1]
        return "subagents" in folders or folders[:1] == ["chats"]


def inside(base: str, *patterns: str) -> Iterator[str]:
    """What matches the patterns below `base`, in turn; folders are left out."""
    for pattern in patterns:
        for path in sorted(glob.iglob(os.path.join(glob.escape(base), pattern))):
            if not os.path.isdir(path):
                yield path


def place(
    agent: str, path: str, *, base: str, id: str = "", folder: str = "", cwd: str = ""
) -> SessionPlace:
    """The session in this file; `problem` says why it must not be read."""
    session_id = id or os.path.splitext(os.path.basename(path))[0]
    found = SessionPlace(agent, session_id, path, base=base, folder=folder, cwd=cwd)
    try:
        status = os.stat(path)
    except OSError as error:  # gone since it was listed, or a link to nothing
        return found._replace(problem=error.strerror or str(error))
    problem = _problem(path, base, status)
    return found._replace(size=status.st_size, changed=status.st_mtime, problem=problem)


def _problem(path: str, base: str, status: os.stat_result) -> str:
    """Why a file is no session that may be read; "" if it may."""
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if base:
        root = os.path.realpath(base)
        if os.path.commonpath((root, os.path.realpath(path))) != root:
            return "a link that leads out of the agent's folder"
        owners = {os.geteuid(), os.stat(root).st_uid} if os.path.isdir(root) else {status.st_uid}
        if status.st_uid not in owners:
            return "a file of another user"
    return "" if os.access(path, os.R_OK) else "it cannot be read"


try:
    from msgspec.json import Decoder

    _decode: Callable[[bytes], Any] = Decoder().decode
except ImportError:  # the extra `sessions` makes it four times as fast, not more able
    _decode = json.loads


LINE_LIMIT = 32 * 1024 * 1024  # a longer line is left out
_PIECE = 1024 * 1024
DOCUMENT_LIMIT = 64 * 1024 * 1024  # a file that is one JSON value


def json_lines(path: str, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """Every readable line with its number; unreadable ones are counted in `skipped`."""
    number = 0
    with open_transcript(path) as file:
        while line := file.readline(LINE_LIMIT):
            number += 1
            if len(line) == LINE_LIMIT and line[-1] != 10:
                skipped["too long"] += 1
                while (rest := file.readline(_PIECE)) and rest[-1] != 10:
                    continue
            elif (record := _record(line, skipped)) is not None:
                yield number, record


def json_document(path: str, skipped: Counter[str]) -> Any:
    """The one JSON value in a file; None, and counted, if it is none or too long."""
    with open_transcript(path) as file:
        text = file.read(DOCUMENT_LIMIT + 1)
    if len(text) > DOCUMENT_LIMIT:
        skipped["too long"] += 1
        return None
    return _record(text, skipped)


def note_in(path: str) -> str:
    """The text of a small file that an agent keeps beside its sessions; "" if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(1 << 20)
    except (OSError, UnicodeDecodeError):
        return ""


def count_lines(path: str) -> int:
    """How many lines the file has; a last one without its end counts."""
    lines, last = 0, b"\n"
    with open_transcript(path) as file:
        while piece := file.read(_PIECE):
            lines, last = lines + piece.count(b"\n"), piece[-1:]
    return lines + (last != b"\n")


def open_transcript(path: str) -> IO[bytes]:
    """The file, unpacked if its name ends in `.gz`; errors say what to do."""
    if os.path.isdir(path):
        raise InvalidInput(f"{path!r} is a directory, not a file")
    try:
        if path.endswith(".gz"):
            return cast("IO[bytes]", gzip.open(path, "rb"))
        return open(path, "rb", buffering=_PIECE)
    except OSError as error:
        problem = error.strerror or str(error)
        raise StorageError(path, problem, "name a file that can be read") from error


def _record(line: bytes, skipped: Counter[str]) -> Any:
    """The JSON in a line, with broken bytes replaced; None, and counted, when it is none."""
    with suppress(ValueError, RecursionError):
        return _decode(line)
    with suppress(ValueError, RecursionError):
        return json.loads(line.decode("utf-8", "replace"))
    if line.strip():
        skipped["torn" if not line.endswith(b"\n") else "broken"] += 1
    return None
