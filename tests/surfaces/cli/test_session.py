"""`hardwon session` as a person and as a program uses it."""

from __future__ import annotations

import gzip
import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.cli import run
from tests.learn.transcripts.transcripts import SESSION, Claude


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one session, and the working directory in it."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "hw"))
    talk = Claude(cwd=str(folder)).says("Add a nightly report")
    talk.run("mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'", failed=True)
    talk.run("mkdir -p out/nightly").agent("The folder is there.")
    talk.says("No, don't use npm here, use pnpm instead.").write(Path(os.environ["HOME"]))
    return folder


def _json(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def _memory() -> Path:
    (found,) = Path(os.environ["HOME"]).rglob("MEMORY.md")
    return found


def test_list_shows_counts_and_the_first_prompt(project: Path, capsys: Any) -> None:
    assert run(["session", "list"]) == 0
    shown = capsys.readouterr().out
    assert run(["session", "list", "--json"]) == 0
    (row,) = _json(capsys)

    assert "Add a nightly report" in shown
    assert (row["turns"], row["steps"], row["failures"]) == (2, 2, 1)
    assert row["place"]["id"] == SESSION


def test_a_machine_without_sessions_says_so(tmp_path: Path, capsys: Any) -> None:
    assert run(["session", "list", "--home", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "(no sessions found)\n"


def test_mine_auto_and_undo(project: Path, capsys: Any) -> None:
    assert run(["session", "mine", "--auto"]) == 0
    assert "2 new lessons, 2 files changed" in capsys.readouterr().out
    assert "pnpm" in _memory().read_text(encoding="utf-8")

    assert run(["session", "undo", "--list", "--json"]) == 0
    assert len(_json(capsys)) == 1
    assert run(["session", "undo"]) == 0
    assert not list(Path(os.environ["HOME"]).rglob("MEMORY.md"))
    assert run(["session", "undo"]) == 1


def test_a_history_is_mined_with_since_and_only_once(project: Path, capsys: Any) -> None:
    assert run(["session", "mine", "--since", "7d", "--auto", "--json"]) == 0
    assert _json(capsys)["lessons"] == 2
    assert run(["session", "mine", "--since", "7d", "--auto"]) == 0
    assert "0 sessions mined" in capsys.readouterr().out


def test_questions_are_printed_and_answers_applied(
    project: Path, tmp_path: Path, capsys: Any
) -> None:
    assert run(["session", "mine", "--questions"]) == 0
    asked = _json(capsys)
    texts = [one["text"] for one in asked["insights"]]
    number = str(texts.index("Don't use npm here, use pnpm instead") + 1)
    answers = tmp_path / "answers.json"
    chosen = {"Q2": [number], f"Q5.{number}": "A"}
    answers.write_text(json.dumps({"run": asked["run"], "answers": chosen}), encoding="utf-8")

    assert {"Q1", "Q2", f"Q5.{number}", f"Q5b.{number}"} <= {
        one["id"] for one in asked["questions"]
    }
    assert run(["session", "mine", "--answers", str(answers)]) == 0
    assert "pnpm" in _memory().read_text(encoding="utf-8")
    assert run(["session", "mine", "--answers", str(answers)]) == 1


def test_preview_saves_nothing(project: Path, capsys: Any) -> None:
    assert run(["session", "mine", "--preview"]) == 0

    assert "Call `mkdir` with `-p`." in capsys.readouterr().out
    assert not list(Path(os.environ["HOME"]).rglob("MEMORY.md"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["mine", "--since", "7d"],
        ["mine", "--since", "soon", "--auto"],
        ["mine", "--from", "clippy"],
        ["mine", "."],
        ["mine", "./"],
        ["import"],
        ["mine", "--answers", "/dev/null"],
    ],
)
def test_wrong_use_is_told_and_changes_nothing(project: Path, arguments: list[str]) -> None:
    assert run(["session", *arguments]) in {1, 2}
    assert not list(Path(os.environ["HOME"]).rglob("MEMORY.md"))


def test_runs_in_the_neutral_format_are_imported_once(
    project: Path, tmp_path: Path, capsys: Any
) -> None:
    steps = [
        {"command": "mkdir a/b", "returncode": 1, "output": "mkdir: cannot create directory 'a/b'"},
        {"command": "mkdir -p a/b", "returncode": 0, "output": ""},
    ]
    row = {"run": "r1", "repo": "acme/api", "order": 1, "task": "t", "steps": steps}
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(f'{json.dumps(row)}\n{{"odd": 1}}\n'.encode()))

    for _ in range(2):
        assert run(["session", "import", str(path), "--json"]) == 0
        told = _json(capsys)
        assert (told["steps"], told["failures"], told["lessons"]) == (2, 1, 1)
        assert told["skipped"] == {"odd": 1}
    assert run(["lesson", "list", "--project", "acme/api", "--json"]) == 0
    (lesson,) = _json(capsys)
    assert "Call `mkdir` with `-p`." in lesson["correction"]
    assert lesson["met"] == 1


def _hardwon(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "hardwon", "session", *arguments]


def test_without_a_terminal_numbers_are_enough(project: Path) -> None:
    answers = "1\n1,2\n2\n2\n1\n2\n"  # Q1 yes, Q2 both, then tiers

    done = subprocess.run(
        _hardwon("mine"), input=answers, capture_output=True, text=True, timeout=60, check=False
    )

    assert "Does this summary look correct?" in done.stdout
    assert "1) Yes, correct" in done.stdout
    assert "Which insights should be saved?" in done.stdout
    assert "[3/5] Guiding insight selection" in done.stderr
    assert "undo: hardwon session undo" in done.stdout


def test_the_end_of_input_aborts_and_leaves_nothing(project: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        _hardwon("mine"), input="", capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 1
    assert not list((tmp_path / "hw" / "sessions" / "runs").iterdir())
    assert not list(Path(os.environ["HOME"]).rglob("MEMORY.md"))


class Terminal:
    """`hardwon session mine` on a terminal of its own."""

    def __init__(self, columns: int = 120) -> None:
        self._screen, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (40, columns))
        environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        environment.pop("COLUMNS", None)  # it would count more than the terminal's own width
        self._process = subprocess.Popen(
            _hardwon("mine"), stdin=theirs, stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._screen)

    def until(self, *words: str, seconds: float = 60) -> str:
        """What the screen shows until one of the words is there."""
        shown, end = "", time.monotonic() + seconds
        while not any(word in shown for word in words) and time.monotonic() < end:
            if select.select([self._screen], [], [], 0.5)[0]:
                shown += os.read(self._screen, 65536).decode("utf-8", "replace")
        assert any(word in shown for word in words), shown
        return shown

    def press(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def take_defaults(self) -> str:
        """Press Enter at every question up to the last; all that was shown."""
        shown = self.until(_MENU, _LAST)
        while _LAST not in shown:
            self.press("\r")
            shown += self.until(_MENU, _LAST)
        return shown


_MENU, _LAST = "(Use arrow keys)", "Complete. Any additional actions needed?"
_TICKS = "<i> to invert)"
DOWN, UP, NEXT, PREVIOUS = "\x1b[B", "\x1b[A", "\x0e", "\x10"


@pytest.mark.parametrize(
    ("keys", "saved"),
    [
        ("a", {"pnpm", "mkdir"}),
        ("i", {"pnpm", "mkdir"}),
        (" i", {"pnpm"}),
        ("aa", set()),
        ("", set()),
        (f"{DOWN} ", {"pnpm"}),
        (f"{DOWN}{UP} ", {"mkdir"}),
        ("jjk ", {"pnpm"}),
        (f"{NEXT}{NEXT}{PREVIOUS} ", {"pnpm"}),
        (f"{DOWN}{DOWN} ", set()),
    ],
)
def test_every_key_that_the_menu_names_does_what_it_says(
    project: Path, keys: str, saved: set[str]
) -> None:
    with Terminal() as terminal:
        terminal.until(_MENU)
        terminal.press("\r")
        terminal.until(_TICKS)
        terminal.press(f"{keys}\r")
        shown = terminal.take_defaults()

    memory = list(Path(os.environ["HOME"]).rglob("MEMORY.md"))
    assert bool(memory) == ("pnpm" in saved)
    assert (project / ".claude" / ".insights" / "mkdir.md").exists() == ("mkdir" in saved)
    assert ("Nothing was saved." in shown) == (not saved)


def test_insights_are_shown_whole_and_once_before_the_choice(project: Path) -> None:
    with Terminal(columns=60) as terminal:
        terminal.until("Skip summary")
        terminal.press("\r")
        shown = terminal.until(_TICKS)

    before, _, _ = shown.partition("Which insights should be saved?")
    before = before[before.index("  1) ") :].replace("\r", "").rpartition("\n")[0]
    told = " ".join(before.split())
    assert "1) [high] Call `mkdir` with `-p`. That helps where `mkdir out/nightly` ends in" in told
    assert "2) [high] Don't use npm here, use pnpm instead 3) None (skip saving)" in told
    assert max(len(line) for line in before.split("\n")) <= 60


def test_at_the_end_related_rules_are_shown_and_another_session_can_follow(project: Path) -> None:
    rules = Path(os.environ["HOME"]) / ".claude" / "rules" / "tools.md"
    rules.parent.mkdir(parents=True)
    rules.write_text("Always use pnpm here instead of npm or yarn.\n", encoding="utf-8")

    with Terminal() as terminal:
        terminal.until(_MENU)
        terminal.press("\r")
        terminal.until(_TICKS)
        terminal.press("\r")
        terminal.until(_LAST)
        terminal.press(f"{UP}\r")
        terminal.until(f"{rules}:1 (")
        terminal.until(_LAST)
        terminal.press(f"{UP}{UP}\r")
        terminal.until("Which session?")
        terminal.press("\r")

        assert "Does this summary look correct?" in terminal.until(_MENU, "Skip summary")
