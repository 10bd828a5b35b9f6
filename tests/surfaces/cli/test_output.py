"""What is printed is fit for any terminal and any reader."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run
from hardwon.surfaces.cli.output import fit_rows
from tests.surfaces.cli.printing import Capture, hardwon, out

pytestmark = pytest.mark.usefixtures("home")


def data(capsys: Capture, *arguments: str) -> object:
    return json.loads(out(capsys, *arguments, "--json"))


def test_data_is_printed_as_json(capsys: Capture) -> None:
    kept = data(capsys, "reflect", "use tabs")
    assert isinstance(kept, dict)

    assert data(capsys, "lesson", "list") == [kept]
    assert data(capsys, "lesson", "show", "1") == {**kept, "exposures": [], "verdict": None}
    assert isinstance(data(capsys, "recall", "tabs or no tabs"), dict)
    assert isinstance(data(capsys, "config"), dict)
    assert isinstance(data(capsys, "doctor"), list)
    assert isinstance(data(capsys, "work", "--drain"), dict)


def test_stored_control_bytes_never_reach_the_terminal(capsys: Capture, home: Path) -> None:
    out(capsys, "reflect", "plain")
    import sqlite3

    with sqlite3.connect(home / "hardwon.db") as database:
        database.execute("UPDATE lessons SET correction = ?", ("a\x1b[2Jb\x07\x9b31m\u202e",))
    database.close()

    shown = out(capsys, "lesson", "list")

    assert not set(shown) & set("\x1b\x07\x9b\u202e")
    exact = json.loads(out(capsys, "lesson", "list", "--json"))
    assert exact[0]["correction"] == "a\x1b[2Jb\x07\x9b31m\u202e"


def test_a_terminal_that_lacks_a_character_shows_another(capsys: Capture) -> None:
    out(capsys, "reflect", "naïve → 中文 lesson")

    code, said, trouble = hardwon("lesson", "list", PYTHONIOENCODING="latin-1")

    assert (code, trouble) == (0, "")
    assert "naïve ? ?? lesson" in said


def test_a_pack_is_utf8_on_any_terminal(capsys: Capture) -> None:
    out(capsys, "reflect", "naïve 中文 lesson")

    _, said, _ = hardwon("lesson", "export", "--form", "markdown", PYTHONIOENCODING="latin-1")

    assert "naïve 中文 lesson" in said.encode("latin-1").decode()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_line(capsys: Capture) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        code, _, trouble = hardwon("config", stdout=full)
    finally:
        os.close(full)

    assert code == 1
    assert trouble == "hardwon: [Errno 28] No space left on device\n"


def _shown(monkeypatch: pytest.MonkeyPatch, columns: int, *arguments: str) -> list[str]:
    """The lines of a command on a terminal of this width."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    run(arguments)
    return screen.getvalue().splitlines()


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", ["doctor", "config"])
def test_a_narrow_terminal_gets_folded_lines(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    lines = _shown(monkeypatch, 40, command)

    assert max(map(len, lines)) <= 40
    assert any(line.startswith("    ") for line in lines)


def test_a_table_that_fits_is_aligned_and_one_long_cell_is_folded(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_RECALL_LOOP_EXEMPT", ", ".join(["word"] * 30))
    lines = _shown(monkeypatch, 80, "config")

    starts = {line.index("(default)") for line in lines if line.endswith(" (default)")}
    assert starts == {80 - len("(HARDWON_RECALL_LOOP_EXEMPT)")}
    assert max(map(len, lines)) <= 80


def test_a_row_without_room_for_columns_keeps_its_words_together(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "queue.job_timeout  2m  (default)" in _shown(monkeypatch, 40, "config")


def test_a_narrow_terminal_has_no_room_for_the_columns_in_the_middle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdout", Screen())
    rows = [("#1", "quarantined", "shown 3", "when it hangs for long", "restart it")]

    def fitted(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        return [line.strip() for line in fit_rows(rows)]

    assert fitted(40) == ["#1  when it hangs for long  restart it"]
    assert fitted(49) == ["#1  quarantined  when it hangs for…  restart it"]
    assert fitted(82) == ["  ".join(rows[0])]


def test_the_reader_may_leave_early(home: Path) -> None:
    shell = f"{sys.executable} -m hardwon --help | true"

    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)

    assert "Traceback" not in done.stderr
