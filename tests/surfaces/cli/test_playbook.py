"""`hardwon playbook` and `hardwon model test`, as typed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import hardwon
from hardwon.surfaces.cli import run
from tests.surfaces.cli.printing import Capture, out

ITEM = {
    "sort": "pitfall",
    "when": "opening a document",
    "wrong": "The default profile is denied.",
    "do": "Put the profile first: `ops --profile finance call refunds.draft <json>`.",
}
LISTS = {"sort": "way", "when": "looking for a tool", "do": "List the tools with `ops tools`."}
STEPS = (
    ("ops tools", "refunds.draft  Open a refund document", False),
    ("ops call refunds.draft '{}'", "E403 refunds.draft: denied for profile desk", True),
    ("ops --profile finance call refunds.draft '{}'", "D1", False),
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project to stand in, with a session that is at work."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with hardwon.open(home) as hw:
        agent = hw.agent("default", project=str(folder), run="s1")
        agent.before_turn("Refund order 10482")
        for command, output, failed in STEPS:
            agent.after_action("Bash", {"command": command}, output=output, failed=failed)
    return folder


def given(monkeypatch: pytest.MonkeyPatch, *items: object) -> None:
    """Items on standard input, one a line."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, items))))


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> list[int]:
    """The ids of two items."""
    given(monkeypatch, ITEM, LISTS)
    added = json.loads(out(capsys, "playbook", "add", "-", "--json"))["added"]
    return [item["id"] for item in added]


def test_it_lists_the_items_with_sort_state_and_evidence(
    capsys: Capture, taught: list[int]
) -> None:
    first, second = taught
    out(capsys, "playbook", "pin", str(second))

    head, *told = out(capsys, "playbook").splitlines()

    assert head.startswith("2 items in ")
    assert "tokens at the start of a run:" in head
    assert told == [
        f"  #{second}  way, pinned  (seen in 1 run (steps 1))",
        "      When looking for a tool: List the tools with `ops tools`.",
        f"  #{first}  pitfall  (seen in 1 run (steps 2, 3))",
        "      When opening a document: The default profile is denied. Put the profile first:"
        " `ops --profile finance call refunds.draft <json>`.",
    ]


@pytest.mark.parametrize(("later_runs", "needed"), [(0, ""), (1, "needed again 1 time; ")])
def test_an_item_says_how_often_it_was_needed_after_it_was_learnt(
    capsys: Capture, taught: list[int], home: Path, project: Path, later_runs: int, needed: str
) -> None:
    with hardwon.open(home) as hw:
        for number in range(later_runs):
            later = hw.agent("default", project=str(project), run=f"later-{number}")
            later.before_turn("Refund order 10483")
            for command, output, failed in STEPS:
                later.after_action("Bash", {"command": command}, output=output, failed=failed)
            later.playbook.add(json.dumps(LISTS))

    assert f"  way  ({needed}seen in 1 run" in out(capsys, "playbook")


def test_without_a_run_the_command_for_an_own_item_is_named(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")

    assert run(["playbook", "add", "--sort", "way", "--when", "w", "--do", "d"]) == 1

    assert '`hardwon lesson add "WHEN" "DO" --project .`' in capsys.readouterr().err
    out(capsys, "lesson", "add", "when refunding", "ask finance", "--project", ".")
    assert "(written by a person)" in out(capsys, "playbook")


def test_it_is_markdown_or_json(capsys: Capture, taught: list[int]) -> None:
    markdown = out(capsys, "playbook", "--markdown")
    rows = json.loads(out(capsys, "playbook", "--json"))

    assert "\n- When looking for a tool: List the tools with `ops tools`.\n" in markdown
    assert [(row["id"], row["sort"], row["states"]) for row in rows] == [
        (taught[0], "pitfall", []),
        (taught[1], "way", []),
    ]
    assert rows[0]["saves"] > rows[1]["saves"]


def test_an_empty_playbook_says_who_could_write_it(capsys: Capture) -> None:
    assert "hardwon install AGENT --read ask" in out(capsys, "playbook")
    assert out(capsys, "playbook", "--json") == "[]\n"


def test_items_are_edited_moved_removed_and_all_is_undone(
    capsys: Capture, taught: list[int]
) -> None:
    first, second = map(str, taught)
    edited = out(capsys, "playbook", "edit", first, "--when", "refunding", "--do", "Ask finance.")
    moved = out(capsys, "playbook", "move", second, "--before", first)
    assert f"Changed #{first} " in edited
    assert f"Moved before #{first}: #{second} " in moved
    assert out(capsys, "playbook").index(f"#{second} ") < out(capsys, "playbook").index(f"#{first}")
    assert f"Removed #{second} " in out(capsys, "playbook", "remove", second)
    assert "1 item " in out(capsys, "playbook")
    lines = [line for line in out(capsys, "playbook", "history").splitlines() if "was: #" in line]
    assert [line.split()[2] for line in lines] == ["remove", "move", "edit"]

    for _ in range(3):
        assert "Took back the last change of #" in out(capsys, "playbook", "undo")
    assert "opening a document" in out(capsys, "playbook")
    assert run(["playbook", "undo"]) == 1
    capsys.readouterr()
    assert run(["playbook", "move", first, "--before", "99"]) == 1
    assert "lesson 99 not found" in capsys.readouterr().err
    out(capsys, "lesson", "add", "everywhere", "be kind")
    assert run(["playbook", "pin", str(max(taught) + 1)]) == 1
    assert (
        f"there is no item #{max(taught) + 1} in the playbook of this project"
        in capsys.readouterr().err
    )
    assert run(["playbook", "edit", first]) == 2


def test_pins_and_a_file_without_items_are_told_as_such(capsys: Capture, taught: list[int]) -> None:
    first, second = map(str, taught)
    assert f"Pinned #{first} " in out(capsys, "playbook", "pin", first)
    assert f"Unpinned #{first} " in out(capsys, "playbook", "unpin", first)
    told = out(capsys, "playbook", "history", first)
    assert told.index("  unpin  was: ") < told.index("  pin  was: ")
    assert run(["playbook", "undo", "99"]) == 1
    assert "#99 has no change to undo" in capsys.readouterr().err

    out(
        capsys, "playbook", "edit", first, "--wrong", "Refund at once", "--do", "Ask finance first."
    )
    for told in (out(capsys, "playbook"), out(capsys, "playbook", "--markdown")):
        assert "Refund at once. Ask finance first." in " ".join(told.split())

    out(capsys, "playbook", "write", "AGENTS.md")
    for number in (first, second):
        out(capsys, "playbook", "remove", number)
    told = out(capsys, "playbook", "write", "AGENTS.md", "NONE.md")
    assert "AGENTS.md: there are no items yet; the old block was removed" in told
    assert "NONE.md: there are no items yet\n" in told


def test_one_item_is_added_by_options_and_refused_with_the_reason(capsys: Capture) -> None:
    added = out(capsys, "playbook", "add", "--sort", "way", "--when", "w", "--do", LISTS["do"])
    assert run(["playbook", "add", "--when", "deploying", "--do", "`kubectl apply`"]) == 1
    refused = capsys.readouterr().out

    assert added.startswith("Added #")
    assert refused == "Left out, no step of the run shows it: deploying\n"
    assert run(["playbook", "add"]) == 2
    assert run(["playbook", "add", "--run", "../x", "--when", "w", "--do", "d"]) == 1


def test_a_file_keeps_the_playbook_up_to_date(
    capsys: Capture, taught: list[int], project: Path
) -> None:
    file = project / "AGENTS.md"
    file.write_text("# Rules\n")

    assert out(capsys, "playbook", "write", "AGENTS.md") == "AGENTS.md: written\n"
    assert out(capsys, "playbook", "write", "AGENTS.md") == "AGENTS.md: nothing to do\n"
    assert "List the tools with `ops tools`." in file.read_text()
    removed = out(capsys, "playbook", "write", "AGENTS.md", "--remove")

    assert removed == "AGENTS.md: block removed\n"
    assert file.read_text() == "# Rules\n"


@pytest.mark.parametrize(
    ("name", "said", "code"),
    [
        ("command:echo ready", "command:echo ready answered in ", 0),
        ("command:no-such-program", "cannot be run", 1),
        ("command:true", "answered with an empty text", 1),
        ("strange", "kind:name", 1),
        ("", "no model is set", 1),
    ],
)
def test_a_model_is_tried_with_one_request(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, name: str, said: str, code: int
) -> None:
    monkeypatch.setenv("HARDWON_MODEL_NAME", name)

    assert run(["model", "test"]) == code

    printed = capsys.readouterr()
    assert said in printed.out + printed.err
