"""`hardwon loop` with real commands: what a person types, and what goes wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hardwon.learn.trials.analytics import analyze
from hardwon.learn.trials.html import page
from hardwon.surfaces.cli import run
from tests.learn.trials.test_judging import loop
from tests.waiting import until

Capture = pytest.CaptureFixture[str]
HARDWON = [sys.executable, "-m", "hardwon", "loop"]
# Acts by the prompt alone: writes what the prompt says is wanted.
ACTOR = "grep -q 'want yes' && echo yes > answer || echo no > answer"
CHECK = "sh check.sh"
SCRIPT = "grep -qx yes answer || { echo 'error: want yes'; exit 1; }"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to work in, and a home of its own."""
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    (work / "check.sh").write_text(SCRIPT)
    monkeypatch.chdir(work)
    return work


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run(("loop", *arguments)) == code, capsys.readouterr().err
    return capsys.readouterr().out


def data(capsys: Capture, *arguments: str, code: int = 0) -> Any:
    return json.loads(out(capsys, *arguments, "--json", code=code))


def refused(capsys: Capture, *arguments: str, code: int = 2) -> str:
    capsys.readouterr()
    assert run(("loop", *arguments)) == code
    return capsys.readouterr().err


def succeeded(capsys: Capture, name: str = "l") -> Any:
    task = "write the right answer into the file"
    return data(capsys, "run", task, "--actor", ACTOR, "--verify", CHECK, "--id", name)


def test_a_run_tells_its_trials_and_ends_well(capsys: Capture) -> None:
    said = out(capsys, "run", "answer", "--actor", ACTOR, "--verify", CHECK)

    assert "trial 1: failed, reward 0.00" in said
    assert "error: want yes" in said
    assert "succeeded: all verifications passed in trial 2" in said


def test_a_run_that_fails_exits_with_one(capsys: Capture) -> None:
    said = out(capsys, "run", "answer", "--actor", "true", "--verify", CHECK, code=1)

    assert "failed: the same failure 3 times in a row" in said


def test_the_prompt_comes_as_a_file_or_as_an_argument(capsys: Capture, place: Path) -> None:
    for template in ("cat {prompt_file} > got", "printf %s {prompt} > got"):
        data(capsys, "run", "say 'hi' $HOME", "--actor", template, "--verify", "test -s got")
        assert (place / "got").read_text().startswith("say 'hi' $HOME")


@pytest.mark.parametrize("profile", ["claude", "codex", "gemini", "copilot", "opencode"])
def test_a_profile_hands_the_prompt_to_the_agent(
    capsys: Capture, place: Path, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = place / "bin" / profile
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n{ echo "$@"; cat; } > got\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    data(capsys, "run", "fix it", "--actor", profile, "--verify", "grep -q 'fix it' got")


def test_steps_that_the_actor_reports_are_recorded(capsys: Capture, place: Path) -> None:
    events = [
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "Running the tests."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q"}}]}},
        {"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
             "content": "1 failed"}]}},
        {"type": "result", "result": "I gave up."},
    ]  # fmt: skip
    (place / "events").write_text("\n".join(json.dumps(event) for event in events))

    data(capsys, "run", "x", "--actor", "cat events", "--verify", "false", "--max-trials", "1",
         "--id", "l", code=1)  # fmt: skip
    shown = data(capsys, "show", "l")["reflections"][0]["actor_output"]

    assert shown["rationale"] == "I gave up."
    assert [(a["type"], a["command"], a["output"], a["failed"]) for a in shown["actions"]] == [
        ("test_execution", "pytest -q", "1 failed", True)
    ]


def test_a_cot_actor_has_no_steps(capsys: Capture) -> None:
    line = json.dumps({"tool": "bash", "args": "ls", "output": "x"})
    data(capsys, "run", "x", "--actor", f"echo '{line}'", "--variant", "cot", "--verify", "false",
         "--max-trials", "1", "--id", "l", code=1)  # fmt: skip

    assert data(capsys, "show", "l")["reflections"][0]["actor_output"]["actions"] == []


def test_loops_are_listed_shown_searched_and_exported(capsys: Capture, tmp_path: Path) -> None:
    succeeded(capsys)

    assert "succeeded" in out(capsys, "list")
    assert "trials: 2 of 5" in out(capsys, "status")
    assert "Reflection on trial 1 (by rules" in out(capsys, "show", "l")
    assert "want yes" in out(capsys, "show", "l", "--trial", "1")
    assert "l/1" in out(capsys, "search", "want")
    assert "(no matches)" in out(capsys, "search", "zebra")
    assert "(no matches)" in out(capsys, "search", "--category", "hallucination")
    assert json.loads(out(capsys, "export", "l"))[0]["loop_id"] == "l"
    assert json.loads(out(capsys, "export", "l", "--published"))[0]["loop_id"] == "ralph-l"
    out(capsys, "export", "l", "--to", str(tmp_path / "there"))
    assert os.listdir(tmp_path / "there") == ["001.json"]


def test_what_is_not_there_is_not_found(capsys: Capture) -> None:
    assert "(no loops)" in out(capsys, "list")
    assert "not found" in refused(capsys, "show", "nothing", code=1)
    assert "no loop found" in refused(capsys, "status", code=1)
    assert "not of the form" in refused(capsys, "show", "a/b")
    succeeded(capsys)
    assert "not found" in refused(capsys, "show", "l", "--trial", "9", code=1)


def test_no_verifier_or_one_that_does_not_exist_stops_before_the_first_trial(
    capsys: Capture, place: Path
) -> None:
    acting = ["--actor", "touch acted"]

    assert "no verifier" in refused(capsys, "run", "x", *acting)
    assert "'nosuchtool' not found" in refused(
        capsys, "run", "x", *acting, "--verify", "nosuchtool --all"
    )
    assert "is empty" in refused(capsys, "run", "x", *acting, "--verify", " ")
    assert "no actor" in refused(capsys, "run", "x", "--verify", "true")
    assert not (place / "acted").exists()


@pytest.mark.parametrize(
    ("actor", "reason"),
    [
        ("kill -9 $$", "critical error: the actor was ended by signal 9"),
        ("sleep 30", "critical error: the actor did not end within its time limit"),
        ("nosuchagent", "critical error: the actor did not start"),
    ],
)
def test_a_crash_of_the_actor_is_critical(capsys: Capture, actor: str, reason: str) -> None:
    state = data(capsys, "run", "x", "--actor", actor, "--verify", "true", "--actor-timeout", "1s",
                 code=1)  # fmt: skip

    assert state["reason"].startswith(reason)
    assert state["trials"][0]["outcome"] == "critical"


def test_a_verifier_that_hangs_is_ended_and_reported(capsys: Capture) -> None:
    state = data(capsys, "run", "x", "--actor", "true", "--verify", "trap '' TERM; sleep 30",
                 "--verify-timeout", "500ms", "--max-trials", "1", "--id", "l", code=1)  # fmt: skip
    judged = data(capsys, "show", "l")["reflections"][0]["evaluator_output"]

    assert state["trials"][0]["category"] == "inefficient_planning"
    assert judged["results"][0]["status"] == "error"
    assert judged["errors"][0]["type"] == "timeout"


def test_verifiers_do_not_see_secrets_unless_told(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    running = ["run", "x", "--actor", "true", "--max-trials", "1"]

    data(capsys, *running, "--verify", 'test -z "$MY_TOKEN"')
    data(capsys, *running, "--verify", 'test -n "$MY_TOKEN"', "--pass-env", "MY_TOKEN")


def test_no_secret_of_a_trial_reaches_the_disk(
    capsys: Capture, place: Path, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    (place / "told").write_text(secret)
    data(capsys, "run", f"use {secret}", "--actor", "cat told", "--verify",
         "echo error: GITHUB_TOKEN=$(cat told) was refused; exit 1", "--max-trials", "1",
         "--id", "l", code=1)  # fmt: skip
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]

    assert len(kept) > 4
    assert [path.name for path in kept if secret.encode() in path.read_bytes()] == []


def test_a_file_names_commands_only_when_it_is_trusted(capsys: Capture, place: Path) -> None:
    file = place / "hardwon.toml"
    file.write_text(f"[loop]\nactor = '''{ACTOR}'''\nverify = ['''{CHECK}''']\nmax_trials = 4\n")

    assert "is not trusted" in refused(capsys, "run", "x")
    assert "is not trusted" in refused(capsys, "run", "x", "--config", str(file))
    out(capsys, "trust", str(file))
    assert data(capsys, "run", "x")["options"]["max_trials"] == 4
    assert data(capsys, "run", "x", "--max-trials", "7")["options"]["max_trials"] == 7

    file.write_text(file.read_text() + "# changed\n")
    assert "has changed" in refused(capsys, "run", "x")


def test_unknown_keys_in_a_trusted_file_are_named(capsys: Capture, place: Path) -> None:
    (place / "hardwon.toml").write_text("[loop]\nverifiers = []\n")

    assert "verifiers" in refused(capsys, "trust", "hardwon.toml")


@pytest.mark.parametrize("is_background", [False, True])
def test_a_terminated_run_leaves_no_process_and_can_be_resumed(
    capsys: Capture, place: Path, is_background: bool
) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 60", "--verify", "true"]
    how = signal.SIG_IGN if is_background else signal.default_int_handler  # as a shell does for `&`
    with subprocess.Popen(
        [*HARDWON, *arguments, "--id", "l"],
        cwd=place,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, how),
    ) as running:
        pid = _read_when_there(place / "pid")
        assert "interrupted" not in out(capsys, "status", "l")
        refused(capsys, "resume", "l", code=1)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 1

    assert not Path(f"/proc/{pid}").exists()
    assert "interrupted" in out(capsys, "status", "l")
    assert data(capsys, "resume", "l", "--actor", "true")["status"] == "succeeded"


def test_what_a_killed_run_left_behind_is_ended_by_the_next(capsys: Capture, place: Path) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 60", "--verify", "true"]
    with subprocess.Popen([*HARDWON, *arguments, "--id", "l"], cwd=place) as running:
        pid = _read_when_there(place / "pid")
        running.kill()

    assert Path(f"/proc/{pid}").exists()
    out(capsys, "resume", "l", "--actor", "true")
    until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_loop_of_the_same_name_in_another_home_is_left_alone(
    capsys: Capture, place: Path, tmp_path: Path
) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 60", "--verify", "true"]
    with subprocess.Popen([*HARDWON, *arguments, "--id", "l"], cwd=place) as running:
        pid = _read_when_there(place / "pid")
        data(capsys, "run", "x", "--actor", "sleep 60", "--verify", "true", "--id", "l",
             "--actor-timeout", "200ms", "--home", str(tmp_path / "other"), code=1)  # fmt: skip
        assert Path(f"/proc/{pid}").exists()
        out(capsys, "abort", "l")
        running.wait(30)


def test_a_running_loop_is_aborted_from_outside(capsys: Capture, place: Path) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 60", "--verify", "true"]
    with subprocess.Popen(
        [*HARDWON, *arguments, "--id", "l"], cwd=place, stdout=subprocess.DEVNULL
    ) as running:
        pid = _read_when_there(place / "pid")
        assert "aborted (aborted by request)" in out(capsys, "abort", "l")
        assert running.wait(30) == 1

    assert not Path(f"/proc/{pid}").exists()


def test_the_best_trial_is_put_back(capsys: Capture, place: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    (place / "kept").write_text("mine\n")
    actor = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; touch made-$n"
    # Two of three checks pass in the second trial, one in the others.
    checks = ["test -e kept", 'test "$(cat n)" = 2', "false"]
    verify = [part for check in checks for part in ("--verify", check)]

    state = data(capsys, "run", "x", "--actor", actor, *verify, "--max-trials", "3", "--id", "l",
                 "--restore-best", code=1)  # fmt: skip

    assert [t["reward"] for t in state["trials"]] == [0.333333, 0.666667, 0.333333]
    assert (place / "n").read_text() == "2\n"
    assert sorted(p.name for p in place.glob("made-*")) == ["made-0", "made-1"]
    patch = (Path(os.environ["HARDWON_HOME"]) / "loops" / "l" / "best.patch").read_text()
    assert "+++ b/n" in patch
    status = ["git", "status", "--porcelain"]
    assert subprocess.check_output(status, cwd=place, text=True).startswith("??")  # index untouched


def test_the_loops_own_files_inside_the_work_tree_are_not_the_actors_work(
    capsys: Capture, place: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    home = str(place / ".hardwon")
    data(capsys, "run", "x", "--actor", "touch made", "--verify", "false", "--max-trials", "1",
         "--id", "l", "--home", home, code=1)  # fmt: skip

    record = data(capsys, "show", "l", "--home", home)["reflections"][0]

    assert record["actor_output"]["files_modified"] == ["made"]


def test_restoring_without_git_says_why_not(capsys: Capture) -> None:
    said = refused(capsys, "run", "x", "--actor", "true", "--verify", "false", "--max-trials", "1",
                   "--restore-best")  # fmt: skip

    assert "did not run in a git work tree" in said


def test_the_analysis_is_printed_drawn_and_written(capsys: Capture, tmp_path: Path) -> None:
    succeeded(capsys, "one")
    succeeded(capsys, "two")
    page = tmp_path / "page.html"

    said = out(capsys, "analyze", "--html", str(page))
    told = data(capsys, "analyze")

    assert "success rate" in said
    assert "●" in said
    assert (told["loops"], told["succeeded"], told["lesson_reuse_rate"]) == (2, 2, 0.5)
    html = page.read_text()
    assert html.count("<svg") >= 4
    assert "<script" not in html
    assert "http://" not in html.replace('http-equiv="', "")
    assert "https://" not in html


def test_the_axes_of_the_page_are_named_and_readable() -> None:
    states = [loop("l1", [0.0, 0.5, 1.0]), loop("l2", [0.1] * 30)]
    many = states[1]._replace(
        trials=tuple(trial._replace(errors=250) for trial in states[1].trials)
    )

    drawn = page(analyze([states[0], many]), title="t")

    labels = re.findall(r"<text [^>]*>([^<]*)</text>", drawn)
    assert {"reward", "errors", "trial"} <= set(labels)
    assert "250" in labels
    assert not [label for label in labels if "e+" in label]
    widths = {int(width) for width in re.findall(r'viewBox="0 0 (\d+) ', drawn)}
    small = re.search(r"\.small\{[^}]*minmax\((\d+)px", drawn)
    assert small
    assert min(widths) <= int(small[1])  # so that 12 px of text stay 12 px


def test_keywords_are_whole_words_and_patterns_are_found_over_a_search(capsys: Capture) -> None:
    for name in ("one", "two"):
        data(capsys, "run", f"fix the last ast walker {name}", "--actor", "true", "--verify",
             "false", "--max-trials", "1", "--id", name, code=1)  # fmt: skip
    data(capsys, "run", "be last", "--actor", "true", "--verify", "false", "--max-trials", "1",
         "--id", "three", code=1)  # fmt: skip

    assert {row["loop_id"] for row in data(capsys, "search", "ast")} == {"one", "two"}
    assert len(data(capsys, "search", "last")) == 3
    assert data(capsys, "search", "walk") == []
    assert {row["loop_id"] for row in data(capsys, "search", "walkers", "walker")} == {"one", "two"}
    (pattern,) = data(capsys, "patterns", "walker", "--min-frequency", "2")
    assert (pattern["frequency"], set(pattern["loops"])) == (2, {"one", "two"})
    assert data(capsys, "patterns", "walker", "--min-frequency", "3") == []
    assert data(capsys, "patterns", "--part", "lessons_learned") == []
    assert "2×" in out(capsys, "patterns", "ast")


def test_nothing_in_a_page_comes_from_a_task_unescaped(capsys: Capture, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    data(capsys, "run", evil, "--actor", "true", "--verify", "true")
    page = tmp_path / "page.html"
    out(capsys, "analyze", "--html", str(page))

    assert "<img" not in page.read_text()
    assert "&lt;img" in page.read_text()


def test_an_analysis_of_nothing_is_no_error(capsys: Capture) -> None:
    assert "0 (0 trials)" in out(capsys, "analyze")


@pytest.mark.parametrize(
    "wrong",
    [
        ["--actor-timeout", "soon"],
        ["--omega", "0"],
        ["--policy", "random"],
        ["--max-trials", "none"],
        ["--cwd", "/nonexistent"],
    ],
)
def test_wrong_use_exits_with_two(capsys: Capture, wrong: list[str]) -> None:
    refused(capsys, "run", "x", "--actor", "true", "--verify", "true", *wrong)


def _read_when_there(path: Path) -> int:
    until(lambda: path.exists() and path.read_text().strip() != "")
    return int(path.read_text())
