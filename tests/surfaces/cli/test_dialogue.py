"""The guided selection, with a terminal and without one."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

_MENU, _LAST = "(Use arrow keys)", "Complete. Any additional actions needed?"
DOWN, UP, NEXT, PREVIOUS = "\x1b[B", "\x1b[A", "\x0e", "\x10"


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
    assert "a question got no answer" in done.stderr
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


_TICKS = "<i> to invert)"


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
    assert (
        "1) [high] What worked: `mkdir -p out/nightly`."
        " That helps where `mkdir out/nightly` ends in" in told
    )
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
