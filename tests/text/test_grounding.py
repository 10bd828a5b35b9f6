"""Names that a model uses and the evidence does not hold."""

from __future__ import annotations

import pytest

from hardwon.core.text.grounding import ungrounded_names

EVIDENCE = """FAILED: pytest tests/test_api.py
  it said: ModuleNotFoundError: No module named 'app'
then ok: PYTHONPATH=src python -m pytest tests/test_api.py -q
get_user_details(user_id=<user_id>)
"""


@pytest.mark.parametrize(
    "text",
    [
        "Run `PYTHONPATH=src python -m pytest tests/test_api.py`",
        "When pytest ends in ModuleNotFoundError, e.g. after a fresh clone",
        "Take the user_id that get_user_details lists and/or ask",
        "tests/test_api.py needs src on the path",
    ],
)
def test_what_the_evidence_holds_may_be_named(text: str) -> None:
    assert ungrounded_names(text, EVIDENCE) == ()


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("Run `pytest --import-mode=importlib`", "--import-mode"),
        ("Add conftest.py at the root", "conftest.py"),
        ("Set `PYTHONHOME=src`", "PYTHONHOME"),
        ("Call find_user_by_zip first", "find_user_by_zip"),
        ("Look into lib/core.py", "lib/core.py"),
        ("Catch the FileNotFoundError", "FileNotFoundError"),
    ],
)
def test_what_it_does_not_hold_is_named(text: str, invented: str) -> None:
    assert invented in ungrounded_names(text, EVIDENCE)
