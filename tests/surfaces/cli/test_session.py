"""`hardwon session` as a person and as a program uses it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.cli import run
from tests.learn.transcripts.transcripts import SESSION


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


@pytest.mark.parametrize("first", ["learn", "mine"])
def test_learning_and_mining_a_session_keep_its_lesson_once(
    project: Path, capsys: Any, first: str
) -> None:
    ways = [["session", "learn"], ["session", "mine", "--auto"]]
    for arguments in ways if first == "learn" else reversed(ways):
        assert run(arguments) == 0
    capsys.readouterr()

    assert run(["lesson", "list", "--status", "all", "--json"]) == 0

    about = [one for one in _json(capsys) if "mkdir" in one["correction"]]
    assert len(about) == 1
    assert [fix["text"] for fix in about[0]["fixes"]]


def test_help_says_which_project_a_past_session_goes_into(capsys: Any) -> None:
    for arguments in (["session", "learn"], ["session", "import"], ["trace", "import"]):
        assert run([*arguments, "--help"]) == 0
        assert "default: each into its own" in " ".join(capsys.readouterr().out.split())


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

    assert "What worked: `mkdir -p out/nightly`." in capsys.readouterr().out
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

    for counts in ((2, 1, 1), (0, 0, 1)):
        assert run(["session", "import", str(path), "--json"]) == 0
        told = _json(capsys)
        assert (told["steps"], told["failures"], told["lessons"]) == counts
        assert told["skipped"] == {"unknown": 1}
    assert run(["lesson", "list", "--project", "acme/api", "--json"]) == 0
    (lesson,) = _json(capsys)
    assert "What worked: `mkdir -p a/b`." in lesson["correction"]
    assert lesson["met"] == 1
