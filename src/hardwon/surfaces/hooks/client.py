"""The hook as agents start it: a small client of the daemon.

Most of its time is the start of Python, so it imports no more than a socket needs: `posix` and
`_socket` are what `os` and `socket` are made of. An event that no daemon accepts at once is
answered by the same code in this process (`entry`).
"""

import _socket
import posix
import select
from time import monotonic

from hardwon import __version__

SOCKET = b"hook.sock"
PATH = "/hardwon/hook/"
STAMP = "hardwon-stamp"
ENDS = 410  # the status with which a daemon says that it ends, because it has another stamp
_GREETING = 0.1  # seconds that a daemon may take to accept an event
_ANSWER = 20.0  # seconds for the answer; the daemon gives up far earlier
_EVENT = 0.2  # seconds in which an event comes at once
_LONGEST = 1 << 20  # bytes of an event that the daemon is asked about
_HOME, _KEYS = b"HARDWON_HOME", (b"ANTHROPIC_API_KEY", b"OPENAI_API_KEY")


class Outcome:
    """What became of an event that the daemon was asked about."""

    ANSWERED = "answered"
    ABSENT = "absent"  # no daemon: one should be started
    REFUSED = "refused"  # the daemon has not taken the event
    KEPT = "kept"  # the daemon has taken it, and does not answer


def run(arguments: list[str]) -> None:
    """Answer one event, then exit at once without the interpreter's clean-up, to save time."""
    agent, name = (*arguments[:2], "", "")[:2]
    event, is_whole = _read_event()
    outcome, answer = _ask(agent, name, event) if is_whole else (Outcome.REFUSED, b"")
    if outcome == Outcome.ANSWERED:
        try:
            posix.write(1, answer)
        finally:
            posix._exit(0)
    from hardwon.surfaces.hooks import agents, entry

    entry.run(agent, name, agents.Input(event, is_whole=is_whole), outcome)


def stamp(home: bytes) -> bytes:
    """What a daemon and its client must have in common: version, settings, view of the files."""
    try:
        state = posix.stat(home + b"/config.toml")
        config = (state.st_ino, state.st_size, state.st_mtime_ns)
    except OSError:
        config = (0, 0, 0)
    try:
        files = posix.readlink(b"/proc/self/ns/mnt")  # differs in a container with the same home
    except OSError:
        files = b""
    settings = sorted(
        (name, value)
        for name, value in posix.environ.items()
        if (name.startswith(b"HARDWON_") and name != _HOME) or name in _KEYS
    )
    return ascii((__version__, __file__, files, config, settings)).encode()


def _read_event() -> tuple[bytes, bool]:
    """The event from standard input as far as it comes at once, and whether that is all of it."""
    event, end = b"", monotonic() + _EVENT
    try:
        while len(event) < _LONGEST and select.select([0], [], [], max(0.0, end - monotonic()))[0]:
            chunk = posix.read(0, _LONGEST)
            if not chunk:
                return event, True
            event += chunk
    except OSError:  # no standard input at all
        pass
    return event, False


def _ask(agent: str, name: str, event: bytes) -> tuple[str, bytes]:
    """What became of the event, and the daemon's answer in the agent's format."""
    home = posix.environ.get(_HOME) or posix.environ.get(b"HOME", b"") + b"/.hardwon"
    if not home.startswith(b"/") or not _is_plain(agent) or (name and not _is_plain(name)):
        return Outcome.REFUSED, b""
    connection = None
    try:
        path, own, folder = home + b"/" + SOCKET, posix.geteuid(), posix.stat(home)
        # Nobody else may put a socket there; `_files` says what is wrong if one can.
        is_own = folder.st_uid in (own, 0) and not folder.st_mode & 0o002
        if not is_own or posix.stat(path).st_uid != own:
            return Outcome.REFUSED, b""
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(_GREETING)
        connection.connect(path)
        query = f"?event={name}" if name else ""
        head = (
            f"POST {PATH}{agent}{query} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n"
            f"expect: 100-continue\r\ncontent-length: {len(event)}\r\n{STAMP}: "
        )
        return _exchange(connection, head.encode() + stamp(home), event)
    except (FileNotFoundError, ConnectionRefusedError):
        return Outcome.ABSENT, b""
    except OSError:
        return Outcome.REFUSED, b""
    finally:
        if connection is not None:
            connection.close()


def _exchange(connection: _socket.socket, head: bytes, event: bytes) -> tuple[str, bytes]:
    """Send the event once the daemon accepts it; until then this process may still answer."""
    connection.sendall(head + b"\r\n\r\n")
    greeting = connection.recv(4096)
    if not greeting.startswith(b"HTTP/1.1 100"):
        has_ended = greeting.startswith(b"HTTP/1.1 %d" % ENDS)
        return Outcome.ABSENT if has_ended else Outcome.REFUSED, b""
    connection.settimeout(_ANSWER)
    connection.sendall(event)
    answer = b""
    try:
        while chunk := connection.recv(65536):
            answer += chunk
    except TimeoutError:
        return Outcome.KEPT, b""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = head.rpartition(b"content-length: ")[2]
    if not head.startswith(b"HTTP/1.1 200") or length != b"%d" % len(body):
        return Outcome.REFUSED, b""  # the daemon was killed
    return Outcome.ANSWERED, b"" if body == b"{}" else body


def _is_plain(word: str) -> bool:
    return word.replace("-", "_").isidentifier() and word.isascii()
