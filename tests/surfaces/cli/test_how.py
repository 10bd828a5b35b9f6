"""`hardwon fix`, `hardwon how`, `hardwon report --projects`, and learning when it is installed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hardwon.core.settings import load
from hardwon.core.values.report import Recurring
from hardwon.learn.transcripts.agents import databases
from hardwon.surfaces.cli import run
from hardwon.surfaces.cli.report import print_recurring
from tests.learn.transcripts.transcripts import Claude

NO_LOGIN = "kiosk: error: not logged in"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose past session shows a failure and what got past it."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "hw"))
    talk = Claude(str(folder)).says("Count the stock of the north store")
    talk.run("kiosk stock --store north", NO_LOGIN, failed=True).run("kiosk login --sso", "ok")
    talk.run("kiosk stock --store north", "pears 12").write(Path(os.environ["HOME"]))
    return folder


def answered(capsys: Any, *words: str) -> Any:
    capsys.readouterr()
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_error_is_answered_with_what_got_past_it(shop: Path, capsys: Any) -> None:
    assert run(["session", "learn"]) == 0
    learnt = capsys.readouterr().out
    assert "1 session of 1 project recorded: 3 calls, 1 failed" in learnt
    assert "1 run: kiosk: error: not logged in → What worked: first `kiosk login" in learnt

    (answer,) = answered(capsys, "fix", NO_LOGIN)

    assert "kiosk login --sso" in answer["text"]
    assert answer["project"] == str(shop)
    assert run(["run", "show", answer["run"]]) == 0
    assert run(["fix", "zebra: cannot find the moon"]) == 0
    assert "(nothing that worked is known to the agent default)" in capsys.readouterr().out


def test_words_are_answered_with_calls_that_worked(shop: Path, capsys: Any) -> None:
    run(["session", "learn"])

    answers = answered(capsys, "how", "login", "kiosk")

    calls = [answer["text"] for answer in answers if not answer["about"]]
    assert calls[:1] == ["kiosk login --sso"]
    assert answered(capsys, "how", "launch", "rockets") == []


def test_words_find_what_got_past_a_failure(shop: Path, capsys: Any) -> None:
    talk = Claude(str(shop), "33333333-3333").says("Is all well?")
    talk.run("pytest -q", "bash: line 1: pytest: command not found", failed=True)
    talk.run("uv run pytest -q", "3 passed").write(Path(os.environ["HOME"]))
    run(["session", "learn"])

    texts = [answer["text"] for answer in answered(capsys, "how", "run", "the", "tests")]

    assert any("uv run pytest -q" in text for text in texts)


def test_a_part_of_an_error_is_enough_and_a_call_that_failed_is_found(
    shop: Path, capsys: Any
) -> None:
    talk = Claude(str(shop), "33333333-3333").says("Is all well?")
    talk.run("make test", "make: *** No rule to make target 'test'.  Stop.", failed=True)
    os.utime(talk.run("make check", "3 passed").write(Path(os.environ["HOME"])), (1.79e9, 1.79e9))
    run(["session", "learn", "--since", "5000w"])

    for words in (["fix", "No rule to make target"], ["how", "make", "test"]):
        texts = [answer["text"] for answer in answered(capsys, *words)]
        assert any("`make check` worked" in text for text in texts)
    assert answered(capsys, "fix", "No space to make target directories for this volume") == []
    assert answered(capsys, "fix", "make") == []


def test_another_project_is_asked_after_this_one(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    run(["session", "learn"])
    monkeypatch.chdir(tmp_path)

    (answer,) = answered(capsys, "fix", NO_LOGIN)

    assert answer["project"] == str(shop)


def test_a_project_without_lessons_is_asked_for_calls_that_worked(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    bakery = tmp_path / "bakery"
    bakery.mkdir()
    talk = Claude(str(bakery), "44444444-4444").says("Bake the bread")
    talk.run("oven bake --loaves 12", "done").write(Path(os.environ["HOME"]))
    run(["session", "learn"])

    answers = answered(capsys, "how", "bake", "loaves")

    assert [(one["text"], one["project"]) for one in answers] == [
        ("oven bake --loaves 12", str(bakery))
    ]


def test_where_nothing_is_known_other_agents_are_named(shop: Path, capsys: Any) -> None:
    run(["session", "learn"])
    capsys.readouterr()

    assert run(["fix", NO_LOGIN, "--agent", "coder"]) == 0

    nothing = "(nothing that worked is known to the agent coder; other agents: --agent default)\n"
    assert capsys.readouterr().out == nothing


def test_the_report_of_all_projects_names_failures_and_cures(shop: Path, capsys: Any) -> None:
    run(["session", "learn"])

    (failure,) = answered(capsys, "report", "--projects", "--since", "300d")
    assert (failure["runs"], failure["calls"], failure["projects"]) == (1, 1, [str(shop)])
    assert "kiosk login" in failure["cure"]
    assert failure["cost_calls"] == 2
    assert failure["programs"] == [["claude", 1]]

    assert run(["report", "--projects", "--since", "300d"]) == 0
    printed = capsys.readouterr().out
    assert "1 run: kiosk: error: not logged in" in printed
    assert "in 1 session of claude, about 2 calls to get past it" in printed


def test_the_cure_in_the_report_is_the_one_that_worked_most(
    shop: Path, tmp_path: Path, capsys: Any
) -> None:
    for number, (folder, way) in enumerate(((shop, "--sso"), (tmp_path / "bakery", "--token"))):
        folder.mkdir(exist_ok=True)
        talk = Claude(str(folder), f"{number}3333333-3333", datetime.now(UTC)).says("Count")
        talk.run("kiosk stock --store south", NO_LOGIN, failed=True).run(f"kiosk login {way}", "ok")
        talk.run("kiosk stock --store south", "pears 3").write(Path(os.environ["HOME"]))
    run(["session", "learn"])

    (failure,) = answered(capsys, "report", "--projects", "--since", "300d")

    assert failure["runs"] == 3
    assert "--sso" in failure["cure"]


@pytest.mark.parametrize(
    ("cost", "told"), [(0.0, ""), (1.0, "about 1 call to"), (1.5, "about 1.5 calls to")]
)
def test_what_a_failure_costs_is_told_if_it_costs_something(
    capsys: Any, cost: float, told: str
) -> None:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    print_recurring(
        [Recurring("no rule", 1, 1, ("shop",), at, at, "make", cost_calls=cost)], is_full=True
    )

    printed = capsys.readouterr().out
    assert told in printed
    assert ("about" in printed) == bool(told)


def test_sessions_with_the_same_problem_are_named_once(
    shop: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(databases, "zstd", None)
    path = Path(os.environ["HOME"], ".local", "share", "zed", "threads", "threads.db")
    monkeypatch.setenv("XDG_DATA_HOME", "")
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE threads (id, updated_at, data_type, data)")
        values = [(f"t{number}", "2026-11-15T10:00:00", "zstd", b"x") for number in range(3)]
        database.executemany("INSERT INTO threads VALUES (?, ?, ?, ?)", values)
    database.close()

    run(["session", "learn"])

    printed = capsys.readouterr()
    assert " ".join(printed.err.split()).count("This needs an extra") == 1
    assert "(3 sessions)" in " ".join(printed.err.split())


def test_install_offers_past_sessions_and_learns_from_them_if_told(shop: Path, capsys: Any) -> None:
    assert run(["install", "claude-code", "--yes", "--no-learn"]) == 0
    assert "Found 1 session" not in capsys.readouterr().out

    assert run(["install", "claude-code", "--yes"]) == 0
    assert "Learn from them: hardwon session learn" in capsys.readouterr().out

    assert run(["install", "claude-code", "--yes", "--learn"]) == 0
    told = capsys.readouterr().out
    assert "Found 1 session of 1 project from the last 90 days." in told
    assert "1 session of 1 project recorded" in told

    assert run(["install", "claude-code", "--yes"]) == 0
    assert "Found" not in capsys.readouterr().out


def test_sessions_of_several_agents_in_one_folder_are_of_one_project(
    shop: Path, capsys: Any
) -> None:
    for number in range(2):
        day = Path(os.environ["HOME"]) / ".codex" / "sessions" / "2026" / "11" / f"1{number}"
        day.mkdir(parents=True)
        about = {"id": f"{number}", "cwd": str(shop)}
        line = {"timestamp": "2026-11-15T10:00:00Z", "type": "session_meta", "payload": about}
        (day / f"rollout-{number}.jsonl").write_text(json.dumps(line) + "\n")

    assert run(["install", "claude-code", "--yes"]) == 0

    assert "Found 3 sessions of 1 project from" in capsys.readouterr().out


def test_sessions_of_several_agents_with_one_failure_are_counted_by_agent(
    capsys: Any,
) -> None:
    at = datetime(2026, 11, 2, tzinfo=UTC)
    met = (("codex", 12), ("claude", 3))
    failure = Recurring(NO_LOGIN, 15, 20, ("acme/shop",), at, at, "", (), met, 0.0, 0.0)

    print_recurring([failure], is_full=True)

    assert "in acme/shop, in sessions of codex (12), claude (3)" in capsys.readouterr().out


def test_new_sessions_are_followed_if_asked(shop: Path, tmp_path: Path, capsys: Any) -> None:
    command = [sys.executable, "-m", "hardwon", "session", "learn", "--follow", "1s"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "1 session of 1 project recorded" in process.stdout.readline()
        talk = Claude(str(shop), "22222222-2222").says("Once more")
        talk.run("kiosk stock --store south", "pears 3").write(Path(os.environ["HOME"]))

        followed = next(line for line in process.stdout if "1 new call" in line)
        process.send_signal(signal.SIGINT)

        assert "22222222-2222" in followed
    assert process.returncode == 130


def test_a_worker_follows_sessions_only_if_that_was_asked_for(shop: Path, capsys: Any) -> None:
    def met() -> int:
        assert run(["work", "--drain"]) == 0
        return sum(failure["runs"] for failure in answered(capsys, "report", "--projects"))

    assert met() == 0

    assert run(["install", "claude-code", "--yes", "--no-learn", "--follow"]) == 0
    assert "A worker looks for new sessions every 10m" in capsys.readouterr().out
    assert met() == 1
    assert met() == 1

    assert run(["install", "claude-code", "--yes", "--no-learn", "--no-follow"]) == 0
    assert not load(os.environ["HARDWON_HOME"]).runs.follow


def test_reading_needs_a_model_before_anything_is_learnt(shop: Path, capsys: Any) -> None:
    assert run(["session", "learn", "--read", "3"]) == 2
    assert "no model reads runs" in capsys.readouterr().err


def test_without_the_extra_an_install_only_names_it(shop: Path) -> None:
    begin = "import sys; sys.modules['yaml'] = None; from hardwon.surfaces.cli import run;"
    words = ["install", "claude-code", "--yes", "--no-model"]

    def install(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", f"{begin} sys.exit(run({[*words, *more]}))"]
        return subprocess.run(command, cwd=shop, capture_output=True, text=True)

    done = install()
    assert done.returncode == 0
    assert "sessions" not in done.stderr
    assert "To learn from past sessions, too: pip install 'hardwon[sessions]'" in done.stdout
    assert install("--learn").returncode == 1  # it was asked for


def test_a_look_makes_no_home_and_what_is_known_is_counted(
    shop: Path, tmp_path: Path, capsys: Any
) -> None:
    assert run(["session", "learn", "--dry-run"]) == 0
    assert "1 session of 1 project would be recorded: 3 calls" in capsys.readouterr().out
    assert not (tmp_path / "hw").exists()

    assert run(["report", "--projects"]) == 0
    assert "No failure was recorded in this time" in capsys.readouterr().out
    assert run(["session", "learn", "--from", "codex"]) == 0
    assert "No session of a coding agent changed in this time" in capsys.readouterr().out
    run(["session", "learn"])
    capsys.readouterr()
    assert run(["session", "learn"]) == 0
    assert capsys.readouterr().out == "Nothing is new: 1 session known in this time\n"
