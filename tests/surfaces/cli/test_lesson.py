"""`hardwon lesson` and `hardwon recall --explain`, as a person uses them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    printed = capsys.readouterr()
    return printed.out + printed.err


def test_a_lesson_is_added_edited_and_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert "recorded lesson #1" in said(capsys, "lesson", "add", "when deploying", "use blue")
    said(capsys, "lesson", "edit", "#1", "--correction", "use green")

    assert "edit  was: #1" in said(capsys, "lesson", "history", "1")
    assert "use blue" in said(capsys, "lesson", "undo")
    assert "hardwon: " in said(capsys, "lesson", "undo", code=1)


def test_a_guard_needs_a_call_and_can_be_lifted(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "lesson", "add", "production", "never drop it")

    assert "names no call" in said(capsys, "lesson", "guard", "1", code=2)
    assert "guards" in said(capsys, "lesson", "guard", "1", "--call", "dropdb prod")
    assert "guard 10" in said(capsys, "recall", "dropdb prod", "--tool", "bash", "--explain")
    assert "no longer" in said(capsys, "lesson", "guard", "1", "--off")


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_a_pack_goes_out_and_comes_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    pack = str(tmp_path / ("p.md" if form == "markdown" else "p.jsonl"))
    said(capsys, "lesson", "add", "when deploying", "use blue")
    said(capsys, "lesson", "export", "--form", form, "--output", pack)

    taken = said(capsys, "lesson", "import", pack, "--agent", "other", "--trust")

    assert "1 lesson imported" in taken
    assert "use blue" in said(capsys, "lesson", "list", "--agent", "other")


def test_explain_names_the_parts_and_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "lesson", "add", "when deploying to staging", "use blue")

    assert "words" in said(capsys, "recall", "deploying on staging", "--explain")
    assert "no candidate" in said(capsys, "recall", "zebra", "--explain")
    assert '"verdict": "shown"' in said(
        capsys, "recall", "deploying on staging", "--explain", "--json"
    )


def test_a_list_tells_where_else_lessons_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "lesson", "list") == "(no lessons recorded)\n"
    for number in range(7):
        said(capsys, "lesson", "add", "when deploying", "use blue", "--agent", f"a{number}")

    hint = said(capsys, "lesson", "list").splitlines()[-1]

    assert hint.startswith("Elsewhere: 1 with --agent a0; 1 with --agent a1; ")
    assert hint.endswith("--agent a4; …")
    assert "--agent a3;" not in said(capsys, "lesson", "list", "--agent", "a3")
    assert said(capsys, "lesson", "list", "--json") == "[]\n"
    assert "a0" not in said(capsys, "lesson", "list", "--tenant", "another")


def test_a_list_tells_of_the_lessons_of_a_project(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "lesson", "add", "when deploying", "use blue", "--project", "acme/my api")

    hint = said(capsys, "lesson", "list").splitlines()[-1]

    assert hint == "Elsewhere: 1 with --agent default --project 'acme/my api'"
    assert "Elsewhere" not in said(capsys, "lesson", "list", "--project", "acme/my api")


def test_commands_use_the_scope_of_the_settings_as_hooks_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = str(tmp_path / "other")
    os.mkdir(other)
    Path(other, "config.toml").write_text('[scope]\nagent = "coder"\nproject = "acme/api"\n')
    said(capsys, "lesson", "add", "when deploying", "use blue", "--home", other)

    named = ("--agent", "coder", "--project", "acme/api")
    assert "use blue" in said(capsys, "lesson", "list", "--home", other, *named)
    assert "use blue" not in said(capsys, "lesson", "list", "--home", other, "--agent", "x")

    monkeypatch.setenv("HARDWON_AGENT", "x")
    assert "use blue" not in said(capsys, "lesson", "list", "--home", other)


def test_lessons_get_vectors_and_are_found_by_meaning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said(capsys, "lesson", "add", "the disk is full of old images", "prune unused layers")
    asked = ("recall", "write: no space left on device", "--error")
    assert "nothing fits" in said(capsys, *asked)
    assert "off" in said(capsys, "doctor")

    assert "1 vector made by minilm; 1 of 1" in said(capsys, "lesson", "embed")
    assert '"made": 0' in said(capsys, "lesson", "embed", "--json")

    assert "prune unused layers" in said(capsys, *asked, "--meaning")
    assert "meaning" in said(capsys, *asked, "--meaning", "--explain")
    assert "nothing fits" in said(capsys, *asked)
    monkeypatch.setenv("HARDWON_RECALL_EMBEDDER", "minilm")
    assert "prune unused layers" in said(capsys, *asked)
    assert "nothing fits" in said(capsys, *asked, "--no-meaning")
    assert "minilm: 1 of 1 lessons have a vector" in said(capsys, "doctor")
    assert "minilm" in said(capsys, "config")
