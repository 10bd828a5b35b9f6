"""A dream in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hardwon.core.errors import PermanentError
from hardwon.models.scripted import Scripted
from tests.stored import opened


@pytest.mark.parametrize(
    ("reply", "reflection", "improvements"),
    [
        (
            '{"reflection": "too many retries", "improvements": ["Retry pages once", "Do better"]}',
            16,
            1,
        ),
        ('{"reflection": null}', 0, 0),
        ("Just some prose without a form", 0, 0),
        (PermanentError("no credit"), 0, 0),
    ],
)
def test_a_model_words_the_night_and_is_not_needed(
    tmp_path: Path, reply: Any, reflection: int, improvements: int
) -> None:
    with opened(tmp_path, model=Scripted([reply])) as hw:
        row = hw.agent("coder").dreams.run()

    assert row.state == "done"
    assert len(row.reflection) == reflection or row.reflection.startswith("0 lessons")
    assert len(row.improvements) == improvements
