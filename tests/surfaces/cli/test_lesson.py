"""`hardwon lesson` and `hardwon recall --explain`, as a person uses them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
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

    assert "edit  was: #1 [when deploying] use blue\n" in said(capsys, "lesson", "history", "1")
    undone = said(capsys, "lesson", "undo", "1", "--project", "")
    assert undone == "OK: undid “edit”: #1 [when deploying] use blue\n"
    assert said(capsys, "lesson", "undo", code=1) == "hardwon: there is no change to undo\n"


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
    said(capsys, "lesson", "add", "when testing", "use nox")
    written = said(capsys, "lesson", "export", "--form", form, "--output", pack)
    assert written == f"OK: wrote 2 lessons to {pack}\n"

    taken = said(capsys, "lesson", "import", pack, "--agent", "other", "--trust")

    assert "2 lessons imported" in taken
    assert "use blue" in said(capsys, "lesson", "list", "--agent", "other")


def test_explain_names_the_parts_and_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "lesson", "add", "when deploying to staging", "use blue")

    assert "words" in said(capsys, "recall", "deploying on staging", "--explain")
    assert "no candidate" in said(capsys, "recall", "zebra", "--explain")
    assert '"verdict": "shown"' in said(
        capsys, "recall", "deploying on staging", "--explain", "--json"
    )


def test_a_list_tells_where_else_lessons_are(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = said(capsys, "lesson", "list", "--project", "")
    assert nothing == "(no lessons outside projects)\n"
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

    assert hint == "Elsewhere: 1 with --project 'acme/my api'"
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


@pytest.mark.usefixtures("weights")
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


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a project, in a folder of which we are."""
    config = tmp_path / "api" / ".git" / "config"
    config.parent.mkdir(parents=True)
    config.write_text('[remote "origin"]\n\turl = git@example.org:acme/api.git\n')
    (tmp_path / "api" / "src").mkdir()
    monkeypatch.chdir(tmp_path / "api" / "src")
    return "acme/api"


def test_in_a_folder_its_project_is_looked_at(
    capsys: pytest.CaptureFixture[str], project: str
) -> None:
    said(capsys, "lesson", "add", "when deploying to staging", "use blue", "--project", project)
    said(capsys, "lesson", "add", "when testing", "use nox")

    listed = said(capsys, "lesson", "list")
    shown = said(capsys, "lesson", "show", "1")
    recalled = said(capsys, "recall", "deploying to staging again, in blue")
    guarded = said(capsys, "lesson", "guard", "1", "--call", "make blue")

    assert listed.startswith("2 lessons in acme/api and everywhere:\n")
    for text in (shown, recalled, guarded, said(capsys, "lesson", "undo")):
        assert text.startswith("in acme/api and everywhere:\n")
    assert "use blue" in recalled
    assert said(capsys, "lesson", "show", "1", "--json").startswith("{")
    only = said(capsys, "lesson", "list", "--project", "")
    assert only.startswith("1 lesson outside projects:\n")
    assert "use nox" in only


def test_looking_makes_no_folder_a_trusted_one(
    capsys: pytest.CaptureFixture[str], project: str
) -> None:
    said(capsys, "lesson", "list")
    said(capsys, "recall", "deploying")

    assert project not in said(capsys, "project", "list")


def test_a_lesson_of_elsewhere_is_named_with_the_command_that_shows_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said(capsys, "lesson", "add", "when deploying", "use blue", "--project", "acme/my api")

    problem = said(capsys, "lesson", "show", "1", code=1)

    command = "hardwon lesson show 1 --project 'acme/my api'"
    assert problem == f"hardwon: lesson 1 not found here; it is elsewhere: {command}\n"
    nowhere = said(capsys, "lesson", "delete", "7", code=1)
    assert nowhere == "hardwon: lesson 7 not found; `hardwon lesson list` names those here\n"


def test_an_agent_other_than_the_usual_one_is_named(
    capsys: pytest.CaptureFixture[str], project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(capsys, "lesson", "add", "when testing", "use nox", "--agent", "coder")

    listed = said(capsys, "lesson", "list", "--agent", "coder")
    nothing = said(capsys, "lesson", "search", "blue", "--agent", "coder")
    monkeypatch.setenv("HARDWON_SCOPE_AGENT", "coder")

    assert listed.startswith("1 lesson of agent coder in acme/api and everywhere:\n")
    assert nothing == "(no matches of agent coder in acme/api or everywhere)\n"
    assert said(capsys, "lesson", "list").startswith("1 lesson in acme/api and everywhere:\n")


def test_a_list_fits_the_terminal_with_its_fix(tmp_path: Path) -> None:
    with hardwon.open(tmp_path / "home") as hw:
        lessons = hw.agent("default").lessons
        lessons.add("when the deployment to staging hangs " * 3, "restart the agent " * 9)
        lessons.add("short", "brief")

    lines = on_terminal(60, "lesson", "list", "--project", "")

    assert lines[0] == "2 lessons outside projects:"
    assert [len(line) <= 60 for line in lines] == [True] * 3
    assert "  [when the deploy…  " in "".join(lines)
    assert "  restart the agent" in "".join(lines)
    assert "  #2  proven  [short]" in lines[1]


def test_a_list_has_no_room_for_what_most_lessons_begin_with(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said(capsys, "lesson", "add", "When you see “no space left”", "clean up")

    assert "  [“no space left”]  clean up\n" in said(capsys, "lesson", "list")


def test_a_candidate_that_is_too_long_for_its_column_is_wrapped_there(tmp_path: Path) -> None:
    with hardwon.open(tmp_path / "home") as hw:
        hw.agent("default").lessons.add("when the deployment of the shop to staging hangs", "wait")

    asked = ("the deployment to staging hangs", "--explain", "--project", "")
    shown = on_terminal(60, "recall", *asked)

    head, first, second, *_ = shown
    start = head.index("lesson")
    assert max(map(len, shown)) <= 60
    assert first[start:].startswith("#1 when the")
    assert second[:start].isspace()
    assert second[start:].split()


@pytest.mark.parametrize(("setting", "has_colour"), [("", True), ("1", False)])
def test_colours_respect_what_is_set(
    monkeypatch: pytest.MonkeyPatch, setting: str, has_colour: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", setting)

    assert ("\x1b[" in "".join(on_terminal(80, "doctor"))) == has_colour


def on_terminal(columns: int, *arguments: str) -> list[str]:
    """What `hardwon` shows on a terminal of so many columns."""
    screen, theirs = pty.openpty()
    environ = {**os.environ, "COLUMNS": str(columns)}
    subprocess.run([sys.executable, "-m", "hardwon", *arguments], stdout=theirs, env=environ)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # nobody writes to it any more
        while part := os.read(screen, 4096):
            shown += part
    os.close(screen)
    return shown.decode().splitlines()


@pytest.mark.parametrize(
    ("asked", "noun"), [(("list",), "lessons"), (("search", "deploying"), "matches")]
)
def test_a_list_says_that_there_are_more(
    capsys: pytest.CaptureFixture[str], asked: tuple[str, ...], noun: str
) -> None:
    for place in ("staging", "production", "canary"):
        said(capsys, "lesson", "add", f"when deploying to {place}", f"use the {place} key")

    some = said(capsys, "lesson", *asked, "--limit", "2", "--project", "").splitlines()
    every = said(capsys, "lesson", *asked, "--limit", "3", "--project", "").splitlines()

    assert (some[0], len(some)) == (f"2 {noun} outside projects, and more: --limit shows them", 3)
    assert (every[0], len(every)) == (f"3 {noun} outside projects:", 4)
    assert len(json.loads(said(capsys, "lesson", *asked, "--limit", "2", "--json"))) == 2
    assert "must be in 1 …" in said(capsys, "lesson", *asked, "--limit", "0", code=2)
