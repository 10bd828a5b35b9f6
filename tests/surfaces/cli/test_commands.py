"""The command line as a person and a program use it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.surfaces.cli import COMMANDS, run

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    return capsys.readouterr().out


def data(capsys: Capture, *arguments: str) -> object:
    return json.loads(out(capsys, *arguments, "--json"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(capsys: Capture, command: str) -> None:
    assert "Usage:" in out(capsys, command, "--help")


@pytest.mark.parametrize("command", ["loop patterns", "loop search", "lesson list", "dream"])
def test_help_fits_into_a_terminal(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    told = out(capsys, *command.split(), "--help")

    assert max(map(len, told.splitlines())) <= 80


def test_a_lesson_by_hand_is_kept_and_recalled(capsys: Capture) -> None:
    said = out(capsys, "reflect", "when editing large Go files use Edit, not full rewrite")

    assert said == "Kept as lesson #1: when editing large Go files use Edit, not full rewrite\n"
    assert "[KNOWN PITFALLS" in out(capsys, "recall", "edit the large Go file")
    unsaid = out(capsys, "recall", "paint the fence")
    assert "(nothing fits)" in unsaid
    assert "--explain" in unsaid


def test_a_lesson_may_begin_with_a_verb(capsys: Capture) -> None:
    out(capsys, "reflect", "list", "the", "pods", "before", "a", "deploy")

    assert "list the pods before a deploy" in out(capsys, "lesson", "list")


def test_the_state_of_the_queue_is_told_with_what_to_do_next(capsys: Capture) -> None:
    assert out(capsys, "reflect").startswith("0 jobs waiting, 0 given up\nLook closer: hardwon")
    assert out(capsys, "reflect", "failed") == "No job was given up.\n"


def test_lessons_are_listed_searched_shown_edited_and_deleted(capsys: Capture) -> None:
    out(capsys, "reflect", "use tabs in makefiles")

    listed = "1 lesson:\n  #1  proven  [note]  use tabs in makefiles\n"
    assert out(capsys, "lesson", "list", "--project", "") == listed
    assert "1 match:" in out(capsys, "lesson", "search", "akefil", "--project", "")
    assert "(no matches in " in out(capsys, "lesson", "search", "nowhere")
    shown = out(capsys, "lesson", "show", "#1", "--project", "")
    assert shown.startswith("LESSON: use tabs in makefiles\n")
    assert "use spaces" in out(capsys, "lesson", "edit", "1", "--correction", "use spaces")
    assert out(capsys, "lesson", "delete", "1", "--project", "") == "OK: deleted #1\n"
    assert out(capsys, "lesson", "list", "--project", "") == "(no lessons)\n"


def test_agents_do_not_see_each_other(capsys: Capture) -> None:
    out(capsys, "reflect", "--agent", "coder", "a lesson of the coder")

    assert "(no lessons in " in out(capsys, "lesson", "list", "--agent", "writer")
    out(capsys, "lesson", "delete", "1", "--agent", "writer", code=1)


def test_data_is_printed_as_json(capsys: Capture) -> None:
    kept = data(capsys, "reflect", "use tabs")
    assert isinstance(kept, dict)

    assert data(capsys, "lesson", "list") == [kept]
    assert data(capsys, "lesson", "show", "1") == {**kept, "exposures": [], "verdict": None}
    assert isinstance(data(capsys, "recall", "tabs or no tabs"), dict)
    assert isinstance(data(capsys, "config"), dict)
    assert isinstance(data(capsys, "doctor"), list)
    assert isinstance(data(capsys, "work", "--drain"), dict)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["lesson", "show", "99"], 1),
        (["lesson", "show", "../x"], 2),
        (["lesson", "list", "--limit", "0"], 2),
        (["lesson", "edit", "1"], 2),
        (["reflect", " "], 2),
        (["reflect", "x" * 5000], 2),
        (["reflect", "--agent", "a\nb", "text"], 2),
        (["nonsense"], 2),
        (["recall"], 2),
    ],
)
def test_wrong_use_and_failure_have_their_own_exit_codes(
    capsys: Capture, arguments: list[str], code: int
) -> None:
    assert run(arguments) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err
    assert "Traceback" not in printed.err


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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_scripts_are_printed(capsys: Capture, shell: str) -> None:
    assert "_HARDWON_COMPLETE" in out(capsys, "completion", shell)


def test_completion_offers_the_commands(home: Path) -> None:
    asked = {**os.environ, "_HARDWON_COMPLETE": "bash_complete", "COMP_WORDS": "hardwon le"}

    done = subprocess.run(
        [sys.executable, "-m", "hardwon"],
        env={**asked, "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == "plain,lesson"


@pytest.mark.parametrize(
    ("line", "word", "offered"),
    [("hardwon le", "le", ["lesson"]), ("hardwon config ", "", ["set", "unset"])],
)
def test_powershell_gets_a_value_and_its_help_a_line(
    line: str, word: str, offered: list[str]
) -> None:
    asked = {"_HARDWON_COMPLETE": "powershell_complete", "COMP_WORDS": line, "COMP_WORD": word}

    done = subprocess.run(
        [sys.executable, "-m", "hardwon"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )

    rows = [row.split("\t") for row in done.stdout.splitlines()]
    assert [value for value, _ in rows] == offered
    assert all(explained for _, explained in rows)


def test_a_script_for_powershell_quotes_as_powershell_does(capsys: Capture) -> None:
    called = next(
        row for row in out(capsys, "completion", "powershell").splitlines() if "(& " in row
    )

    assert "''" in called  # a quote within a word is doubled
    assert '"\'"' not in called


def test_a_command_that_is_misspelt_is_pointed_out(capsys: Capture) -> None:
    assert run(["lessn", "list"]) == 2

    assert "did you mean lesson?" in capsys.readouterr().err


def test_a_broken_store_is_one_line_that_names_it(capsys: Capture, home: Path) -> None:
    home.mkdir()
    (home / "hardwon.db").write_bytes(b"no database" * 100)

    assert run(["lesson", "list"]) == 1
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "hardwon.db" in complaint
    assert "BAD  store:" in out(capsys, "doctor", code=1)


def test_a_setting_that_is_misspelt_is_pointed_out(capsys: Capture, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("[queue]\nworker = 3\n")

    assert run(["config"]) == 0

    assert "queue.worker is not a setting; did you mean queue.workers?" in capsys.readouterr().err
    assert "BAD  settings: no such setting: queue.worker" in out(capsys, "doctor", code=1)


def test_doctor_points_out_a_model_that_cannot_be_used(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_MODEL_NAME", "gpt-5")

    assert "BAD  model: model 'gpt-5' is not of the form" in out(capsys, "doctor", code=1)


def test_a_misspelt_verb_is_no_lesson(capsys: Capture) -> None:
    assert run(["reflect", "fialed"]) == 2

    assert "no such verb: fialed; did you mean failed?" in capsys.readouterr().err
    assert "#1: tabs" in out(capsys, "reflect", "tabs")


@pytest.mark.parametrize("arguments", [("loop", "status"), ("session", "mine"), ("lesson", "undo")])
def test_where_nothing_is_yet_it_is_said_plainly(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert run(arguments) == 1

    assert capsys.readouterr().err.startswith("hardwon: no ")


def hardwon(*arguments: str, stdout: int = subprocess.PIPE, **environ: str) -> tuple[int, str, str]:
    """What a process of its own prints: exit code, standard output, standard error."""
    ran = subprocess.run(
        [sys.executable, "-m", "hardwon", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environ},
    )
    return ran.returncode, (ran.stdout or b"").decode("latin-1"), ran.stderr.decode("latin-1")


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


@pytest.mark.parametrize("command", [("work", "--metrics-port"), ("daemon", "--port")])
def test_a_port_in_use_is_told_with_what_to_do(command: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, trouble = hardwon(*command, str(taken.getsockname()[1]))

    assert code == 1
    assert trouble.endswith("Address already in use; choose another port\n")


def test_doctor_is_content_with_a_new_home(capsys: Capture) -> None:
    assert "BAD" not in out(capsys, "doctor")


def test_the_reader_may_leave_early(home: Path) -> None:
    shell = f"{sys.executable} -m hardwon --help | true"

    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)

    assert "Traceback" not in done.stderr


WITHOUT_YAML = "import sys; sys.modules['yaml'] = None; from hardwon.surfaces.cli import run; "


@pytest.mark.parametrize(("arguments", "code"), [("--help", 0), ("mine --help", 0), ("mine", 1)])
def test_a_command_whose_extra_is_missing_says_what_to_install(arguments: str, code: int) -> None:
    words = ["session", *arguments.split()]
    program = f"{WITHOUT_YAML}sys.exit(run({words!r}))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.returncode == code
    assert "pip install 'hardwon[sessions]'" in done.stdout + done.stderr
    assert (COMMANDS["session"] in done.stdout) == (code == 0)


def test_help_tells_of_each_command_in_a_whole_sentence(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    told = {name: out(capsys, name, "--help") for name in COMMANDS}

    assert "  undo     Take back the newest edit, guard or deletion,\n" in told["lesson"]
    assert [
        name for name, words in told.items() if "...\n" in words.partition("Commands:")[2]
    ] == []
