"""The program text that a run wrote is found again by the name of its file."""

from __future__ import annotations

import json

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.scripts import is_code, script


def wrote(text: str, name: str = "a.py") -> Step:
    return Step("bash", f"cat > {name} <<'E'\n{text}\nE")


def edited(new: str, path: str = "/w/a.py") -> Step:
    return Step("Edit", json.dumps({"path": path, "old_string": "some longer text", "new": new}))


def test_a_script_is_its_last_whole_text_and_the_edits_since() -> None:
    steps = [wrote("first"), wrote("second"), edited("third"), wrote("other", "b.py")]

    assert script("a.py", steps) == "third\nsecond\n"
    assert script("a.py", [edited("only an edit")]) == "only an edit"
    assert script("c.py", steps) == ""


def test_four_texts_are_put_together_at_most() -> None:
    steps = [wrote("whole"), *(edited(f"edit {n}") for n in range(5))]

    assert script("a.py", steps) == "edit 4\nedit 3\nedit 2\nedit 1"


def test_a_tool_that_writes_a_whole_file_needs_no_earlier_text() -> None:
    whole = Step("Write", json.dumps({"file": "lib/a.py", "content": "all of it", "mode": "w"}))

    assert script("a.py", [wrote("before"), whole]) == "all of it"


@pytest.mark.parametrize(
    "args",
    ['{"path": "a.py", "content": "cut', '{"path": "a.py"}', '{"text": "about a.py"}', "cat a.py"],
)
def test_a_call_that_writes_no_text_there_tells_none(args: str) -> None:
    assert script("a.py", [Step("t", args)]) == ""


@pytest.mark.parametrize(
    ("tool", "args", "is_program"),
    [
        ("notebook", "import kit\nkit.go()", True),
        ("notebook", "def f():\n  pass", True),
        ("notebook", "make all", False),
        ("bash", "import kit", False),
        ("run_in_Terminal", "import kit", False),
    ],
)
def test_a_notebook_is_given_code_and_a_shell_is_not(
    tool: str, args: str, is_program: bool
) -> None:
    assert is_code(tool, args) is is_program
