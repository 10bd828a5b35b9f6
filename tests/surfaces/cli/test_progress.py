"""Long work shows how far it is, and ends with one line."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run
from hardwon.surfaces.cli.progress import Progress, state

MANY = 4000  # lessons: seconds of work, so that a signal comes in the midst of it


class Terminal:
    """`hardwon` in a process of its own, with a terminal as its standard error."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self._screen, theirs = pty.openpty()
        environ = {**os.environ, "HARDWON_HOME": str(home), "HOME": str(home), "COLUMNS": "100"}
        command = [sys.executable, "-P", "-m", "hardwon", *arguments]
        out = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=out, stderr=theirs, env=environ, cwd=home)
        os.close(theirs)

    def until(self, text: str) -> str:
        """What the terminal got, up to this text or the end."""
        shown = b""
        while text.encode() not in shown or not text:
            try:
                part = os.read(self._screen, 4096)
            except OSError:  # nobody writes to it any more
                break
            if not part:
                break
            shown += part
        return shown.decode()

    def end(self) -> tuple[int, str]:
        """The exit code, and what went to standard output."""
        assert self.process.stdout is not None
        with self.process.stdout as out:
            printed = out.read().decode()
        os.close(self._screen)
        return self.process.wait(), printed


def pack(path: Path, count: int) -> str:
    rows = (
        {"situation": f"case{number} of part{number % 97}", "correction": f"use tool{number}"}
        for number in range(count)
    )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


@pytest.mark.parametrize(
    ("label", "arguments"),
    [
        ("Dreaming [", ("dream",)),
        ("Reflecting ", ("reflect", "drain")),
        ("Reflecting ", ("work", "--drain")),
        ("Mining ", ("session", "mine", "--since", "7d", "--auto")),
    ],
)
def test_long_work_is_seen_on_a_terminal(
    tmp_path: Path, label: str, arguments: tuple[str, ...]
) -> None:
    terminal = Terminal(tmp_path, *arguments)

    shown = terminal.until("")

    assert f"\r{label}" in shown
    assert shown.endswith("\r")
    assert terminal.end()[0] == 0


def test_an_import_ends_with_a_line_however_many_there_are(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "lesson", "import", pack(tmp_path / "p.jsonl", 300))

    shown = terminal.until("")
    code, printed = terminal.end()

    assert "\rImporting [....................] 0 of 300" in shown
    assert shown.endswith(" \r")
    assert code == 0
    assert printed.startswith("300 lessons imported\nThey are not used yet: ")


def test_the_rest_is_said_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    file = pack(tmp_path / "p.jsonl", 3)

    run(["lesson", "import", file, "--trust", "--verbose"])
    assert "use tool2" in capsys.readouterr().out
    run(["lesson", "import", file, "--trust", "--json"])
    told = capsys.readouterr()

    assert len(json.loads(told.out)) == 3
    assert told.err == ""


def test_ctrl_c_leaves_nothing_half_imported(tmp_path: Path) -> None:
    file = pack(tmp_path / "p.jsonl", MANY)
    terminal = Terminal(tmp_path, "lesson", "import", file, "--trust")
    terminal.until("Importing [")

    terminal.process.send_signal(signal.SIGINT)
    shown = terminal.until("")

    assert "hardwon: interrupted" in shown
    assert terminal.end() == (1, "")
    listing = Terminal(tmp_path, "lesson", "list", "--status", "all")
    assert listing.end() == (0, f"(no lessons in {tmp_path} and everywhere)\n")


def test_where_a_program_reads_there_is_a_line_every_ten_seconds() -> None:
    now, out = 0.0, io.StringIO()
    with Progress("Importing", clock=lambda: now, stream=out) as tell:
        for done in range(240):
            now = done / 10
            tell(done, 1000)

    assert out.getvalue() == (
        "Importing 100 of 1,000, 10/s, 1:30 left\nImporting 200 of 1,000, 10/s, 1:20 left\n"
    )


def test_a_quiet_progress_says_nothing() -> None:
    now, out = 0.0, io.StringIO()
    with Progress("Importing", is_quiet=True, clock=lambda: now, stream=out) as tell:
        now = 60.0
        tell(1, 2)

    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("done", "of", "seconds", "words"),
    [
        (0, 10, 0.0, "0 of 10"),
        (5000, 10_000, 4.0, "5,000 of 10,000, 1,250/s, 0:04 left"),
        (10, 10, 2.0, "10 of 10, 5.0/s"),
        (7, 0, 2.0, "7, 3.5/s"),
        (1, 100, 2.0, "1 of 100, 0.5/s, 3:18 left"),
    ],
)
def test_only_what_is_known_is_said(done: int, of: int, seconds: float, words: str) -> None:
    assert state(done, of, seconds=seconds) == words
