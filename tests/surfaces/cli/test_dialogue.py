"""The guided selection, answered by numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def _mine(answers: str) -> subprocess.CompletedProcess[str]:
    """`hardwon session mine`, answered by these lines."""
    words = [sys.executable, "-m", "hardwon", "session", "mine"]
    return subprocess.run(words, input=answers, capture_output=True, text=True, timeout=60)


def test_without_a_terminal_numbers_are_enough(project: Path) -> None:
    answers = "1\n1,2\n2\n2\n1\n2\n"  # Q1 yes, Q2 both, then tiers

    done = _mine(answers)

    assert "Does this summary look correct?" in done.stdout
    assert "1) Yes, correct" in done.stdout
    assert "Which insights should be saved?" in done.stdout
    assert "[3/5] Guiding insight selection" in done.stderr
    assert "undo: hardwon session undo" in done.stdout


def test_the_end_of_input_aborts_and_leaves_nothing(project: Path, tmp_path: Path) -> None:
    done = _mine("")

    assert done.returncode == 1
    assert "a question got no answer" in done.stderr
    assert not list((tmp_path / "hw" / "sessions" / "runs").iterdir())
    assert not list(Path(os.environ["HOME"]).rglob("MEMORY.md"))


@pytest.mark.parametrize(
    ("typed", "saved"),
    [
        ("1,2", {"pnpm", "mkdir"}),
        ("2", {"pnpm"}),
        ("1", {"mkdir"}),
        ("3", set()),
        ("9\nx\n²\n1,3\n2", {"pnpm"}),  # what is wrong is asked again
    ],
)
def test_the_numbers_choose_what_is_saved(project: Path, typed: str, saved: set[str]) -> None:
    done = _mine(f"1\n{typed}\n" + "\n" * 6)

    memory = list(Path(os.environ["HOME"]).rglob("MEMORY.md"))
    assert bool(memory) == ("pnpm" in saved)
    assert (project / ".claude" / ".insights" / "mkdir.md").exists() == ("mkdir" in saved)
    assert ("Nothing was saved." in done.stdout) == (not saved)


def test_insights_are_shown_whole_before_the_choice(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    shown = _mine("1\n3\n\n").stdout

    options, _, _ = shown.partition("Which insights should be saved?")[2].partition("Choose")
    told = " ".join(options.split())
    assert (
        "1) [high] What worked: `mkdir -p out/nightly`."
        " That helps where `mkdir out/nightly` ends in" in told
    )
    assert "2) [high] Don't use npm here, use pnpm instead 3) None (skip saving)" in told
    assert max(len(line) for line in options.split("\n")) <= 60


def test_at_the_end_related_rules_are_shown_and_another_session_can_follow(project: Path) -> None:
    rules = Path(os.environ["HOME"]) / ".claude" / "rules" / "tools.md"
    rules.parent.mkdir(parents=True)
    rules.write_text("Always use pnpm here instead of npm or yarn.\n", encoding="utf-8")

    shown = _mine("1\n3\n2\n1\n1\n").stdout

    assert f"{rules}:1 (" in shown
    assert "Which session?" in shown
    assert shown.count("Does this summary look correct?") == 2
