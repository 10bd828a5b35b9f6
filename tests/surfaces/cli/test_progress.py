"""Long work shows how far it is, and ends with one line."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run
from hardwon.surfaces.cli.output import Progress, poll_progress, state
from tests.learn.transcripts.transcripts import long_transcript, write_lines

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
        """The exit code as a shell shows it, and what went to standard output.

        Python ends itself by the signal, though we caught it, if it came within an `exec`.
        """
        assert self.process.stdout is not None
        with self.process.stdout as out:
            printed = out.read().decode()
        os.close(self._screen)
        code = self.process.wait()
        return 128 - code if code < 0 else code, printed


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
        ("Embedding ", ("lesson", "embed")),
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

    assert "hardwon: interrupted; nothing was imported" in shown
    assert terminal.end() == (130, "")
    listing = Terminal(tmp_path, "lesson", "list", "--status", "all")
    assert listing.end() == (0, f"(no lessons in {tmp_path} or everywhere)\n")


def test_mining_shows_how_much_of_a_session_is_read(tmp_path: Path) -> None:
    session = write_lines(tmp_path / "s.jsonl", long_transcript(2))
    terminal = Terminal(tmp_path, "session", "mine", str(session), "--auto")

    shown = terminal.until("")

    assert re.search(r"\rReading \[#*\.+\] [\d,]+ of 2,\d{3}", shown)
    assert terminal.end()[0] == 0


def test_mining_for_a_program_says_nothing_besides(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["session", "mine", "--auto", "--json"]) == 0
    told = capsys.readouterr()

    assert json.loads(told.out)["report"]["lessons"]
    assert told.err == ""


class Interrupted(io.StringIO):
    """A terminal at which Ctrl-C is pressed when it shows this label."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label = label

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._label in text:
            self._label = "(only once)"
            signal.raise_signal(signal.SIGINT)
        return super().write(text)


def _runs(path: Path) -> str:
    steps = [
        {"command": "mkdir a/b", "returncode": 1, "output": "mkdir: cannot create directory 'a/b'"},
        {"command": "mkdir -p a/b", "returncode": 0, "output": ""},
    ]
    row = {"run": "r1", "repo": "acme/api", "order": 1, "task": "t", "steps": steps}
    path.write_text(f"{json.dumps(row)}\n")
    return str(path)


@pytest.mark.parametrize(
    ("command", "label", "kept"),
    [
        ("lesson import {pack}", "Importing", "nothing was imported"),
        ("session import {runs}", "Importing", "the lessons of 0 runs are kept; run it again"),
        ("session mine --auto", "Reading", "nothing was saved"),
        ("session mine --preview", "Reading", "nothing was saved"),
        ("session mine --since 7d --auto", "Mining", "0 sessions mined; run it again"),
        ("lesson embed", "Embedding", "0 vectors kept; run it again for the others"),
        ("dream", "Dreaming", "what it changed stays: `hardwon dream undo "),
        ("dream --dry-run", "Dreaming", "nothing was changed"),
    ],
)
def test_after_ctrl_c_a_line_says_what_is_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch, command: str, label: str, kept: str
) -> None:
    files = {"pack": pack(project / "p.jsonl", 3), "runs": _runs(project / "r.jsonl")}
    screen = Interrupted(label)
    monkeypatch.setattr("sys.stderr", screen)

    code = run(command.format(**files).split())

    assert f"hardwon: interrupted; {kept}" in screen.getvalue()
    assert code == 130


WHILE_IMPORTING = """
import sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from hardwon.__main__ import main
main()
"""


def test_ctrl_c_before_a_command_begins_is_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", WHILE_IMPORTING], capture_output=True)

    assert (done.returncode, done.stderr) == (130, b"")


def test_a_question_left_by_ctrl_c_keeps_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def leave(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("click.termui.visible_prompt_func", leave)

    assert run(["session", "mine"]) == 130
    assert "hardwon: interrupted; nothing was saved" in capsys.readouterr().err


def test_work_that_is_looked_at_from_beside_says_what_is_kept_too() -> None:
    progress = Progress("Reflecting", stream=io.StringIO(), kept="{} worked", of="job")

    with pytest.raises(KeyboardInterrupt) as caught, poll_progress(progress, lambda: (2, 3)):
        raise KeyboardInterrupt

    assert caught.value.__notes__ == ["2 jobs worked"]


def test_other_work_counts_its_own_time() -> None:
    now, out = 0.0, io.StringIO()
    with Progress("Copying", clock=lambda: now, stream=out) as tell:
        tell(0, 100, label="Copying")
        now = 20.0
        tell(100, 100, label="Copying")
        tell(0, 100, label="Comparing")
        now = 30.0
        tell(50, 100, label="Comparing")

    assert out.getvalue() == ("Copying 100 of 100, 5.0/s\nComparing 50 of 100, 5.0/s, 0:10 left\n")


def test_where_a_program_reads_there_is_a_line_every_ten_seconds() -> None:
    now, out = 0.0, io.StringIO()
    with Progress("Importing", clock=lambda: now, stream=out) as tell:
        for done in range(240):
            now = done / 10
            tell(done, 1000)

    assert out.getvalue() == (
        "Importing 100 of 1,000, 10/s, 1:30 left\nImporting 200 of 1,000, 10/s, 1:20 left\n"
    )


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
