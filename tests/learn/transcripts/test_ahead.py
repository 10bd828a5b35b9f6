"""Other processes read past sessions ahead; what is recorded is the same without them."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

import hardwon
from hardwon.core import _isolation
from hardwon.learn.transcripts import ahead, catalog
from hardwon.learn.transcripts.ahead import prepare, read_ahead
from tests.learn.past_runs import evidence
from tests.learn.transcripts.test_past import written
from tests.stored import opened

NOW = datetime(2026, 11, 16, tzinfo=UTC)
SESSIONS = 12
_MUCH = '{"type": "assistant", "message": {"role": "assistant", "content": "%s"}}\n'
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="one core reads by itself"
)

_LEARN = """
import os, sys, threading
import hardwon
from hardwon.storage.sql.logs import SqlEndedRuns

print("started", flush=True)
left, note_past = int(sys.argv[2]), SqlEndedRuns.note_past

def dying(*values):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), int(sys.argv[3]))
    return note_past(*values)

SqlEndedRuns.note_past = dying

def learn():
    with hardwon.open(sys.argv[1]) as hw:
        hw.agent("coder").sessions.learn()

if sys.argv[4:]:
    thread = threading.Thread(target=learn)
    thread.start()
    thread.join()
else:
    learn()
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with so many bytes of sessions that other processes read them."""
    (tmp_path / "shop").mkdir()
    for number in range(SESSIONS):
        path = written(Path(os.environ["HOME"]), tmp_path / "shop", number)
        status = path.stat()
        with path.open("a") as file:
            file.write(_MUCH % ("x" * 700_000))
        os.utime(path, (status.st_atime, status.st_mtime))
    return tmp_path / "shop"


@pytest.fixture
def expected(tmp_path: Path, shop: Path) -> dict[str, object]:
    """What one core records."""
    with one_core():
        return recorded(tmp_path / "one core", shop)


@contextmanager
def one_core() -> Iterator[None]:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def command(tmp_path: Path, moment: int = 0, sign: int = 9, *more: str) -> list[str]:
    script = tmp_path / "learn.py"
    script.write_text(_LEARN)
    return [sys.executable, str(script), str(tmp_path / "hw"), str(moment), str(sign), *more]


def readers(pid: int) -> list[int]:
    """The processes that read ahead for a process, which may end meanwhile."""
    found = list[int]()
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended may wait for somebody to ask how."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return False
    return state[0] != "Z"


def recorded(home: Path, shop: Path) -> dict[str, object]:
    """What a home knows after it has learnt what is new."""
    with opened(home, clock=lambda: NOW) as hw:
        hw.agent("coder").sessions.learn()
        return evidence(hw, str(shop))


def test_sessions_come_in_order_as_one_process_prepares_them(shop: Path) -> None:
    places = catalog.find(is_all=True)
    places.insert(3, places[0]._replace(path=str(shop / "gone.jsonl")))
    places.insert(5, places[0]._replace(problem="a file of another user"))
    places.insert(7, places[0]._replace(size=1 << 30))

    found = list(read_ahead(places))

    left_out = [at for at, prepared in enumerate(found) if prepared is None]
    assert left_out == [3, 5, 7]
    assert [one for one in found if one] == [
        prepare(place) for at, place in enumerate(places) if at not in left_out
    ]


def test_sessions_that_had_ended_and_go_on_are_continued(tmp_path: Path, shop: Path) -> None:
    paths = sorted(Path(os.environ["HOME"]).rglob("*.jsonl"))
    whole = [path.read_text().splitlines(keepends=True) for path in paths]
    for later, length in enumerate((7, 99)):
        for path, lines in zip(paths, whole, strict=True):
            at = path.stat().st_mtime + later
            path.write_text("".join([*lines[:-1][:length], lines[-1]]))
            os.utime(path, (at, at))
        found = recorded(tmp_path / "hw", shop)
        with one_core():
            assert found == recorded(tmp_path / "one core", shop)
    assert found["lessons"]


def test_a_script_without_a_guard_runs_once_also_in_a_thread(
    tmp_path: Path, shop: Path, expected: dict[str, object]
) -> None:
    ended = subprocess.run(
        command(tmp_path, 0, 9, "thread"), check=True, capture_output=True, text=True
    )

    assert (ended.stdout, ended.stderr) == ("started\n", "")
    assert recorded(tmp_path / "hw", shop) == expected


_OTHER = {
    "older": """
import pickle, sys
from hardwon.learn.transcripts.ahead import Prepared, prepare
while True:
    pickle.dump(prepare(pickle.load(sys.stdin.buffer)), sys.stdout.buffer)
    sys.stdout.buffer.flush()
""",
    "newer": """
import hardwon
from hardwon.learn.transcripts import ahead
hardwon.__version__ = "99"
ahead.main()
""",
    "with other classes": """
from hardwon.learn.transcripts import ahead
class Other: pass
Other.__qualname__, Other.__module__, ahead.Other = "Other", ahead.__name__, Other
ahead.prepare = lambda place: Other()
ahead.main()
""",
    "broken": "raise SystemExit(1)",
}


@pytest.mark.parametrize("other", _OTHER)
def test_a_reader_of_another_build_is_not_used(
    tmp_path: Path,
    shop: Path,
    expected: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
    other: str,
) -> None:
    started = [sys.executable, "-c", _OTHER[other]]
    monkeypatch.setattr(_isolation, "command", lambda **_: started)

    assert list(read_ahead(catalog.find(is_all=True))) == [None] * SESSIONS
    assert recorded(tmp_path / "hw", shop) == expected


def test_readers_run_the_hardwon_that_asks_them_though_another_is_installed(
    tmp_path: Path,
) -> None:
    ours = Path(hardwon.__file__).parent
    copy = Path(shutil.copytree(ours, tmp_path / "hardwon", ignore=lambda *_: ["__pycache__"]))
    ask = f"""
import subprocess
from hardwon.core import _isolation
subprocess.run(_isolation.command(entry={ahead.__name__!r}), stdin=subprocess.DEVNULL, check=True)
"""

    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", ask], env=environ, check=True, capture_output=True
    )

    _, path = pickle.loads(ended.stdout)
    assert Path(path).is_relative_to(copy.resolve())


def test_a_session_that_ends_its_reader_does_not_draw_the_others(
    tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = """
import os
from hardwon.learn.transcripts import ahead
prepare = ahead.prepare
ahead.prepare = lambda place: os._exit(1) if place.id == "%s" else prepare(place)
ahead.main()
"""
    places = catalog.find(is_all=True)
    started = [sys.executable, "-c", dying % places[0].id]
    monkeypatch.setattr(_isolation, "command", lambda **_: started)

    found = list(read_ahead([places[0], *places, places[0], *places[1:]]))

    gone = [0, 1, len(places) + 1]
    assert [at for at, prepared in enumerate(found) if prepared is None] == gone


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_wherever_it_is_stopped_nothing_is_lost_and_nothing_twice(
    tmp_path: Path, shop: Path, expected: dict[str, object], sign: int
) -> None:
    for moment in (1, 2, 7, 12):
        ended = subprocess.run(command(tmp_path, moment, sign), check=False, capture_output=True)
        assert ended.returncode

    assert recorded(tmp_path / "hw", shop) == expected


def test_readers_that_are_killed_are_done_without(
    tmp_path: Path, shop: Path, expected: dict[str, object]
) -> None:
    killed = set[int]()
    with subprocess.Popen(command(tmp_path)) as process:
        while process.poll() is None:
            for reader in set(readers(process.pid)) - killed:
                with suppress(ProcessLookupError):
                    os.kill(reader, signal.SIGKILL)
                killed.add(reader)
            time.sleep(0.01)

    assert process.returncode == 0
    assert killed
    assert recorded(tmp_path / "hw", shop) == expected


def test_readers_end_with_the_process_that_asked_them(tmp_path: Path, shop: Path) -> None:
    with subprocess.Popen(command(tmp_path)) as process:
        while not (children := readers(process.pid)):
            assert process.poll() is None
        process.kill()

    until = time.monotonic() + 30
    while any(map(is_alive, children)):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_reader_whose_answers_nobody_reads_ends_quietly(shop: Path, is_cut: bool) -> None:
    asked = pickle.dumps(catalog.find(is_all=True)[:1])
    with subprocess.Popen(
        _isolation.command(entry=ahead.__name__),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        if not is_cut:
            pickle.load(process.stdout)  # it has begun
            process.stdout.close()
        process.stdin.write(asked[:-9] if is_cut else asked)
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
