"""The command line as a person and a program use it."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.surfaces.cli import COMMANDS, run
from tests.surfaces.cli.printing import Capture, hardwon, out

pytestmark = pytest.mark.usefixtures("home")


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


@pytest.mark.parametrize(
    "arguments",
    [
        ["daemon", "--idle"],
        ["key", "create", "--expires"],
        ["loop", "resume", "l", "--actor-timeout"],
        ["report", "--since"],
        ["session", "list", "--since"],
        ["work", "--drain", "--idle"],
    ],
)
@pytest.mark.parametrize("span", ["soon", "", "5 parsecs", "1e999d", "-1w"])
def test_a_span_of_time_is_refused_alike_everywhere(
    capsys: Capture, arguments: list[str], span: str
) -> None:
    assert run([*arguments, span]) == 2
    assert "is not a duration such as 10m, 36h, 30d or 2w" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["lessn", "list"], "no such command: 'lessn'; did you mean lesson?"),
        (["lesson", "lsit"], "no such command: 'lsit'; did you mean list?"),
        (["lesson", "list", "--status", "provn"], "'all'; did you mean proven?"),
        (["install", "claud-code"], "'cursor'; did you mean claude-code?"),
        (["install", "claude"], "'cursor'; did you mean claude-code?"),
        (["rec", "x"], "no such command: 'rec'; did you mean recall?"),
        (["session", "list", "--from", "cluade"], "'kimi'; did you mean claude?"),
        (["completion", "nushell"], "'fish'.\n"),
    ],
)
def test_a_command_or_a_value_that_is_misspelt_is_pointed_out(
    capsys: Capture, typed: list[str], meant: str
) -> None:
    assert run(typed) == 2

    assert meant in capsys.readouterr().err


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


@pytest.mark.parametrize("command", [("work", "--metrics-port"), ("daemon", "--port")])
def test_a_port_in_use_is_told_with_what_to_do(command: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, trouble = hardwon(*command, str(taken.getsockname()[1]))

    assert code == 1
    assert trouble.endswith("Address already in use; choose another port\n")


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

    assert "  undo     Undo the newest edit, guard or deletion, of one\n" in told["lesson"]
    assert [
        name for name, words in told.items() if "...\n" in words.partition("Commands:")[2]
    ] == []
