"""Lessons are listed for their agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardwon.surfaces.cli import run
from tests.surfaces.cli.printing import Capture, out

pytestmark = pytest.mark.usefixtures("home")


def test_lessons_are_listed_searched_shown_edited_and_deleted(capsys: Capture) -> None:
    out(capsys, "reflect", "use tabs in makefiles")

    listed = "1 lesson outside projects:\n  #1  proven  [note]  use tabs in makefiles\n"
    assert out(capsys, "lesson", "list", "--project", "") == listed
    assert "1 match outside projects:" in out(capsys, "lesson", "search", "akefil", "--project", "")
    assert "(no matches in " in out(capsys, "lesson", "search", "nowhere")
    shown = out(capsys, "lesson", "show", "#1", "--project", "")
    assert shown.startswith("LESSON: use tabs in makefiles\n")
    assert "use spaces" in out(capsys, "lesson", "edit", "1", "--correction", "use spaces")
    assert out(capsys, "lesson", "delete", "1", "--project", "") == "OK: deleted #1\n"
    assert out(capsys, "lesson", "list", "--project", "") == "(no lessons outside projects)\n"


def test_lessons_are_listed_in_their_four_lines(capsys: Capture) -> None:
    out(capsys, "lesson", "add", "when it rains", "take an umbrella")
    out(capsys, "reflect", "use Edit for large files")

    assert out(capsys, "lesson", "list", "--record") == (
        "LESSON: use Edit for large files\n"
        "MISTAKE: (user-supplied lesson; no automatic mistake detection)\n"
        "CORRECTION: use Edit for large files\nTRIGGER: manual\n\n"
        "LESSON: when it rains\nMISTAKE: (unknown)\n"
        "CORRECTION: take an umbrella\nTRIGGER: manual\n"
    )


def test_agents_do_not_see_each_other(capsys: Capture) -> None:
    out(capsys, "reflect", "--agent", "coder", "a lesson of the coder")

    assert "(no lessons of agent writer in " in out(capsys, "lesson", "list", "--agent", "writer")
    out(capsys, "lesson", "delete", "1", "--agent", "writer", code=1)


@pytest.mark.parametrize("arguments", [("loop", "status"), ("session", "mine"), ("lesson", "undo")])
def test_where_nothing_is_yet_it_is_said_plainly(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert run(arguments) == 1

    assert capsys.readouterr().err.startswith(("hardwon: no ", "hardwon: there is no "))
