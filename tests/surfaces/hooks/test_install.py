"""`hardwon install`, `uninstall` and `status`, as typed."""

from __future__ import annotations

import json
import os
import pty
import re
import socket
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import distribution
from pathlib import Path

import pytest

import hardwon
from hardwon.core.settings import load
from hardwon.surfaces.cli import run
from hardwon.surfaces.hooks import installer
from tests.surfaces.hooks.hooking import Hook


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with an agent's settings, and a project to stand in."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"model": "opus"}')
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_it_shows_the_change_and_makes_it(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "claude-code", "codex", "--diff"]) == 0

    said = capsys.readouterr().out
    assert '+  "hooks": {' in said
    assert "claude-code: installed" in said
    assert "/hooks" in said  # Codex wants to be told to trust them
    settings = json.loads((user / ".claude" / "settings.json").read_text())
    assert settings["model"] == "opus"
    assert settings["hooks"]["Stop"][0]["hooks"][0]["command"].endswith("hook claude-code")
    assert (user / ".codex" / "hooks.json").exists()


@pytest.mark.parametrize(("place", "is_told"), [(".cache/uv/archive/x", True), ("venv", False)])
def test_a_program_in_a_cache_is_installed_with_a_note_where_from(
    user: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
    is_told: bool,
) -> None:
    monkeypatch.setattr(sys, "prefix", str(user / place))
    monkeypatch.setattr("tempfile.tempdir", str(user / "temporary"))

    assert run(["install", "claude-code", "--dry-run"]) == 0

    note = capsys.readouterr().err
    assert note.startswith("hardwon: note: the hooks will start hardwon in ") is is_told
    source = distribution("hardwon").read_text("direct_url.json") or ""
    folder = json.loads(source)["url"].removeprefix("file://") if source else "hardwon=="
    assert (f"`uv tool install {folder}" in note) is is_told


def test_a_dry_run_only_shows(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "claude-code", "--dry-run"]) == 0

    said = capsys.readouterr().out
    assert '+  "hooks": {' in said
    assert "claude-code: would be installed" in said
    assert (user / ".claude" / "settings.json").read_text() == '{"model": "opus"}'


def test_another_home_is_told_to_the_hook(user: Path) -> None:
    other = user / "my data"

    assert run(["install", "claude-code", "--home", str(other)]) == 0

    settings = json.loads((user / ".claude" / "settings.json").read_text())
    command = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
    event = b'{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello"}'
    assert subprocess.run(command, shell=True, input=event, check=True).returncode == 0
    assert (other / "hardwon.db").exists()
    assert not (user / ".hardwon" / "hardwon.db").exists()


def test_a_hook_whose_package_has_gone_blocks_nothing(user: Path) -> None:
    """Exit code 2 would make the agent refuse every call."""
    command = installer.command_hook("claude-code")["command"]
    gone = command.replace(str(Path(hardwon.__file__).parents[1]), str(user / "gone"))

    ran = subprocess.run(gone, shell=True, input=b"{}", capture_output=True)

    assert ran.returncode == 1
    assert ran.stdout == b""


def test_status_and_uninstall(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["install", "claude-code", "--level", "project"])
    capsys.readouterr()

    run(["status", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [(row["agent"], row["level"]) for row in found if row["state"] == "installed"] == [
        ("claude-code", "project")
    ]

    assert run(["uninstall", "claude-code", "--level", "project"]) == 0
    assert run(["uninstall", "claude-code", "--level", "project"]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert not (user / "project" / ".claude" / "settings.json").exists()


def test_status_names_only_the_files_that_hold_hardwon(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["install", "codex"])
    capsys.readouterr()

    run(["status"])

    others = "claude-code, gemini, copilot, opencode, cline, qwen, cursor"
    assert capsys.readouterr().out.splitlines() == [
        f"  codex  user  installed  {user}/.codex/hooks.json",
        f"Not installed in {others}; `hardwon install AGENT` installs it",
        "No hook has run yet in codex; restart the agent and give it a prompt",
        "Playbook: nobody reads ended runs; `hardwon install AGENT --read ask` changes that",
    ]


def test_status_names_a_file_once_where_the_home_is_the_project(
    user: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(user)
    run(["install", "codex"])
    capsys.readouterr()

    run(["status"])

    assert capsys.readouterr().out.count(".codex/hooks.json") == 1


def test_uninstall_sums_up_what_it_changes(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = user / ".claude" / "settings.json"
    run(["install", "claude-code"])
    added = len(settings.read_text().splitlines())
    capsys.readouterr()

    run(["uninstall", "claude-code", "--dry-run"])
    whole = capsys.readouterr().out
    run(["uninstall", "claude-code"])
    summary, done = capsys.readouterr().out.splitlines()

    assert len(whole.splitlines()) > added
    assert summary.startswith(f"{settings}: ")
    assert summary.endswith("--diff shows them")
    assert done == f"claude-code: removed ({settings})"


def test_status_tells_when_each_hook_last_ran(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["install", "claude-code"])
    capsys.readouterr()
    run(["status"])
    assert "last ran" not in capsys.readouterr().out

    Hook(user / ".hardwon")("claude-code", {"hook_event_name": "SessionStart", "session_id": "s"})
    run(["status"])
    told = capsys.readouterr().out
    run(["status", "--json"])
    rows = json.loads(capsys.readouterr().out)

    assert "No hook has run yet" not in told
    assert re.search(r"claude-code last ran: SessionStart \d{4}-\d\d-\d\d \d\d:\d\d\n", told)
    assert {row["agent"] for row in rows if "SessionStart" in row["ran"]} == {"claude-code"}


def test_status_goes_on_past_a_file_that_cannot_be_read(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["install", "claude-code", "--level", "project"])
    (user / ".claude" / "settings.json").write_bytes(b"\xff\xfe{}")
    capsys.readouterr()

    assert run(["status", "--json"]) == 0

    states = [row["state"] for row in json.loads(capsys.readouterr().out)]
    assert states[:2] == ["unreadable", "installed"]


def test_http_hooks_carry_the_token(user: Path) -> None:
    assert run(["install", "claude-code", "--http", "8788"]) == 0

    settings = json.loads((user / ".claude" / "settings.json").read_text())
    hook = settings["hooks"]["PreToolUse"][0]["hooks"][0]
    token = (user / ".hardwon" / "token").read_text().strip()
    assert hook["url"] == "http://127.0.0.1:8788/hardwon/hook/claude-code"
    assert hook["headers"] == {"Authorization": f"Bearer {token}"}
    assert run(["uninstall", "claude-code"]) == 0
    assert (user / ".claude" / "settings.json").read_text() == '{"model": "opus"}'


def test_http_hooks_are_for_claude_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "codex", "--http", "8788"]) == 2
    assert "claude-code only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{ oops", "in line 1"), ('{"hooks": [\n', "it ends too early, in line 2")],
)
def test_settings_that_are_no_json_are_left_alone(
    user: Path, capsys: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    (user / ".claude" / "settings.json").write_text(text)

    assert run(["install", "claude-code"]) == 2

    assert f"{problem}; nothing was changed" in capsys.readouterr().err
    assert (user / ".claude" / "settings.json").read_text() == text


def test_a_folder_names_its_project(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = user / "project" / ".git"
    git.mkdir()
    (git / "config").write_text('[remote "origin"]\n\turl = git@host.example:acme/api.git\n')

    run(["reflect", "--project", ".", "run migrations first"])
    run(["lesson", "list", "--project", "acme/api"])

    assert "run migrations first" in capsys.readouterr().out.splitlines()[-1]


@pytest.fixture
def claude(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's program, so that its headless mode can be offered."""
    program = user / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ncat\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def _model() -> tuple[str, int]:
    settings = load()
    return settings.model.name, settings.budget.calls


@pytest.mark.usefixtures("claude")
def test_no_model_is_chosen_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "claude-code", "--yes"]) == 0

    assert _model()[0] == ""
    assert not load().hooks.ask
    assert "hardwon install claude-code --read ask|background|none" in capsys.readouterr().out


@pytest.mark.usefixtures("claude")
@pytest.mark.parametrize("option", [["--read", "background"], ["--model"]])
def test_a_script_lets_the_agent_read_runs(
    capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    assert run(["install", "claude-code", "--yes", *option]) == 0

    assert _model() == ("agent:claude-code", 20)
    assert "at most 20 calls a day" in capsys.readouterr().out


@pytest.mark.usefixtures("claude")
def test_one_way_takes_back_what_another_has_set() -> None:
    run(["install", "claude-code", "--read", "background"])
    run(["install", "claude-code", "--read", "ask"])
    asked = load()
    run(["install", "claude-code", "--read", "background"])
    read = load()
    run(["install", "claude-code", "--no-model"])
    none = load()

    chosen = [(each.hooks.ask, each.model.name) for each in (asked, read, none)]
    assert chosen == [(True, ""), (False, "agent:claude-code"), (False, "")]
    assert not asked.reader.enabled
    assert read.reader.enabled


@pytest.mark.usefixtures("claude")
@pytest.mark.parametrize(
    ("typed", "asks", "chosen"),
    [("\n", True, ""), ("2\n", False, "agent:claude-code"), ("3\n", False, "")],
)
def test_a_person_is_asked_once_and_by_name(typed: str, asks: bool, chosen: str) -> None:
    first = _typed(["install", "claude-code"], f"y\n{typed}")
    again = _typed(["install", "claude-code"], "\n")

    assert "1) claude-code writes it down itself at the end of a session" in first
    assert "2) claude-code reads ended runs in the background, by `claude -p" in first
    assert "at most 20 a day" in " ".join(first.split())
    assert "3) neither" in first
    assert (load().hooks.ask, _model()[0]) == (asks, chosen)
    assert "Choose a number" not in again


def test_an_agent_that_cannot_be_asked_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "cline", "--yes", "--read", "ask"]) == 2
    assert "cline: cannot be asked when a session ends" in capsys.readouterr().err


@pytest.mark.usefixtures("claude")
def test_status_says_who_reads_when_last_and_what_it_cost(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def line() -> str:
        capsys.readouterr()
        assert run(["status"]) == 0
        said = capsys.readouterr().out.splitlines()
        return next(line for line in said if line.startswith("Playbook: "))

    run(["install", "claude-code", "--read", "none"])
    assert "nobody reads ended runs" in line()
    run(["install", "claude-code", "--read", "ask"])
    assert line() == "Playbook: agents write it when a session ends, not yet"
    run(["install", "claude-code", "--read", "background"])
    assert line().endswith(
        "agent:claude-code reads ended runs, not yet, today 0 of 20 calls, 0 tokens"
    )

    with hardwon.open(user / ".hardwon") as hw:
        agent = hw.agent("default", project="shop")
        for number in range(3):
            agent.after_action("Bash", {"command": f"ops {number}"}, failed=False)
        agent.playbook.add('{"when": "w", "do": "List the tools with `ops 1`."}')
    run(["model", "test"])
    assert re.search(
        r"runs, last \d{4}-\d\d-\d\d \d\d:\d\d, today 1 of 20 calls, \d+ tokens", line()
    )


def _typed(arguments: list[str], keys: str) -> str:
    """What a terminal shows when a person types these keys."""
    code = f"import sys; from hardwon.surfaces.cli import run; sys.exit(run({arguments!r}))"
    shown: list[bytes] = []

    def read(handle: int) -> bytes:
        part = os.read(handle, 1024)
        shown.append(part)
        return part

    child, handle = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", code])
    os.write(handle, keys.encode())
    with suppress(OSError):  # the terminal is gone when the program has ended
        while read(handle):
            pass
    os.waitpid(child, 0)
    os.close(handle)
    return b"".join(shown).decode()


def test_a_program_that_is_missing_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))

    assert run(["install", "claude-code", "--yes", "--model"]) == 2

    assert "`claude` is not on the PATH" in capsys.readouterr().err


def test_it_ends_with_what_happens_next(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["install", "claude-code", "--level", "project"])

    said = capsys.readouterr().out
    assert '"hooks"' not in said
    assert " lines added, 0 removed; --diff shows them\n" in said
    assert "  Restart claude-code: " in said
    assert "  To look: hardwon lesson list" in said
    assert "  To take it out: hardwon uninstall claude-code --level project\n" in said
    assert "Nobody reads ended runs yet: hardwon install claude-code --read ask" in said


def test_a_place_that_is_in_the_way_is_named(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = user / ".claude" / "settings.json"
    settings.write_text('{"hooks": "x"}')

    assert run(["install", "claude-code"]) == 2

    problem = f'{settings}: "hooks" holds "x", expected an object; nothing was changed'
    assert capsys.readouterr().err.endswith(f"hardwon: {problem}\n")
    assert settings.read_text() == '{"hooks": "x"}'


def test_status_notices_that_the_environment_of_a_hook_is_gone(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["install", "claude-code"])
    settings = user / ".claude" / "settings.json"
    run(["status"])
    assert "which is gone" not in capsys.readouterr().out
    settings.write_text(settings.read_text().replace(sys.executable, "/gone/bin/python"))

    run(["status"])

    problem = "claude-code: its hooks start /gone/bin/python, which is gone; `hardwon install"
    assert problem in capsys.readouterr().out


def test_two_levels_of_one_agent_are_noticed(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "codex: installed for you and in this project, so hooks may run twice"
    run(["install", "codex"])
    assert words not in capsys.readouterr().out

    run(["install", "codex", "--level", "project"])
    assert words in capsys.readouterr().out
    run(["status"])
    assert words in capsys.readouterr().out
    run(["status", "--json"])
    wrong = {row["agent"]: row["wrong"] for row in json.loads(capsys.readouterr().out)}
    assert [text.startswith(words) for text in wrong.pop("codex")] == [True]
    assert not any(wrong.values())


def test_status_tells_of_the_hooks_of_another_home(
    user: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    Hook(other)("codex", {"hook_event_name": "SessionStart", "session_id": "s"})

    run(["status"])
    assert "last ran" not in capsys.readouterr().out
    run(["status", "--home", str(other)])
    assert "codex last ran: SessionStart" in capsys.readouterr().out


def test_status_needs_no_settings(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["install", "codex"])
    (user / ".hardwon" / "config.toml").write_text("[")
    capsys.readouterr()

    assert run(["status"]) == 0
    assert "codex  user  installed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("agent", "doors"),
    [
        ("codex", "at a prompt, before a call, after an error."),
        ("gemini", "at a prompt, after an error; it takes only denials before a call."),
        ("qwen", "at a prompt, after an error; it takes only denials before a call."),
        ("cursor", "when a session starts, after an error; it takes denials before a call."),
    ],
)
def test_where_lessons_appear_is_told_for_each_agent(
    user: Path, capsys: pytest.CaptureFixture[str], agent: str, doors: str
) -> None:
    run(["install", agent])

    said = capsys.readouterr().out
    assert f"  Lessons appear in its context: {doors}\n" in said
    assert ("not tried with Cursor itself" in said) == (agent == "cursor")


@pytest.mark.parametrize("is_on", [True, False])
def test_status_notices_the_plugin_beside_the_hooks(
    user: Path, capsys: pytest.CaptureFixture[str], is_on: bool
) -> None:
    plugins = {"enabledPlugins": {"hardwon@hardwon": is_on}}
    (user / ".claude" / "settings.json").write_text(json.dumps(plugins))
    run(["status"])
    assert "both installed" not in capsys.readouterr().out
    run(["install", "claude-code"])
    capsys.readouterr()

    run(["status"])

    words = "claude-code: the plugin and hooks are both installed"
    assert (words in capsys.readouterr().out) == is_on


def test_a_taken_port_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mcp")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        assert run(["mcp", "--http", str(port)]) == 1

    assert f"port {port} is taken by another program" in capsys.readouterr().err


def test_a_home_that_cannot_be_made_is_told_with_what_to_do(
    user: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_HOME", "/proc/none/home")

    assert run(["install", "claude-code", "--yes"]) == 1

    assert "/proc/none/home: " in (told := capsys.readouterr().err)
    assert "HARDWON_HOME" in told
    assert (user / ".claude" / "settings.json").read_text() == '{"model": "opus"}'
