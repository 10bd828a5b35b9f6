"""Coding agents with their own tools for files: nobody says what failed, and it is learnt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import hardwon
from hardwon import Hardwon

PATCH = "*** Begin Patch\n*** Update File: cart.py\n@@\n-{}\n+total = 0\n*** End Patch"


class Refused(NamedTuple):
    """A call that a tool refuses, how the run goes on, and what the next run is told."""

    call: tuple[str, Any]
    says: str
    then: tuple[tuple[str, Any, str], ...]
    told: str


def replaced(old: str, **names: str) -> dict[str, str]:
    return {"old_str": old, "new_str": "total = 0", **names}


REFUSALS = {
    "an editor with commands": Refused(
        ("str_replace_editor", replaced("total=1", command="str_replace", path="/w/cart.py")),
        "No replacement was performed, old_str `total=1` did not appear verbatim in /w/cart.py.",
        (
            ("str_replace_editor", {"command": "view", "path": "/w/cart.py"}, "1\ttotal = 1"),
            (
                "str_replace_editor",
                replaced("total = 1", command="str_replace", path="/w/cart.py"),
                "The file /w/cart.py has been edited.",
            ),
        ),
        "edit of `/w/cart.py`:\n      - total = 1\n      + total = 0",
    ),
    "an editor that wants files to be read": Refused(
        ("Edit", {"file_path": "/w/cart.py", "old_string": "aa", "new_string": "b"}),
        "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>",
        (
            ("Read", {"file_path": "/w/cart.py"}, "1→aa"),
            (
                "Edit",
                {"file_path": "/w/cart.py", "old_string": "aa", "new_string": "b"},
                "The file /w/cart.py has been updated.",
            ),
        ),
        "- `Read(file_path=/w/cart.py)`\n    - edit of `/w/cart.py`:\n      - aa\n      + b",
    ),
    "patches": Refused(
        ("apply_patch", PATCH.format("total=1")),
        "apply_patch verification failed: Failed to find expected lines in /w/cart.py:\ntotal=1",
        (
            ("shell", {"command": ["bash", "-lc", "cat cart.py"]}, "total = 1"),
            ("apply_patch", PATCH.format("total = 1"), "Success. Updated the following files:"),
        ),
        "edit of `cart.py`:\n      - total = 1\n      + total = 0",
    ),
    "a tool that replaces": Refused(
        ("replace", {"file_path": "/w/cart.py", "old_string": "x", "new_string": "y"}),
        "Failed to edit, expected 1 occurrence but found 3.",
        (
            (
                "replace",
                {"file_path": "/w/cart.py", "old_string": "w\nx", "new_string": "w\ny"},
                "Successfully modified file: /w/cart.py (1 replacements).",
            ),
        ),
        "edit of `/w/cart.py`:\n        w\n      - x\n      + y",
    ),
}


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[Hardwon]:
    with hardwon.open(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("case", REFUSALS.values(), ids=list(REFUSALS))
def test_a_refusal_of_a_file_tool_is_known_in_the_next_run(hw: Hardwon, case: Refused) -> None:
    first, second = hw.agent("coder", run="one"), hw.agent("coder", run="two")

    refused = first.after_action(*case.call, output=case.says)
    after = [first.after_action(tool, args, output=output) for tool, args, output in case.then]
    told = second.after_action(*case.call, output=case.says)

    assert refused.failed
    assert not refused
    assert not any(one.failed for one in after)
    assert case.told in told.text


def test_a_script_is_mended_by_the_edits_of_any_tool(hw: Hardwon) -> None:
    agent = hw.agent("coder")
    raised = 'File "/w/go.py", line 2, in <module>\nsqlite3.OperationalError: no such table: book'
    code = "import db\ndb.query()\n"

    agent.after_action("write", {"filePath": "/w/go.py", "content": code}, output="")
    agent.after_action(
        "bash",
        {"command": "python go.py"},
        output=f"Traceback (most recent call last):\n  {raised}",
    )
    agent.after_action(
        "edit",
        {
            "filePath": "/w/go.py",
            "oldString": "import db\n",
            "newString": "import db\ndb.create()\n",
        },
        output="",
    )
    agent.after_action("bash", {"command": "python go.py"}, output="3 rows")

    (lesson,) = agent.lessons.list()
    assert "db.create()" in lesson.correction
