"""A model that answers from a list."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardwon.core.errors import PermanentError
from tests.models.asking import ask, opened


def test_a_script_answers_in_order(tmp_path: Path) -> None:
    script = tmp_path / "answers.txt"
    script.write_text("one\n---\ntwo")
    model = opened(f"scripted:{script}")

    assert [ask(model).text, ask(model).text] == ["one", "two"]
    with pytest.raises(PermanentError):
        ask(model)
